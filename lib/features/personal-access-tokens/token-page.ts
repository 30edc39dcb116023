import { isHighRisk } from '../../core/authorization/decision.js';
import type { Grant } from '../../core/grants/grant.js';
import type { TokensOf } from '../../core/grants/grant-store.js';
import { personalCsrfTokenOf } from '../../core/http/csrf.js';
import type { RequestContext } from '../../core/http/handle.js';
import { describeActivity, findActivity } from '../../pages/connected-apps/activity.js';
import { describeGranted, scopesGrantedTo } from '../../pages/connected-apps/app-scopes.js';
import { describeBound } from '../../pages/connected-apps/describe-bound.js';
import { mayRegister } from '../../pages/connected-apps/list-page.js';
import { consumeFlash, describeDone, type Done, type DoneTexts } from '../../pages/flash-message.js';
import { accountNavigation } from '../../pages/navigation.js';
import { describeOwners, type RefusedInvitation } from '../../pages/owners/describe-owners.js';
import { userIdOf, userNameOf } from '../../pages/person.js';
import { REFUSED_STATUS, takeRefused } from '../../pages/refused-forms.js';
import type { Translator } from '../../pages/rendering/translator.js';
import { pathOf, urlOf } from '../../settings/endpoint-urls.js';
import { isSameResource } from '../../shared/protocol/resource.js';
import { describeToken } from './describe-token.js';
import { type PersonalAccessToken, toTokenInfo } from './token-info.js';
import { sharedOf } from './token-owners.js';
import { noSuchToken } from './token-service.js';
import { pathOfToken, type TokensContext } from './tokens-context.js';

const NOTES: DoneTexts = {
  narrowed: { named: 'authorization.narrowed' },
  unchanged: { unnamed: 'authorization.unchanged' },
  already_made: { unnamed: 'tokens.alreadyMade' },
  rotated_meanwhile: { unnamed: 'tokens.rotatedMeanwhile' },
  invited: { unnamed: 'tokens.nowInvited' },
  withdrawn: { unnamed: 'owners.nowWithdrawn' },
  accepted: { unnamed: 'tokens.nowOwner' },
  ownerremoved: { unnamed: 'tokens.ownerRemoved' },
  lastowner: { unnamed: 'tokens.lastOwner' },
};

/** A token of the user, or a service token that they look after. */
export interface OwnToken {
  readonly grant: Grant;
  readonly of: TokensOf;
}

/** @throws OAuthError 404 if there is none, or it is somebody else's */
export async function findOwn(
  { models: { grants }, tokenUses, settings }: TokensContext,
  { req, now }: Pick<RequestContext, 'req' | 'now'>,
  id: string,
): Promise<OwnToken> {
  const userId = userIdOf(settings, req);
  if (tokenUses.isWaiting([id])) await tokenUses.flush([id]);
  for (const whose of [{ userId }, { ownerId: userId }]) {
    const grant = await grants.findNamedToken(id, whose, now);
    if (grant !== null) return { grant, of: whose };
  }
  throw noSuchToken();
}

export async function showToken(
  context: TokensContext,
  requestContext: RequestContext,
  id: string,
): Promise<void> {
  const { req, now } = requestContext;
  const { grant } = await findOwn(context, requestContext, id);
  const address = { path: pathOfToken(context, id), userId: userIdOf(context.settings, req) };
  // of the forms of the page, two can be refused
  const refused = takeRefused<'nothingLeft' | RefusedInvitation>(req, address, now);
  await renderToken(context, requestContext, {
    token: toTokenInfo(grant),
    rotations: grant.namedToken?.rotations ?? 0,
    done: consumeFlash(req, address, now),
    grant,
    isNothingLeft: refused === 'nothingLeft',
    refusedInvitation: refused === 'nothingLeft' ? undefined : refused,
  });
}

export interface DisplayedToken {
  readonly token: PersonalAccessToken;
  readonly rotations?: number;
  /** Present in the one answer to the form that has made it. */
  readonly value?: string;
  readonly status?: number;
  readonly done?: Done | undefined;
  readonly isNothingLeft?: boolean;
  /** What the token was read from, for the users who look after it. */
  readonly grant?: Grant;
  /** What was typed to invite somebody. */
  readonly refusedInvitation?: RefusedInvitation | undefined;
  readonly isOutOfDate?: boolean;
}

export async function renderToken(
  context: TokensContext,
  requestContext: RequestContext,
  displayed: DisplayedToken,
): Promise<void> {
  const { token, rotations = 0, value, status, done, isNothingLeft = false, isOutOfDate = false } = displayed;
  const { settings, options, renderPage, root } = context;
  const { req, res, now } = requestContext;
  const userId = userIdOf(settings, req);
  const path = pathOfToken(context, token.id);
  const isRefused = isNothingLeft || displayed.refusedInvitation !== undefined;
  const [isDeveloper, acts, owners] = await Promise.all([
    mayRegister(context, req, res),
    settings.audit && findActs(context, requestContext, token),
    describeOwnersOf(context, requestContext, displayed),
  ]);
  const { rotationOverlap } = options;
  const { formerExpiresAt } = token;
  const granted = scopesGrantedTo(token.scopes, settings);
  await renderPage(req, res, {
    view: 'access-token',
    status: status ?? (isRefused ? REFUSED_STATUS : 200),
    hasScript: true,
    locals: async (translator) => ({
      title: token.name,
      nav: accountNavigation(isDeveloper, 'access-tokens', settings, translator),
      csrfToken: personalCsrfTokenOf(req, userId),
      note: describeDone(done, NOTES, translator),
      value,
      curl: value && curlFor(context, token),
      rotations,
      ...describeToken(token, { settings, href: path, translator }),
      former: formerExpiresAt && formerExpiresAt > now ? translator.moment(formerExpiresAt) : undefined,
      rotated: token.rotatedAt && translator.moment(token.rotatedAt),
      notice: isOutOfDate ? translator.text('form.outOfDate') : undefined,
      owners: owners?.(translator),
      // each can be taken back, whatever apps need
      granted: describeGranted(granted, settings, translator).map((each) => ({ ...each, isOptional: true })),
      canNarrow: granted.length > 1,
      hasHighRisk: token.scopes.some((scope) => isHighRisk(settings, scope)),
      nothingLeft: isNothingLeft ? translator.text('authorization.nothingLeft') : undefined,
      bound: req.user && (await describeBoundOf(token, { user: req.user, userId }, settings, translator)),
      overlap: rotationOverlap > 0 ? translator.span(rotationOverlap) : undefined,
      activity: acts && describeActivity(acts, translator),
      paths: {
        list: root,
        scopes: `${path}/scopes`,
        rotate: `${path}/rotate`,
        revoke: `${path}/revoke`,
        invite: `${path}/invite`,
        withdraw: `${path}/withdraw`,
      },
      userName: userNameOf(settings, req),
    }),
  });
}

/** Of a service token; each owner has the same rights. Nobody changes the owners of a token that is blocked. */
async function describeOwnersOf(
  { settings, models: { grants } }: TokensContext,
  { req, now }: RequestContext,
  { token, grant, refusedInvitation }: DisplayedToken,
) {
  if (token.kind !== 'service') return undefined;
  const found = grant ?? (await grants.find(token.id));
  const isFree = token.blocked === undefined;
  const describe = await describeOwners(settings, {
    shared: sharedOf(found ?? {}),
    viewerId: userIdOf(settings, req),
    viewerName: userNameOf(settings, req),
    canInvite: isFree,
    canWithdraw: isFree,
    canRemove: () => isFree,
    removalOf: (id) =>
      `${pathOfToken({ root: pathOf(settings, 'access-tokens') }, token.id)}/remove-owner?owner=${encodeURIComponent(id)}`,
    refused: refusedInvitation,
    texts: { 'too-many-owners': 'tokens.tooManyOwners' },
    now,
  });
  return (translator: Translator) => ({
    ...describe(translator),
    meaning: translator.text('tokens.ownersMeaning'),
    personMeaning: translator.text('tokens.personMeaning'),
    showsIds: false,
    notes: [],
  });
}

/**
 * A line for the shell, which asks for the token, so that its history does not have it. The line calls the resource of
 * the token, else `exampleUrl` of the site, else the endpoint that describes the token.
 */
function curlFor({ settings, options }: TokensContext, { resource }: PersonalAccessToken): string {
  const isElsewhere = resource !== undefined && !isSameResource(resource, settings.issuer);
  const url = isElsewhere ? resource : (options.exampleUrl ?? urlOf(settings, 'personal-access-token'));
  // one that is in quotes is one word of a shell; no URL has a quote in it
  return `read -rs TOKEN; curl -H "Authorization: Bearer $TOKEN" '${new URL(url).href.replaceAll("'", '%27')}'`;
}

function describeBoundOf(
  { clientId, name, scopes, authorizationDetails, choices, createdAt }: PersonalAccessToken,
  person: { readonly user: Express.User; readonly userId: string },
  settings: TokensContext['settings'],
  translator: Translator,
) {
  return describeBound(
    {
      clientId,
      name,
      scopes,
      resources: [],
      since: createdAt,
      hasDevice: false,
      hasWaitingDevice: false,
      bound: { authorizationDetails, choices },
    },
    person,
    settings,
    translator,
  );
}

/** The rest of the page is right without it, too. */
async function findActs(
  { audit, report, settings }: TokensContext,
  { req, res, now }: RequestContext,
  { clientId, kind }: PersonalAccessToken,
) {
  try {
    // events of a service token name nobody
    const whose = kind === 'service' ? { clientId } : { userId: userIdOf(settings, req), clientId };
    return await findActivity(audit, { ...whose, now });
  } catch (failure) {
    report(failure, { endpoint: 'access-tokens', req, res });
    return undefined;
  }
}
