import type { AuthorizationServer } from '../authorization-server.js';
import type { NewGrantOptions } from '../core/grants/programmatic-grants.js';
import type { NoInfer } from '../settings/table/option.js';
import { OAuthError } from '../shared/errors.js';
import type { ScopeName, WithScopeNames } from '../shared/protocol/scope.js';
import { OPENID_SCOPES } from '../shared/protocol/standard-claims.js';
import type { TokenKind } from '../shared/protocol/token-kind.js';
import { checkForTests } from './for-tests.js';

/** The user, client and scopes of a token; the members are those of `oauth.grants.create`. */
export type AccessTokenOptions = Partial<
  Pick<
    NewGrantOptions,
    'userId' | 'scopes' | 'clientId' | 'resource' | 'authorizationDetails' | 'authentication' | 'kind'
  >
>;

/** Headers of a request: `request(app).get('/api/photos').set(await actingAs(oauth, 'ada'))`. */
// no interface: only a type alias is assignable to a type of any headers
export type Authorized = { readonly Authorization: string };

/** The default client for tests. */
const CLIENT = {
  clientId: 'tests',
  name: 'Tests',
  redirectUris: ['http://127.0.0.1/callback'],
};

/**
 * Makes a real access token with a stored grant, so guards, introspection and revocation work with it. Without
 * `clientId` the client is `tests`, which is registered at its first use.
 *
 * @param oauth the result of `authorizationServer`
 * @param options without `userId` the client acts for itself; default of `scopes`: those of a request without `scope`
 * @throws Error if `NODE_ENV` is `production`; also the errors of `oauth.grants.create`
 */
export async function accessToken<Scopes extends string>(
  oauth: AuthorizationServer<Scopes>,
  options: WithScopeNames<AccessTokenOptions, NoInfer<Scopes>> = {},
): Promise<string> {
  return create('accessToken', oauth, options);
}

/**
 * The headers of a request by a client on behalf of a user.
 *
 * @param userId the user's id, as in `req.auth.userId`
 * @param scopes default: those of a request without `scope`, or all that a personal token can have
 * @param options `{ kind: 'device' }` for a token of a device; `{ kind: 'personal' }` for a personal access token, `{
 * kind: 'service' }` for a service token that the user owns, and that acts for nobody; these two need the option
 * `personalAccessTokens`
 * @throws as `accessToken`
 */
export async function actingAs<Scopes extends string>(
  oauth: AuthorizationServer<Scopes>,
  userId: string,
  scopes?: readonly ScopeName<NoInfer<Scopes>>[],
  { kind = 'app' }: ActingOptions = {},
): Promise<Authorized> {
  // without a user, the client would act for itself
  if (typeof userId !== 'string') throw new TypeError('actingAs: userId must be text');
  if (kind !== 'personal' && kind !== 'service')
    return headers(await create('actingAs', oauth, { userId, kind, ...(scopes && { scopes }) }));
  checkForTests('actingAs');
  const possible = oauth.clients.limits.scopes.filter(
    (scope) => !('userinfo' in oauth.endpoints) || !OPENID_SCOPES.some((name) => name === scope),
  );
  const { token } = await oauth.personalAccessTokens.create({
    ...(kind === 'personal' ? { userId } : { owners: [userId] }),
    name: 'Tests',
    scopes: scopes ?? possible,
  });
  return headers(token);
}

/**
 * The headers of a request by a client that acts for itself.
 *
 * @param clientId of a confidential client
 * @param scopes default: those of a request without `scope`
 * @throws as `accessToken`
 */
export async function actingAsClient<Scopes extends string>(
  oauth: AuthorizationServer<Scopes>,
  clientId: string,
  scopes?: readonly ScopeName<NoInfer<Scopes>>[],
): Promise<Authorized> {
  if (typeof clientId !== 'string') throw new TypeError('actingAsClient: clientId must be text');
  return headers(await create('actingAsClient', oauth, { clientId, ...(scopes && { scopes }) }));
}

/** The kind of token in the request. */
export interface ActingOptions {
  /** Default: `app`. */
  readonly kind?: TokenKind;
}

const headers = (token: string): Authorized => ({ Authorization: `Bearer ${token}` });

async function create(
  functionName: string,
  oauth: AuthorizationServer,
  { clientId, ...options }: AccessTokenOptions,
): Promise<string> {
  checkForTests(functionName);
  if (typeof (oauth as Partial<AuthorizationServer> | undefined)?.grants?.create !== 'function')
    throw new TypeError(`${functionName}: the first argument must be what authorizationServer() gave`);
  const { clients } = oauth;
  // looked up each time, because tests empty their database
  if (clientId === undefined && (await clients.find(CLIENT.clientId)) === null) {
    await clients.create(CLIENT).catch(async (error: unknown) => {
      // a concurrent call was faster
      if (!(error instanceof OAuthError) || (await clients.find(CLIENT.clientId)) === null) throw error;
    });
  }
  const created = await oauth.grants.create({ ...options, clientId: clientId ?? CLIENT.clientId });
  return created.accessToken;
}
