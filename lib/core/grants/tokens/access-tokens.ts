import { randomBytes } from 'node:crypto';

import type { JWTPayload } from 'jose';

import type { Settings } from '../../../settings/settings.js';
import {
  createToken,
  hashSecret,
  type NewToken,
  parseToken,
  type PresentedToken,
} from '../../../shared/crypto/secrets.js';
import { OAuthError, unexpectedCondition } from '../../../shared/errors.js';
import { createCache } from '../../../shared/lru-cache.js';
import { formatScope } from '../../../shared/protocol/scope.js';
import { withoutUndefined } from '../../../shared/without-undefined.js';
import type { SigningKeys } from '../../keys/signing-keys.js';
import { toConfirmation } from '../../proof-of-possession/binding.js';
import type { UserAuthentication } from '../../sessions/user-authentication.js';
import type { TokenPlan } from './token-plan.js';

/** Generates access tokens, opaque or JWT. Reads both, and tokens that were migrated from another server. */
export type AccessTokens = ReturnType<typeof createAccessTokens>;

/** Reads a token of another form; null if the text cannot be one. */
export type ReadToken = (token: string) => PresentedToken | null | Promise<PresentedToken | null>;

/** A valid token that is not stored: signed by this server, and not expired. */
export interface StatelessToken {
  readonly claims: JWTPayload & { readonly exp: number; readonly client_id: string; readonly aud: string };
}

export function isStateless(presented: PresentedToken | StatelessToken | null): presented is StatelessToken {
  return presented !== null && 'claims' in presented;
}

const SECRET_BYTES = 16;
const CACHED_JWTS = 10_000;
/** Older entries were checked with another list of keys. */
const CACHED_SECONDS = 60;
/** The grant's id and the token's secret, as in opaque tokens. */
const JWT_ID = /^([A-Za-z0-9_-]{22})([A-Za-z0-9_-]{22})$/;
/**
 * The `jti` of a token that is not stored: a dot, and an id that only events use. The form decides, not the option, so
 * a stored token is looked up even if its resource becomes stateless.
 */
const STATELESS_ID = /^\.[A-Za-z0-9_-]{22}$/;
/**
 * Reserved claims; `tokens.accessTokenClaims` cannot set them. RFC 9068 §2.2, RFC 7519 §4.1, RFC 7800 §3.1. Claims of a
 * feature are reserved even while it is off: guards of other processes read them without this server's options.
 */
const RESERVED_CLAIMS = [
  'iss',
  'exp',
  'nbf',
  'aud',
  'sub',
  'client_id',
  'iat',
  'jti',
  'scope',
  'authorization_details',
  'authorization_choices',
  'cnf',
  'token_kind',
  'act',
  'may_act',
];

/** Reserved as well if tokens say how users logged in: a route would believe the site's values. RFC 9470 §6.1 */
const AUTHENTICATION_CLAIMS = ['auth_time', 'acr', 'amr'];

type AccessTokenSettings = Pick<Settings, 'issuer' | 'resources' | 'tokens' | 'stepUp'>;

export function createAccessTokens(
  settings: AccessTokenSettings,
  keys: SigningKeys,
  readOthers: readonly ReadToken[],
) {
  // caches valid signatures until their key is revoked: the keys are read again each minute. Whether a stored token is
  // alive is read from the database each time
  type Verified = { readonly presented: PresentedToken | StatelessToken; readonly by: unknown };
  const verifiedJwts = createCache<Verified>({ size: CACHED_JWTS, ttl: CACHED_SECONDS });

  const readJwt = async (token: string, now: Date): Promise<PresentedToken | StatelessToken | null> => {
    const key = hashSecret(token);
    const by = await keys.current();
    const cached = verifiedJwts.get(key);
    if (cached?.by === by) {
      const { presented } = cached;
      // whether a stored token has expired is checked in the database
      const isExpired = isStateless(presented) && presented.claims.exp * 1000 <= now.getTime();
      return isExpired ? null : presented;
    }
    const claims = await keys.verify(token, {
      issuer: settings.issuer,
      typ: 'at+jwt',
      requiredClaims: ['exp', 'jti'],
      currentDate: now,
    });
    if (claims === null) return null;
    // this server made the claims; they say where the token is stored
    const { jti = '' } = claims;
    const [, grantId, secret] = JWT_ID.exec(jti) ?? [];
    let presented: PresentedToken | StatelessToken;
    if (STATELESS_ID.test(jti)) presented = { claims: claims as StatelessToken['claims'] };
    else if (grantId !== undefined && secret !== undefined) presented = { grantId, hash: hashJwtId(secret) };
    else return null;
    verifiedJwts.set(key, { presented, by });
    return presented;
  };

  return {
    /**
     * @param subject the `sub` by which the client knows the user; undefined if the client acts for itself
     * @throws OAuthError invalid_grant if the user has the id of the client
     */
    async create(plan: TokenPlan, subject: string | undefined): Promise<NewToken> {
      const { grantId, resource } = plan;
      const { clientId } = plan.client;
      // RFC 9700 §4.15.1: resource servers must be able to tell the tokens of a client from those of people. A token whose
      // subject is the client's id is the client's own, so no user may have that id
      if (plan.authorization.userId === clientId)
        throw new OAuthError('invalid_grant', 'the user has the id of the client', {
          detail: `the user and the client are both called ${clientId}: people.id should give ids that nobody chooses`,
        });
      const format =
        settings.resources.get(resource ?? '')?.accessTokenFormat ?? settings.tokens.accessTokenFormat;
      return format === 'jwt'
        ? createJwt(settings, keys, { plan, subject })
        : createToken('accessToken', grantId);
    },
    /** The grant and hash of a stored token, or the claims of a stateless one; null if the text is no access token. */
    async read(token: string, now: Date): Promise<PresentedToken | StatelessToken | null> {
      // the opaque form first: to read a JWT takes longer, and no token has both forms
      const issued = parseToken('accessToken', token) ?? (isJwt(token) ? await readJwt(token, now) : null);
      if (issued !== null) return issued;
      for (const readOther of readOthers) {
        const presented = await readOther(token);
        if (presented !== null) return presented;
      }
      return null;
    },
  };
}

/** RFC 7515 §3.1: three parts in base64url, the last one empty if nothing signs it. */
export function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}

/** RFC 9068 §2 */
async function createJwt(
  settings: AccessTokenSettings,
  keys: SigningKeys,
  { plan, subject }: { readonly plan: TokenPlan; readonly subject: string | undefined },
): Promise<NewToken> {
  const { grantId, scopes, authorizationDetails, proof, kind, now } = plan;
  const { clientId } = plan.client;
  const { choices, authentication, actor, mayAct } = plan.authorization;
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const value = await keys.sign('at+jwt', {
    ...(await hostClaims(settings, plan)),
    iss: settings.issuer,
    exp: seconds(plan.accessTokenExpiresAt),
    // RFC 9068 §3: the resource of the request, else the default resource: the API of this server
    aud: plan.resource ?? settings.issuer,
    // RFC 9068 §2.2: without a resource owner, an identifier of the client
    sub: subject ?? clientId,
    client_id: clientId,
    iat: seconds(now),
    jti: plan.isStateless ? `.${grantId}` : `${grantId}${secret}`,
    scope: scopes.length > 0 ? formatScope(scopes) : undefined,
    // RFC 9396 §9.1
    authorization_details: authorizationDetails.length > 0 ? authorizationDetails : undefined,
    authorization_choices: choices,
    ...authenticationClaims(authentication),
    // RFC 8693 §4.1, §4.4
    act: actor,
    may_act: toMayAct(mayAct),
    // RFC 9449 §6.1, RFC 8705 §3.1
    ...(proof && toConfirmation(proof)),
    token_kind: kind === 'app' ? undefined : kind,
  });
  return { value, hash: hashJwtId(secret) };
}

/** RFC 9470 §6.1, RFC 9068 §2.2.1; RFC 9470 §6.2 uses the same names for an introspection. */
export function authenticationClaims({ authTime, acr, amr }: Partial<UserAuthentication> = {}): object {
  return withoutUndefined({ auth_time: authTime, acr, amr });
}

/** RFC 8693 §4.4: the claim names one party. Several parties are stored on this server only. */
export function toMayAct([sub, ...more]: readonly string[] = []): { readonly sub: string } | undefined {
  return sub === undefined || more.length > 0 ? undefined : { sub };
}

/** The prefix keeps a leaked `jti` from being accepted as an opaque token. */
function hashJwtId(secret: string): string {
  return `jwt:${hashSecret(secret)}`;
}

async function hostClaims(
  { tokens: { accessTokenClaims }, stepUp }: AccessTokenSettings,
  { client, authorization: { userId }, scopes, grantType, resource }: TokenPlan,
): Promise<Record<string, unknown>> {
  if (accessTokenClaims === undefined) return {};
  try {
    const claims = await accessTokenClaims({
      client: { clientId: client.clientId, name: client.name },
      ...withoutUndefined({ userId, resource }),
      scopes,
      grantType,
    });
    const reserved = stepUp ? [...RESERVED_CLAIMS, ...AUTHENTICATION_CLAIMS] : RESERVED_CLAIMS;
    return Object.fromEntries(Object.entries(claims).filter(([name]) => !reserved.includes(name)));
  } catch (cause) {
    throw cause instanceof OAuthError ? cause : unexpectedCondition('tokens.accessTokenClaims threw', cause);
  }
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
