import { Router, type Request } from 'express';
import type { ClientAuthentication } from '../client-authentication/index.js';
import type { ClientAuthenticationRequest } from '../client-authentication/method.js';
import { OAuthError } from '../errors.js';
import type { GrantType, TokenRequest } from '../grant-types/grant-type.js';
import { createFailureLimit, failureKey, type FailureLimit } from '../http/failure-limit.js';
import { formBody } from '../http/form-body.js';
import { handle } from '../http/handle.js';
import { jsonError, sendJson } from '../http/json-error.js';
import { refuseOtherMethods } from '../http/methods.js';
import { queryOf } from '../http/query.js';
import type { Report } from '../http/report.js';
import { secureTransport } from '../http/secure-transport.js';
import type { StoredClient } from '../models/clients.js';
import { parseParameters, requireParameter } from '../protocol/parameters.js';
import type { Settings } from '../settings.js';
import type { TokenResponse } from '../tokens/token-issuer.js';

export interface TokenEndpointDependencies {
  readonly settings: Settings;
  readonly grantTypes: ReadonlyMap<string, GrantType>;
  readonly clientAuthentication: ClientAuthentication;
  /** Parameters that some client authentication method reads. */
  readonly clientParameters: readonly string[];
  readonly report: Report;
}

/**
 * The token endpoint: transport, form, client, grant type, tokens.
 *
 * @see RFC 6749 §3.2, §5
 */
export function createTokenEndpoint(dependencies: TokenEndpointDependencies): Router {
  const { settings, grantTypes, clientParameters, report } = dependencies;
  const known = new Set(['grant_type', ...clientParameters, ...[...grantTypes.values()].flatMap(({ parameters }) => parameters)]);
  const authenticate = limitedAuthentication(dependencies);
  const redeem = limitedGrant(settings);

  const router = Router();
  router.post('/', secureTransport(settings), ...formBody(), handle(async (req, res) => {
    refuseQuery(req, known);
    const parameters = parseParameters(req.body, known);
    const name = requireParameter(parameters, 'grant_type');
    const client = await authenticate(req, { authorization: authorizationOf(req), parameters });
    sendJson(res, await redeem(req, selectGrantType(grantTypes, name, client), { client, parameters }));
  }));
  // RFC 6749 §3.2: the client MUST use the HTTP POST method
  router.all('/', refuseOtherMethods('POST'));
  router.use(jsonError('token', report));
  return router;
}

function selectGrantType(grantTypes: ReadonlyMap<string, GrantType>, name: string, client: StoredClient): GrantType {
  const grantType = grantTypes.get(name);
  if (grantType === undefined) throw new OAuthError('unsupported_grant_type', 'the grant type is not supported by this server');
  if (!client.grantTypes.includes(name)) throw new OAuthError('unauthorized_client', 'the client is not registered for this grant type');
  return grantType;
}

/** RFC 6749 §2.3.1: MUST be protected against brute force attacks; counted per address and client. */
function limitedAuthentication({ settings: { rateLimits }, clientAuthentication }: TokenEndpointDependencies) {
  const limit = createFailureLimit(rateLimits && { failures: rateLimits.token, window: 60 });
  return async (req: Request, request: ClientAuthenticationRequest): Promise<StoredClient> => {
    const key = failureKey(req, clientAuthentication.claimedClientId(request) ?? '');
    return countingFailures({ limit, key, code: 'invalid_client' }, () => clientAuthentication.authenticate(request));
  };
}

/** RFC 6749 §4.3.2, §10.10: the same for what a person chose, per address and user name. */
function limitedGrant({ rateLimits }: Settings) {
  const limit = createFailureLimit(rateLimits && { failures: rateLimits.login, window: 15 * 60 });
  return async (req: Request, grantType: GrantType, request: TokenRequest): Promise<TokenResponse> => {
    const guessed = grantType.guessedFor === undefined ? undefined : request.parameters[grantType.guessedFor];
    if (guessed === undefined) return grantType.handle(request);
    return countingFailures({ limit, key: failureKey(req, guessed), code: 'invalid_grant' }, () => grantType.handle(request));
  };
}

async function countingFailures<T>(counted: { limit: FailureLimit; key: string; code: string }, attempt: () => Promise<T>): Promise<T> {
  await counted.limit.check(counted.key);
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof OAuthError && error.error === counted.code) await counted.limit.count(counted.key);
    throw error;
  }
}

/** RFC 6749 §2.3.1, §3.2: parameters go into the body; a secret in a URL ends up in logs, so it is never taken from there. */
function refuseQuery(req: Request, known: ReadonlySet<string>): void {
  if (Object.keys(queryOf(req)).some((name) => known.has(name))) {
    throw new OAuthError('invalid_request', 'parameters of the token endpoint belong in the request body, not in the URL');
  }
}

/** Node keeps the first of several Authorization headers: which one counts must not be a guess. */
function authorizationOf(req: Request): string | undefined {
  const [authorization, ...more] = req.headersDistinct.authorization ?? [];
  if (more.length > 0) throw new OAuthError('invalid_request', 'more than one Authorization header');
  return authorization;
}
