import { expandClaimScopes, withoutCovered } from '../../core/authorization/claim-scopes.js';
import { consentClientOf } from '../../core/authorization/consent-client.js';
import { queryOf } from '../../core/http/query.js';
import type { MessageKey } from '../../messages/index.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import { accountPath, renderAccountPage, type Visit } from '../account-pages.js';
import { findClientLogo } from '../consent/describe-client.js';
import { describeScope } from '../consent/describe-scopes.js';
import { consumeFlash, describeDone, type DoneTexts } from '../form-answers.js';
import type { Translator } from '../rendering/translator.js';
import { type AuthorizationsContext, toBelievedClient } from './app-page.js';
import { findConnectedApps, listConnectedApps, type UserAuthorization } from './find-connected-apps.js';

/** This number of applications needs no search. */
const FEW = 8;
const PER_PAGE = 25;
const MAX_TERMS = 100;

/** The sort orders, the default first. */
const SORTS = {
  renewed: 'authorizations.sortRenewed',
  since: 'authorizations.sortSince',
  name: 'authorizations.sortName',
} as const satisfies Record<string, MessageKey>;
type Sort = keyof typeof SORTS;

const NOTES: DoneTexts = {
  revoked: { withName: 'authorizations.revokedNamed', withoutName: 'authorizations.revoked' },
  signed_out: { withName: 'authorization.signedOut' },
  revoked_all: { withoutName: 'authorizations.revokedAll' },
};

export async function showList(context: AuthorizationsContext, visit: Visit): Promise<void> {
  const { settings, models, deviceGrantTypes, root } = context;
  const { req, now, userId } = visit;
  const done = consumeFlash(visit, root);
  const query = queryOf(req);
  // the words of a search by name; empty for all
  const search = (peekParameter(query, 'q') ?? '').trim().slice(0, MAX_TERMS);
  const order = peekParameter(query, 'sort');
  const sorts = Object.keys(SORTS) as Sort[];
  const sort = sorts.find((name) => name === order) ?? 'renewed';
  const whose = { userId, deviceGrantTypes, now };
  const terms = plain(search).split(/\s+/).filter(Boolean);
  // names are only read for a search or a sort by name
  const { ids, total } = await listConnectedApps(models, whose, {
    fits: search === '' ? undefined : (name) => terms.every((term) => plain(name).includes(term)),
    // `App 2` before `App 10`, ignoring case, by the same rules in every language
    order: sort === 'name' ? new Intl.Collator(undefined, { numeric: true }) : sort,
  });
  const requestedPage = peekParameter(query, 'page') ?? '';
  const pages = Math.max(1, Math.ceil(ids.length / PER_PAGE));
  // at most the last page
  const page = Math.min(/^[1-9]\d{0,3}$/.test(requestedPage) ? Number(requestedPage) : 1, pages);
  const onPage = ids.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  const entries = await findConnectedApps(models, onPage, whose);
  const pathBy = (by: Sort, to: number) => {
    const parameters = new URLSearchParams();
    if (search !== '') parameters.set('q', search);
    if (by !== 'renewed') parameters.set('sort', by);
    if (to > 1) parameters.set('page', String(to));
    return parameters.size === 0 ? root : `${root}?${parameters.toString()}`;
  };
  await renderAccountPage(context, visit, {
    view: 'authorizations',
    hasScript: true,
    locals: (translator) => {
      const { text } = translator;
      return {
        title: text('authorizations.title'),
        paths: { revoke: `${root}/revoke`, revokeAll: `${root}/revoke-all` },
        note: describeDone(done, NOTES, translator),
        revokeAllMeaning: text(
          !settings.personalAccessTokens
            ? 'authorizations.revokeAllMeaning'
            : 'authorizations.revokeAllMeaningTokens',
        ),
        authorizations: entries.map((entry) => describeEntry(context, entry, translator)),
        // a search form and links, if the list is long
        search: {
          isOffered: total > FEW,
          terms: search,
          root,
          count: ids.length,
          sort: sort === 'renewed' ? undefined : sort,
          sorts: sorts.map((name) => ({
            name,
            label: text(SORTS[name]),
            href: pathBy(name, 1),
            isCurrent: name === sort,
          })),
          all: sort === 'renewed' ? root : `${root}?sort=${sort}`,
          page,
          pages,
          previous: page > 1 ? pathBy(sort, page - 1) : undefined,
          next: page < pages ? pathBy(sort, page + 1) : undefined,
        },
      };
    },
  });
}

/** Without case and accents. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();
}

function describeEntry(
  context: AuthorizationsContext,
  { clientId, name, client, hasDevice, hasWaitingDevice, scopes, since, renewedAt }: UserAuthorization,
  { day, moment, locale }: Translator,
) {
  const { settings } = context;
  const rules = expandClaimScopes(settings, scopes);
  return {
    clientId,
    name,
    href: accountPath(context, clientId),
    publisher: client && consentClientOf(client).publisher,
    logo: client && findClientLogo(toBelievedClient(client), settings),
    trusted: client?.trusted === true,
    isBlocked: client?.blocked !== undefined,
    hasDevice,
    isWaiting: hasWaitingDevice,
    scopes: withoutCovered(scopes, rules).map((scope) => describeScope(rules.scopes, scope, locale)),
    since: day(since),
    renewed: renewedAt && moment(renewedAt),
  };
}
