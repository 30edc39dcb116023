import type { Request, Response } from 'express';

import { withoutCovered, withSingleClaims } from '../../core/authorization/claim-scopes.js';
import { listNamedConnections } from '../../core/grants/connected-app-search.js';
import {
  type AuthorizationStores,
  type ConnectionList,
  listConnections,
  type UserAuthorization,
  type WhoseList,
} from '../../core/grants/connected-apps.js';
import { personalCsrfTokenOf } from '../../core/http/csrf.js';
import type { Asked } from '../../core/http/handle.js';
import { queryOf } from '../../core/http/query.js';
import type { MessageKey } from '../../messages/index.js';
import type { Settings } from '../../settings/settings.js';
import { rolesOf } from '../applications/application-access.js';
import { describeScope } from '../consent/describe-scopes.js';
import { describeDone, type DoneTexts, takeDone } from '../flash-message.js';
import { accountNavigation } from '../navigation.js';
import { userIdOf, userNameOf } from '../person.js';
import type { Words } from '../rendering/words.js';
import { type AuthorizationsContext, pathOfApp } from './context.js';
import { appLogoOf } from './describe-app.js';
import { fitting, type Part, partOf, type Sort, SORTS, type Wanted, wantedOf } from './pagination.js';

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

export async function showList(context: AuthorizationsContext, { req, res, now }: Asked): Promise<void> {
  const { settings, models, deviceGrantTypes, renderPage, root } = context;
  const userId = userIdOf(settings, req);
  const done = takeDone(req, { path: root, userId }, now);
  const isDeveloper = await mayRegister(context, req, res);
  const wanted = wantedOf(queryOf(req));
  const { ids, total, find } = await listWanted(models, { userId, deviceGrantTypes, now }, wanted);
  const part = partOf(ids, wanted.page);
  const entries = await find(part.entries);
  const logos = entries.flatMap(({ client }) => (client && appLogoOf(client)) ?? []);
  await renderPage(req, res, {
    view: 'authorizations',
    hasScript: true,
    imageSources: [...new Set(logos.map((logo) => new URL(logo).origin))],
    locals: (words) => ({
      title: words.text('authorizations.title'),
      nav: accountNavigation(isDeveloper, 'authorizations', settings, words),
      csrfToken: personalCsrfTokenOf(req, userId),
      paths: { revoke: `${root}/revoke`, revokeAll: `${root}/revoke-all` },
      note: describeDone(done, NOTES, words),
      revokeAllMeaning: words.text(
        settings.personalAccessTokens === false
          ? 'authorizations.revokeAllMeaning'
          : 'authorizations.revokeAllMeaningTokens',
      ),
      authorizations: entries.map((authorization) => ({
        ...describe(authorization, settings, words),
        href: pathOfApp(context, authorization.clientId),
      })),
      search: describeSearch({ root, isOffered: total > FEW, wanted, part, words }),
      userName: userNameOf(settings, req),
    }),
  });
}

/** People can end what they have allowed even if the host cannot say what else they may do. */
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
function listWanted(
  stores: AuthorizationStores,
  whose: WhoseList,
  { words, sort }: Wanted,
): Promise<ConnectionList> {
  if (words === '' && sort !== 'name') return listConnections(stores, whose, sort);
  return listNamedConnections(stores, whose, {
    fits: fitting(words),
    // `App 2` before `App 10`, whatever the case: an order for people of any language, the same for all of them
    order: sort === 'name' ? new Intl.Collator(undefined, { numeric: true }) : sort,
  });
}

/** A form and links, if there are more than people see at once. */
function describeSearch({
  root,
  isOffered,
  wanted: { words, sort },
  words: { text },
  part: { page, pages, found },
}: {
  readonly root: string;
  readonly isOffered: boolean;
  readonly wanted: Wanted;
  readonly part: Part<unknown>;
  readonly words: Words;
}) {
  const addressBy = (order: Sort, to: number) => {
    const query = new URLSearchParams({
      ...(words && { q: words }),
      ...(order !== SORTS[0] && { sort: order }),
      ...(to > 1 && { page: String(to) }),
    });
    return query.size === 0 ? root : `${root}?${query.toString()}`;
  };
  const addressOf = (to: number) => addressBy(sort, to);
  return {
    isOffered,
    words,
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
  words: Words,
) {
  const rules = withSingleClaims(settings, scopes);
  return {
    clientId,
    name,
    logo: client && appLogoOf(client),
    trusted: client?.trusted === true,
    isBlocked: client?.blocked !== undefined,
    hasDevice,
    isWaiting: hasWaitingDevice,
    scopes: withoutCovered(scopes, rules).map((scope) => describeScope(rules.scopes, scope, words.locale)),
    since: words.day(since),
    renewed: renewedAt && words.moment(renewedAt),
  };
}
