import { clockDetail } from '../../shared/clock-tolerance.js';
import { sendRequest } from '../../shared/outbound/send-request.js';
import type { AccessToken } from './access-token.js';
import { parseAuthenticationClaims } from './authentication-claims.js';
import { parseDetailClaims } from './detail-claims.js';
import { isSameOrigin, type IssuerMetadata } from './discovery.js';
import {
  createIntrospectionCredentials,
  type IntrospectingClient,
  type IntrospectionCredentials,
} from './introspection-credentials.js';
import { parseActorClaim, parseConfirmationClaim, parseTokenKind, spellingsOf } from './jwt-verifier.js';
import { unavailable } from './unavailable.js';
import { invalidToken, type VerifyUncached } from './verify-access-token.js';

export interface IntrospectionVerifierOptions {
  readonly issuer: string;
  readonly resource: string;
  readonly discover: () => Promise<IssuerMetadata>;
  readonly client: IntrospectingClient;
  /** As an option names it; undefined: the one in the metadata, at the issuer's origin. */
  readonly introspectionEndpoint: string | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  /** Seconds. */
  readonly clockTolerance: number;
}

type IntrospectionResponse = Readonly<Record<string, unknown>>;

/**
 * Verifies opaque tokens by introspection at the authorization server.
 *
 * @see RFC 7662 §2, §4
 */
export function createIntrospectionVerifier(options: IntrospectionVerifierOptions): VerifyUncached {
  const createCredentials = createIntrospectionCredentials(options.client, options.issuer);
  return async (token, now) => {
    const response = await introspect(options, createCredentials, token);
    return { auth: { ...accessTokenFromResponse(response, { ...options, now }), token } };
  };
}

async function introspect(
  options: IntrospectionVerifierOptions,
  createCredentials: () => Promise<IntrospectionCredentials>,
  token: string,
): Promise<IntrospectionResponse> {
  const { timeout } = options;
  const introspectionEndpoint = options.introspectionEndpoint ?? (await findEndpoint(options));
  try {
    const { headers, fields } = await createCredentials();
    const request = {
      method: 'POST',
      headers: { ...headers, Accept: 'application/json' },
      body: new URLSearchParams({ token, token_type_hint: 'access_token', ...fields }),
    };
    const response = await sendRequest(introspectionEndpoint, request, timeout);
    if (!response.ok) throw new Error(`${introspectionEndpoint} answered ${response.status}`);
    return (await response.json()) as IntrospectionResponse;
  } catch (cause) {
    throw unavailable('introspection failed', cause);
  }
}

/**
 * RFC 8414 §2 lets the endpoint be anywhere. Our credentials and users' tokens go only to the issuer's own origin,
 * which the site has named. Somebody who can change one document there, or a cached copy of it, must not have them sent
 * elsewhere.
 */
async function findEndpoint({ discover, issuer }: IntrospectionVerifierOptions): Promise<string> {
  const { introspectionEndpoint } = await discover();
  if (introspectionEndpoint === undefined)
    throw unavailable('the authorization server has no introspection_endpoint');
  if (!isSameOrigin(introspectionEndpoint, issuer))
    throw unavailable(
      `the introspection_endpoint ${introspectionEndpoint} is at another origin than the issuer; if it is the right one, name it: the option introspectionEndpoint`,
    );
  return introspectionEndpoint;
}

/** Why the token is not one for this resource server, or undefined if it is. */
function findProblem(
  { active, token_type: type, iss, ...claims }: IntrospectionResponse,
  { issuer, resource }: IntrospectionVerifierOptions,
): string | undefined {
  if (active !== true) return 'not active';
  // a refresh token can be active, too, but is no access token
  if (!isAccessTokenType(type, claims.cnf)) return 'not an access token';
  if (iss !== undefined && iss !== issuer) return 'of another issuer';
  return isFor(claims, resource) ? undefined : `not for ${resource}`;
}

/** RFC 9449 §6.2: a token that is bound says to which key. */
function isAccessTokenType(type: unknown, cnf: unknown): boolean {
  const name = typeof type === 'string' ? type.toLowerCase() : '';
  return name === 'bearer' || (name === 'dpop' && cnf !== undefined);
}

/** What the guard needs of the response; the token is added by the caller. */
function accessTokenFromResponse(
  response: IntrospectionResponse,
  options: IntrospectionVerifierOptions & { readonly now: Date },
): Omit<AccessToken, 'token'> {
  const problem = findProblem(response, options);
  if (problem !== undefined) throw invalidToken(problem);
  const { client_id: clientId, sub, scope, exp, cnf, act, may_act: mayAct } = response;
  if (typeof clientId !== 'string' || typeof exp !== 'number') throw invalidToken('without client_id or exp');
  // the clock of the server that answers is not ours, as with the exp of a JWT
  if (exp <= options.now.getTime() / 1000 - options.clockTolerance)
    throw invalidToken(`expired: ${clockDetail('exp', exp, options)}`);
  return {
    kind: parseTokenKind(response.token_kind),
    clientId,
    scopes: typeof scope === 'string' ? scope.split(' ') : [],
    expiresAt: exp,
    resource: new URL(options.resource),
    ...(typeof sub === 'string' && sub !== clientId && { userId: sub }),
    ...parseDetailClaims(response),
    ...parseAuthenticationClaims(response),
    ...parseActorClaim(act),
    ...(cnf !== undefined && { cnf: parseConfirmationClaim(cnf) }),
    // in `extra`, as it is for a JWT
    ...(mayAct !== undefined && { extra: { may_act: mayAct } }),
  };
}

/** RFC 7662 §4: a token without an audience may be for another resource, so it is refused. */
function isFor({ aud }: IntrospectionResponse, resource: string): boolean {
  const spellings = spellingsOf(resource);
  return [aud].flat().some((audience) => typeof audience === 'string' && spellings.includes(audience));
}
