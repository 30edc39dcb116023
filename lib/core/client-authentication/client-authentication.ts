import { OAuthError } from '../../shared/errors.js';
import type { FailureReason } from '../../shared/failure-reasons.js';
import type { Client } from '../clients/client.js';
import type { ClientSource, FindClientOptions } from '../clients/client-store.js';
import { invalidClient } from './invalid-client.js';
import type {
  AuthenticationHandler,
  ClientAuthenticationMethod,
  ClientAuthenticationRequest,
  ClientCredentials,
  MethodDependencies,
} from './method.js';

export interface ClientAuthenticationDependencies extends Omit<
  MethodDependencies,
  'otherAlgorithms' | 'otherTypes'
> {
  readonly clients: ClientSource;
}

/** A method that is on. */
type Method = ClientAuthenticationMethod & AuthenticationHandler;

/** The credentials of a request for one method. */
interface PresentedCredentials {
  readonly method: Method;
  readonly credentials: ClientCredentials;
}

/** The client that a request claims to come from, and its credentials; nothing is proven yet. */
export interface ClaimedClient extends PresentedCredentials {
  readonly clientId: string;
  /** Further methods that a request which only names its client may use: the registration of the client decides. */
  readonly alternatives: readonly PresentedCredentials[];
  readonly request: ClientAuthenticationRequest;
}

export interface ClientAuthentication {
  /** The parameters that some method reads. */
  readonly parameters: readonly string[];
  /** @throws OAuthError invalid_client, or invalid_request if more than one method is used (RFC 6749 §2.3) */
  readonly identify: (request: ClientAuthenticationRequest) => ClaimedClient;
  /**
   * Proves that the request comes from the claimed client, and returns that.
   *
   * @throws OAuthError invalid_client
   */
  readonly authenticate: (claimed: ClaimedClient, options?: AuthenticateOptions) => Promise<Client>;
}

export interface AuthenticateOptions extends FindClientOptions {
  /** Called before a secret that could be guessed is tried; throws if too many were wrong. */
  readonly beforeGuess?: () => Promise<void>;
  /** Called once the claimed client is found; nothing is proven yet. */
  readonly onFound?: (client: Client) => void;
}

export function createClientAuthentication(
  enabled: readonly ClientAuthenticationMethod[],
  { clients, ...dependencies }: ClientAuthenticationDependencies,
): ClientAuthentication {
  const methods = enabled.map((method): Method => {
    const others = enabled.filter((other) => other !== method);
    const otherAlgorithms = others.flatMap(({ signingAlgorithms = [] }) => signingAlgorithms);
    const otherTypes = others.flatMap(({ assertionType = [] }) => assertionType);
    return { ...method, ...method.create({ ...dependencies, otherAlgorithms, otherTypes }) };
  });
  const fallbacks = methods.filter(({ isFallback }) => isFallback === true);
  const named = methods.filter(({ isFallback }) => isFallback !== true);
  const find = async (clientId: string, options: FindClientOptions): Promise<Client> => {
    // accept a stale metadata document if the client's server is down
    const client = await clients.find(clientId, { ...options, staleIfError: true });
    if (client === null) throw invalidClient('unknown client', { reason: 'client_unknown' });
    return client;
  };

  /** Why the client has not proven who it is; undefined if it has. */
  const findProblem = async (
    client: Client,
    { request, alternatives, ...claimed }: ClaimedClient,
    { beforeGuess, getCaller }: AuthenticateOptions,
  ): Promise<OAuthError | undefined> => {
    const isItsOwn = (each: PresentedCredentials) =>
      isRegisteredFor(client, each.method) || (client.type === 'public' && namesOnly(each));
    const own = [claimed, ...alternatives].find(isItsOwn);
    if (own === undefined)
      return invalidClient(
        `authenticates by ${claimed.method.name}, is registered for ${client.tokenEndpointAuthMethod ?? 'its secret'}`,
        { reason: 'wrong_authentication_method' },
      );
    const { method, credentials } = own;
    try {
      const isProven = await method.verify(client, credentials, {
        ...request,
        ...(beforeGuess && { beforeGuess }),
        ...(getCaller && { getCaller }),
      });
      if (isProven) return undefined;
      return invalidClient(`wrong or missing credentials by ${method.name}`, {
        reason: reasonOf(client, method, credentials),
      });
    } catch (error) {
      if (error instanceof OAuthError && error.error === 'invalid_client') return error;
      throw error;
    }
  };

  return {
    parameters: methods.flatMap(({ parameters }) => parameters),
    identify(request) {
      const presented = readCredentials(named, request);
      if (presented.length > 1 && !isOneSecret(presented)) throw moreThanOneMethod(request);
      const namesOnlyItself = presented.length === 0 && !triesByHeader(request);
      const [first, ...alternatives] = namesOnlyItself ? readCredentials(fallbacks, request) : presented;
      if (first === undefined)
        throw invalidClient(
          request.authorization === undefined ? 'no credentials' : 'unsupported authorization scheme',
          { reason: 'credentials_missing' },
        );
      const { clientId } = first.credentials;
      if (request.parameters.client_id !== undefined && request.parameters.client_id !== clientId) {
        throw new OAuthError('invalid_request', 'client_id differs from the client that authenticates', {
          reason: 'credentials_ambiguous',
        });
      }
      return { clientId, request, alternatives, ...first };
    },
    async authenticate(claimed, options = {}) {
      const { fresh = true, getCaller } = options;
      const client = await find(claimed.clientId, { fresh, getCaller });
      options.onFound?.(client);
      const problem = await findProblem(client, claimed, options);
      if (problem === undefined) return client;
      // it may have a new secret or new keys
      const current = fresh ? client : await find(claimed.clientId, { fresh: true, getCaller });
      const stillWrong = current === client ? problem : await findProblem(current, claimed, options);
      if (stillWrong !== undefined) throw stillWrong;
      return current;
    },
  };
}

/** Why credentials were refused that are not the client's. */
function reasonOf(
  { type }: Client,
  { signingAlgorithms, requiresExplicitRegistration }: Method,
  presented: ClientCredentials,
): FailureReason {
  // a key is recognized by its signature, and no key of the client has made this one
  if (signingAlgorithms !== undefined) return 'wrong_assertion_signature';
  if (requiresExplicitRegistration === true) return 'client_certificate_wrong';
  // a public client has no secret that could be right (RFC 6749 §2.1)
  if (type === 'public') return 'public_client';
  return (presented.clientSecret ?? '') === '' ? 'client_secret_missing' : 'wrong_client_secret';
}

/**
 * Whether the Authorization header is a try to authenticate the client. Interceptors of clients add an access token to
 * every request, by the schemes of RFC 6750 §2.1 and RFC 9449 §7.1, which no method of client authentication has. If
 * `client_id` is in the body, a header with such a scheme is ignored.
 */
function triesByHeader({ authorization, parameters }: ClientAuthenticationRequest): boolean {
  if (authorization === undefined) return false;
  return parameters.client_id === undefined || !/^ *$|^(?:bearer|dpop)(?: |$)/i.test(authorization);
}

/**
 * Whether a client has sent one secret in both ways of RFC 6749 §2.3.1, as passport-oauth2 does, which always puts it
 * into the body, beside a header that the site has added. Two different ones stay refused.
 */
function isOneSecret(presented: readonly PresentedCredentials[]): boolean {
  const [first, ...others] = presented;
  if (first === undefined || !presented.every(({ method }) => method.credential === 'secret')) return false;
  return secretsOf(first.credentials).some((secret) =>
    others.every(
      ({ credentials }) =>
        credentials.clientId === first.credentials.clientId && secretsOf(credentials).includes(secret),
    ),
  );
}

/**
 * Whether credentials with a secret are the name of a client alone. Libraries send public clients so by HTTP Basic
 * (requests-oauthlib does unless told otherwise), whatever they are registered for, and an empty secret is none.
 *
 * @see RFC 6749 §2.3.1
 */
function namesOnly({ method, credentials }: PresentedCredentials): boolean {
  return method.credential === 'secret' && credentials.clientSecret === '';
}

/** A secret can be read in two ways from HTTP Basic, decoded and undecoded, and in one way from the body. */
function secretsOf({ clientSecret, rawSecret }: ClientCredentials): readonly string[] {
  return [clientSecret, rawSecret].filter((secret) => secret !== undefined);
}

/** RFC 6749 §2.3: the client MUST NOT use more than one authentication method in each request. */
function moreThanOneMethod({ parameters }: ClientAuthenticationRequest): OAuthError {
  const description = 'more than one client authentication method is used';
  const reason = 'credentials_ambiguous';
  // RFC 7521 §4.2.1: if one of them is an assertion, the error MUST be invalid_client
  return parameters.client_assertion === undefined
    ? new OAuthError('invalid_request', description, { reason })
    : invalidClient('an assertion beside other credentials', { reason, description });
}

/** RFC 7591 §2: a client that is registered for a method can use no other, so that a secret cannot replace its keys. */
function isRegisteredFor(
  { tokenEndpointAuthMethod: registered }: Client,
  { name, signingAlgorithms, requiresExplicitRegistration = signingAlgorithms !== undefined }: Method,
): boolean {
  return registered === undefined ? !requiresExplicitRegistration : registered === name;
}

function readCredentials(
  methods: readonly Method[],
  request: ClientAuthenticationRequest,
): readonly PresentedCredentials[] {
  return methods.flatMap((method) => {
    const credentials = method.read(request);
    return credentials === null ? [] : [{ method, credentials }];
  });
}
