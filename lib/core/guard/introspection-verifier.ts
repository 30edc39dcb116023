import { sendRequest } from '../../shared/outbound/send-request.js';
import type { AccessToken } from './access-token.js';
import { authenticationIn } from './authentication-in.js';
import { detailsIn } from './details-in.js';
import { isSameOrigin, type IssuerMetadata } from './discovery.js';
import { type ClientView, createShowClient, type IntrospectingClient } from './introspecting-client.js';
import { actorIn, confirmationIn, kindIn, spellingsOf } from './jwt-verifier.js';
import { unavailable } from './unavailable.js';
import { invalidToken, type VerifyToken } from './verify-access-token.js';

export interface IntrospectionVerifierOptions {
  readonly issuer: string;
  readonly resource: string;
  readonly discover: () => Promise<IssuerMetadata>;
  readonly client: IntrospectingClient;
  /** As an option names it; undefined: the one in the metadata, at the issuer's origin. */
  readonly introspectionEndpoint: string | undefined;
  /** Milliseconds. */
  readonly timeout: number;
}

type Answer = Readonly<Record<string, unknown>>;

/**
 * Asks the authorization server about opaque tokens.
 *
 * @see RFC 7662 §2, §4
 */
export function createIntrospectionVerifier(options: IntrospectionVerifierOptions): VerifyToken {
  const showClient = createShowClient(options.client, options.issuer);
  return async (token, now) => ({
    auth: { ...toAccessToken(await introspect(options, showClient, token), { ...options, now }), token },
  });
}

async function introspect(
  options: IntrospectionVerifierOptions,
  showClient: () => Promise<ClientView>,
  token: string,
): Promise<Answer> {
  const { timeout } = options;
  const introspectionEndpoint = options.introspectionEndpoint ?? (await findEndpoint(options));
  try {
    const { headers, fields } = await showClient();
    const question = {
      method: 'POST',
      headers: { ...headers, Accept: 'application/json' },
      body: new URLSearchParams({ token, token_type_hint: 'access_token', ...fields }),
    };
    const response = await sendRequest(introspectionEndpoint, question, timeout);
    if (!response.ok) throw new Error(`${introspectionEndpoint} answered ${response.status}`);
    return (await response.json()) as Answer;
  } catch (cause) {
    throw unavailable('introspection failed', cause);
  }
}

/**
 * RFC 8414 §2 lets the endpoint be anywhere. Our credentials and people's tokens go only to the issuer's own origin,
 * which the host has named. Somebody who can change one document there, or a cached copy of it, must not have them sent
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
  { active, token_type: type, iss, ...answer }: Answer,
  { issuer, resource }: IntrospectionVerifierOptions,
): string | undefined {
  if (active !== true) return 'not active';
  // a refresh token can be active, too, but is no access token
  if (!isAccessTokenType(type, answer.cnf)) return 'not an access token';
  if (iss !== undefined && iss !== issuer) return 'of another issuer';
  return isFor(answer, resource) ? undefined : `not for ${resource}`;
}

/** RFC 9449 §6.2: a token that is bound says to which key. */
function isAccessTokenType(type: unknown, cnf: unknown): boolean {
  const name = typeof type === 'string' ? type.toLowerCase() : '';
  return name === 'bearer' || (name === 'dpop' && cnf !== undefined);
}

/** What the guard needs of the answer; the token is added by the caller. */
function toAccessToken(
  answer: Answer,
  options: IntrospectionVerifierOptions & { readonly now: Date },
): Omit<AccessToken, 'token'> {
  const problem = findProblem(answer, options);
  if (problem !== undefined) throw invalidToken(problem);
  const { client_id: clientId, sub, scope, exp, cnf, act, may_act: mayAct } = answer;
  if (typeof clientId !== 'string' || typeof exp !== 'number' || exp <= options.now.getTime() / 1000)
    throw invalidToken('without client_id, or expired');
  return {
    kind: kindIn(answer.token_kind),
    clientId,
    scopes: typeof scope === 'string' ? scope.split(' ') : [],
    expiresAt: exp,
    resource: new URL(options.resource),
    ...(typeof sub === 'string' && sub !== clientId && { userId: sub }),
    ...detailsIn(answer),
    ...authenticationIn(answer),
    ...actorIn(act),
    ...(cnf !== undefined && { cnf: confirmationIn(cnf) }),
    // as of a JWT
    ...(mayAct !== undefined && { extra: { may_act: mayAct } }),
  };
}

/** RFC 7662 §4: without an audience nobody knows whom the token is for, so it is refused. */
function isFor({ aud }: Answer, resource: string): boolean {
  const spellings = spellingsOf(resource);
  return [aud].flat().some((audience) => typeof audience === 'string' && spellings.includes(audience));
}
