import type { Grant } from '../../core/grants/grant.js';
import type { NamedTokenKind } from '../../core/grants/named-token.js';
import { accountPath, renderAccountPage, type Visit } from '../../pages/account-pages.js';
import { describeActivity, findActivity } from '../../pages/connected-apps/activity.js';
import {
  describeBound,
  describeGranted,
  scopesGrantedTo,
} from '../../pages/connected-apps/describe-authorization.js';
import { isHighRisk } from '../../pages/consent/decision.js';
import { describeScope } from '../../pages/consent/describe-scopes.js';
import {
  consumeFlash,
  describeDone,
  type Done,
  type DoneTexts,
  takeRefused,
} from '../../pages/form-answers.js';
import {
  describeInvitations,
  describeOwners,
  type Owned,
  type OwnersContext,
  type RefusedInvitation,
} from '../../pages/owner-pages.js';
import type { Translator } from '../../pages/rendering/translator.js';
import type { Server } from '../../server/server.js';
import { pathOf, urlOf } from '../../settings/endpoint-urls.js';
import { isSameResource } from '../../shared/protocol/resource.js';
import type { TokensOf } from '../../storage/grants/named-token-steps.js';
import { DEFAULT_OVERLAP, type PersonalAccessTokenSettings } from './options.js';
import { listFresh } from './registry.js';
import { type PersonalAccessToken, toTokenInfo } from './token-info.js';
import { type TokenOwners, toSharedOwnership } from './token-owners.js';
import { noSuchToken, type TokenService } from './token-service.js';

export type TokensContext = Server &
  OwnersContext & {
    readonly options: PersonalAccessTokenSettings;
    readonly service: TokenService;
    readonly ownership: TokenOwners;
  };

export function pathOfNew({ root }: TokensContext, kind: NamedTokenKind): string {
  return kind === 'service' ? `${root}/new?kind=service` : `${root}/new`;
}

const NOTES: DoneTexts = {
  narrowed: { withName: 'authorization.narrowed' },
  unchanged: { withoutName: 'authorization.unchanged' },
  already_made: { withoutName: 'tokens.alreadyMade' },
  rotated_meanwhile: { withoutName: 'tokens.rotatedMeanwhile' },
  invited: { withoutName: 'tokens.nowInvited' },
  withdrawn: { withoutName: 'owners.nowWithdrawn' },
  accepted: { withoutName: 'tokens.nowOwner' },
  ownerremoved: { withoutName: 'tokens.ownerRemoved' },
  lastowner: { withoutName: 'tokens.lastOwner' },
};
const LIST_NOTES: DoneTexts = {
  revoked: { withName: 'tokens.revoked' },
  revoked_all: { withoutName: 'tokens.revokedAll' },
  left: { withName: 'tokens.left' },
  declined: { withoutName: 'owners.nowDeclined' },
  invitationgone: { withoutName: 'owners.gone' },
  ownersfull: { withoutName: 'tokens.tooManyOwners' },
  toomanytokens: { withoutName: 'tokens.tooManyToAccept' },
};

/** A service token; all owners have the same rights. */
export function toOwnedToken(grant: Grant, { userId }: Visit): Owned {
  return {
    id: grant.grantId,
    name: grant.namedToken?.name ?? '',
    shared: toSharedOwnership(grant),
    canShare: true,
    canRemove: () => true,
    by: { userId, isHost: false },
    texts: { 'too-many-owners': 'tokens.tooManyOwners' },
  };
}

/**
 * A token of the user, or a service token that the user owns.
 *
 * @throws OAuthError 404 if there is none
 */
export async function findOwn(
  { models: { grants }, namedTokens }: TokensContext,
  { id, userId, now }: Visit,
): Promise<{ readonly grant: Grant; readonly of: TokensOf }> {
  await namedTokens.flush([id]);
  for (const whose of [{ userId }, { ownerId: userId }]) {
    const grant = await grants.findNamedToken(id, whose, now);
    if (grant !== null) return { grant, of: whose };
  }
  throw noSuchToken();
}

/** The tokens of the user, and the service tokens and applications of their teams. */
export async function showTokens(context: TokensContext, visit: Visit): Promise<void> {
  const { settings, options, clients, ownership, root } = context;
  const { userId, now } = visit;
  const done = consumeFlash(visit, root);
  const [personal, service] = await Promise.all([
    listFresh(context, { userId }),
    listFresh(context, { ownerId: userId }),
  ]);
  // code can make service tokens even if users cannot
  const hasService = options.serviceTokens || service.length > 0;
  // applications with client_credentials are the OAuth equivalent of service tokens
  const owned = hasService ? await clients.listOfOwner(userId) : [];
  const invited =
    settings.people.findByName === undefined ? [] : await ownership.listInvitations(userId, now);
  const invitations = await describeInvitations(
    context,
    invited.map(({ thing: { grant }, invitation }) => ({
      id: grant.grantId,
      name: grant.namedToken?.name ?? '',
      invitation,
    })),
  );
  await renderAccountPage(context, visit, {
    view: 'access-tokens',
    locals(translator) {
      const describe = (grant: Grant) => describeToken(context, toTokenInfo(grant), translator);
      return {
        title: translator.text('tokens.title'),
        note: describeDone(done, LIST_NOTES, translator),
        tokens: personal.map(describe),
        service: service.map(describe),
        apps: owned
          .filter(({ grantTypes }) => grantTypes.includes('client_credentials'))
          .map(({ clientId, name }) => ({
            name,
            href: `${pathOf(settings, 'applications')}/${encodeURIComponent(clientId)}`,
          })),
        invitations: invitations(translator),
        hasService,
        canMakeService: options.serviceTokens,
        paths: {
          new: pathOfNew(context, 'personal'),
          newService: pathOfNew(context, 'service'),
          revokeAll: `${root}/revoke-all`,
        },
      };
    },
  });
}

/** A token in a list. */
function describeToken(
  context: TokensContext,
  token: PersonalAccessToken,
  { moment, day, locale }: Translator,
) {
  const { settings } = context;
  const { id, name, purpose, resource, blocked, expiresAt, lastUsedOn } = token;
  return {
    id,
    href: accountPath(context, id),
    name,
    isService: token.kind === 'service',
    blocked: blocked && { ...blocked, since: moment(blocked.at) },
    purpose,
    scopes: token.scopes.map((scope) => describeScope(settings.scopes, scope, locale)),
    resource: resource && (settings.resources.get(resource)?.name ?? resource),
    made: day(token.createdAt),
    expires: expiresAt === null ? undefined : day(expiresAt),
    used: lastUsedOn && day(lastUsedOn),
    usedFrom: token.lastUsedFrom,
  };
}

export async function showToken(context: TokensContext, visit: Visit): Promise<void> {
  const { grant } = await findOwn(context, visit);
  const path = accountPath(context, visit.id);
  // two forms of the page can be refused
  const refused = takeRefused<'nothingLeft' | RefusedInvitation>(visit, path);
  await renderToken(context, visit, {
    token: toTokenInfo(grant),
    rotations: grant.namedToken?.rotations,
    done: consumeFlash(visit, path),
    grant,
    isNothingLeft: refused === 'nothingLeft',
    refusedInvitation: refused === 'nothingLeft' ? undefined : refused,
  });
}

interface DisplayedToken {
  readonly token: PersonalAccessToken;
  readonly rotations?: number;
  /** Present only in the response to the form that made the value. */
  readonly value?: string;
  readonly status?: number;
  readonly done?: Done;
  readonly isNothingLeft?: boolean;
  /** The grant of the token, for the list of owners. */
  readonly grant?: Grant;
  /** The input of a refused invitation. */
  readonly refusedInvitation?: RefusedInvitation;
  readonly isOutOfDate?: boolean;
}

export async function renderToken(
  context: TokensContext,
  visit: Visit,
  displayed: DisplayedToken,
): Promise<void> {
  const { settings, root, models } = context;
  const { token, value, isNothingLeft = false, grant, refusedInvitation } = displayed;
  const { id, kind, clientId, name, scopes, resource, formerExpiresAt, rotatedAt, blocked } = token;
  const path = accountPath(context, id);
  // events of a service token have no user
  const userId = kind === 'service' ? undefined : visit.userId;
  // the default text, "You took something back", may be wrong: another owner or code may have narrowed the token
  const activity = { userId, clientId, except: 'authorization.didNarrow' } as const;
  const acts = await findActivity(context, visit, activity);
  const stored = kind === 'service' ? (grant ?? (await models.grants.find(id))) : null;
  // the owners of a blocked token cannot change
  const isFree = blocked === undefined;
  const owners =
    stored &&
    (await describeOwners(
      context,
      visit,
      { ...toOwnedToken(stored, visit), canShare: isFree, canRemove: () => isFree },
      refusedInvitation,
    ));
  const granted = scopesGrantedTo(scopes, settings);
  const authorization = { clientId, name, scopes, bound: token };
  await renderAccountPage(context, visit, {
    view: 'access-token',
    isOutOfDate: displayed.isOutOfDate,
    isRefused: isNothingLeft || refusedInvitation !== undefined,
    status: displayed.status,
    hasScript: true,
    locals: async (translator) => {
      const { text, moment, span } = translator;
      return {
        title: name,
        note: describeDone(displayed.done, NOTES, translator),
        value,
        curl: value && curlFor(context, resource),
        rotations: displayed.rotations ?? 0,
        ...describeToken(context, token, translator),
        former: formerExpiresAt && formerExpiresAt > visit.now ? moment(formerExpiresAt) : undefined,
        rotated: rotatedAt && moment(rotatedAt),
        owners: owners && {
          ...owners(translator),
          meaning: text('tokens.ownersMeaning'),
          personMeaning: text('tokens.personMeaning'),
          showsIds: false,
          notes: [],
        },
        // every scope can be removed, even one that apps need
        granted: describeGranted(granted, settings, translator).map((each) => ({
          ...each,
          isOptional: true,
        })),
        canNarrow: granted.length > 1,
        hasHighRisk: scopes.some((scope) => isHighRisk(settings, scope)),
        nothingLeft: isNothingLeft ? text('authorization.nothingLeft') : undefined,
        bound: await describeBound(authorization, visit, settings, translator),
        overlap: span(DEFAULT_OVERLAP),
        activity: describeActivity(acts, translator),
        paths: {
          list: root,
          scopes: `${path}/scopes`,
          rotate: `${path}/rotate`,
          revoke: `${path}/revoke`,
          invite: `${path}/invite`,
          withdraw: `${path}/withdraw`,
        },
      };
    },
  });
}

/**
 * A shell command that reads the token from the terminal, so that the shell's history lacks it. The command calls the
 * resource of the token, or the endpoint that describes the token.
 */
function curlFor({ settings }: TokensContext, resource: string | undefined): string {
  const isElsewhere = resource !== undefined && !isSameResource(resource, settings.issuer);
  const url = isElsewhere ? resource : urlOf(settings, 'personal-access-token');
  // single quotes make the URL one argument; %27 replaces quotes in it
  return `read -rs TOKEN; curl -H "Authorization: Bearer $TOKEN" '${new URL(url).href.replaceAll("'", '%27')}'`;
}
