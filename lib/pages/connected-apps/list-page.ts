import type { Request, Response } from 'express';

import { expandClaimScopes, withoutCovered } from '../../core/authorization/claim-scopes.js';
import { consentClientOf } from '../../core/authorization/consent-client.js';
import { searchConnectedApps } from '../../core/grants/connected-app-search.js';
import {
  type AuthorizationStores,
  type ConnectedAppList,
  listConnectedApps,
  type UserAuthorization,
  type WhoseList,
} from '../../core/grants/connected-apps.js';
import { personalCsrfTokenOf } from '../../core/http/csrf.js';
import type { RequestContext } from '../../core/http/handle.js';
import { queryOf } from '../../core/http/query.js';
import type { MessageKey } from '../../messages/index.js';
import type { Settings } from '../../settings/settings.js';
import { rolesOf } from '../applications/application-access.js';
import { describeScope } from '../consent/describe-scopes.js';
import { consumeFlash, describeDone, type DoneTexts } from '../flash-message.js';
import { accountNavigation } from '../navigation.js';
import { userIdOf, userNameOf } from '../person.js';
import type { Translator } from '../rendering/translator.js';
import { type AuthorizationsContext, pathOfApp } from './context.js';
import { appLogoOf } from './describe-app.js';
import {
  type AppListPage,
  fitting,
  type ListQuery,
  listQueryOf,
  partOf,
  type Sort,
  SORTS,
} from './pagination.js';

/** This many are seen at once. */
const FEW = 8;

const SORT_TEXTS = {
  renewed: 'authorizations.sortRenewed',
  since: 'authorizations.sortSince',
  name: 'authorizations.sortName',
} as const satisfies Record<Sort, MessageKey>;

const NOTES: DoneTexts = {
  revoked: { named: 'authorizations.revokedNamed', unnamed: 'authorizations.revoked' },
  signed_out: { named: 'authorization.signedOut' },
  revoked_all: { unnamed: 'authorizations.revokedAll' },
};

export async function showList(
  context: AuthorizationsContext,
  { req, res, now }: RequestContext,
): Promise<void> {
  const { settings, models, deviceGrantTypes, renderPage, root } = context;
  const userId = userIdOf(settings, req);
  const done = consumeFlash(req, { path: root, userId }, now);
  const isDeveloper = await mayRegister(context, req, res);
  const listQuery = listQueryOf(queryOf(req));
  const { ids, total, find } = await listMatching(models, { userId, deviceGrantTypes, now }, listQuery);
  const part = partOf(ids, listQuery.page);
  const entries = await find(part.entries);
  await renderPage(req, res, {
    view: 'authorizations',
    hasScript: true,
    locals: (translator) => ({
      title: translator.text('authorizations.title'),
      nav: accountNavigation(isDeveloper, 'authorizations', settings, translator),
      csrfToken: personalCsrfTokenOf(req, userId),
      paths: { revoke: `${root}/revoke`, revokeAll: `${root}/revoke-all` },
      note: describeDone(done, NOTES, translator),
      revokeAllMeaning: translator.text(
        !settings.personalAccessTokens
          ? 'authorizations.revokeAllMeaning'
          : 'authorizations.revokeAllMeaningTokens',
      ),
      authorizations: entries.map((authorization) => ({
        ...describe(authorization, settings, translator),
        href: pathOfApp(context, authorization.clientId),
      })),
      search: describeSearch({ root, isOffered: total > FEW, listQuery, part, translator }),
      userName: userNameOf(settings, req),
    }),
  });
}

/** Users can end what they have allowed even if the site cannot say what else they may do. */
export async function mayRegister(
  { settings, report }: Pick<AuthorizationsContext, 'settings' | 'report'>,
  req: Request,
  res: Response,
): Promise<boolean> {
  try {
    return (await rolesOf(settings, req)).isDeveloper;
  } catch (failure) {
    report(failure, { endpoint: 'authorizations', req, res });
    return false;
  }
}

/** Reads names only to search them, or to sort by them. */
function listMatching(
  stores: AuthorizationStores,
  whose: WhoseList,
  { terms, sort }: ListQuery,
): Promise<ConnectedAppList> {
  if (terms === '' && sort !== 'name') return listConnectedApps(stores, whose, sort);
  return searchConnectedApps(stores, whose, {
    fits: fitting(terms),
    // `App 2` before `App 10`, whatever the case: an order for users of any language, the same for all of them
    order: sort === 'name' ? new Intl.Collator(undefined, { numeric: true }) : sort,
  });
}

/** A form and links, if there are more than users see at once. */
function describeSearch({
  root,
  isOffered,
  listQuery: { terms, sort },
  translator: { text },
  part: { page, pages, found },
}: {
  readonly root: string;
  readonly isOffered: boolean;
  readonly listQuery: ListQuery;
  readonly part: AppListPage<unknown>;
  readonly translator: Translator;
}) {
  const addressBy = (order: Sort, to: number) => {
    const query = new URLSearchParams({
      ...(terms && { q: terms }),
      ...(order !== SORTS[0] && { sort: order }),
      ...(to > 1 && { page: String(to) }),
    });
    return query.size === 0 ? root : `${root}?${query.toString()}`;
  };
  const addressOf = (to: number) => addressBy(sort, to);
  return {
    isOffered,
    terms,
    root,
    count: found,
    sort: sort === SORTS[0] ? undefined : sort,
    sorts: SORTS.map((name) => ({
      name,
      label: text(SORT_TEXTS[name]),
      href: addressBy(name, 1),
      isCurrent: name === sort,
    })),
    all: sort === SORTS[0] ? root : `${root}?sort=${sort}`,
    page,
    pages,
    previous: page > 1 ? addressOf(page - 1) : undefined,
    next: page < pages ? addressOf(page + 1) : undefined,
  };
}

function describe(
  { clientId, name, client, hasDevice, hasWaitingDevice, scopes, since, renewedAt }: UserAuthorization,
  settings: Settings,
  translator: Translator,
) {
  const rules = expandClaimScopes(settings, scopes);
  return {
    clientId,
    name,
    publisher: client && consentClientOf(client).publisher,
    logo: client && appLogoOf(client, settings),
    trusted: client?.trusted === true,
    isBlocked: client?.blocked !== undefined,
    hasDevice,
    isWaiting: hasWaitingDevice,
    scopes: withoutCovered(scopes, rules).map((scope) =>
      describeScope(rules.scopes, scope, translator.locale),
    ),
    since: translator.day(since),
    renewed: renewedAt && translator.moment(renewedAt),
  };
}
