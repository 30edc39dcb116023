import { invalidRequest, OAuthError } from '../../shared/errors.js';
import type { FailureReason } from '../../shared/failure-reasons.js';
import {
  type Attempt,
  createFailureLimit,
  failureKey,
  reserveAll,
  type SharedFailures,
} from '../../shared/limits/failure-limit.js';
import { ADDRESS_FACTOR } from '../../shared/limits/guess-limit.js';
import type { Client } from '../clients/client.js';
import type { ClientSource } from '../clients/client-store.js';
import type { RequestOrigin } from '../http/request-origin.js';
import { invalidClient } from './invalid-client.js';
import type {
  AuthenticationHandler,
  ClientAuthenticationMethod,
  ClientAuthenticationRequest,
  ClientCredentials,
  MethodDependencies,
} from './method.js';

export interface ClientAuthenticationDependencies extends MethodDependencies {
  readonly clients: ClientSource;
  readonly failures: SharedFailures;
}

type Method = ClientAuthenticationMethod & AuthenticationHandler;

interface PresentedCredentials {
  readonly method: Method;
  readonly credentials: ClientCredentials;
}

export type ClientAuthentication = Readonly<ReturnType<typeof createClientAuthentication>>;

/** Seconds in which failures count. */
const WINDOW = 60;

/**
 * Authenticates the clients of a server. One limit for all endpoints counts failures per address and client, so that
 * another endpoint gives no further tries. After too many, secrets that users chose (bcrypt) are refused without a
 * check, and their failures also count per address. Generated secrets and signatures cannot be guessed, so correct ones
 * are always accepted.
 *
 * @see RFC 6749 §2.3, §2.3.1: MUST be protected against brute force attacks
 */
export function createClientAuthentication(
  enabled: readonly ClientAuthenticationMethod[],
  { clients, failures: store, ...dependencies }: ClientAuthenticationDependencies,
) {
  const { security, advanced, issuer } = dependencies.settings;
  const methods = enabled.map((method): Method => {
    const others = enabled.filter((other) => other !== method);
    const otherAlgorithms = others.flatMap(({ signingAlgorithms = [] }) => signingAlgorithms);
    const otherTypes = others.flatMap(({ assertionType = [] }) => assertionType);
    return { ...method, ...method.create(dependencies, { otherAlgorithms, otherTypes }) };
  });
  const fallbacks = methods.filter(({ isFallback }) => isFallback === true);
  const explicit = methods.filter(({ isFallback }) => isFallback !== true);
  const limitOf = (name: string, times: number) => {
    const { rateLimits } = security;
    return createFailureLimit(
      rateLimits && { failures: rateLimits.token * times, window: WINDOW, shared: { name, store } },
    );
  };
  const byClient = limitOf('client', 1);
  const byAddress = limitOf('client address', ADDRESS_FACTOR);

  return {
    parameters: methods.flatMap(({ parameters }) => parameters),
    /**
     * Authenticates the client of a request, and returns the client.
     *
     * @param options `allowsCachedClient`: whether a cached client may be used; `onFound` is called with the claimed
     * client before it has proven anything
     * @throws OAuthError invalid_client, or invalid_request if more than one method is used (RFC 6749 §2.3), or with
     * status 429 after too many failures
     */
    authenticate: async (
      request: ClientAuthenticationRequest,
      options: {
        readonly origin: RequestOrigin;
        readonly allowsCachedClient: boolean;
        readonly onFound?: (client: Client) => void;
      },
    ): Promise<Client> => {
      const { origin, allowsCachedClient, onFound } = options;
      const { authorization, parameters } = request;
      // RFC 6749 §2.3: the client MUST NOT use more than one authentication method in each request
      let presented = readCredentials(explicit, request);
      if (presented.length > 1 && !isOneSecret(presented)) {
        const description = 'more than one client authentication method is used';
        const reason = 'credentials_ambiguous';
        // RFC 7521 §4.2.1: with an assertion among the credentials, the error MUST be invalid_client
        throw parameters.client_assertion === undefined
          ? invalidRequest(description, reason)
          : invalidClient('an assertion beside other credentials', { reason, description });
      }
      // Interceptors of clients add an access token to every request, by the schemes of RFC 6750 §2.1 and RFC 9449
      // §7.1, which no method of client authentication has: beside `client_id` in the body such a header is ignored.
      const triesByHeader =
        authorization !== undefined &&
        (parameters.client_id === undefined || !/^ *$|^(?:bearer|dpop)(?: |$)/i.test(authorization));
      if (presented.length === 0 && !triesByHeader) presented = readCredentials(fallbacks, request);
      const [first] = presented;
      if (first === undefined)
        throw invalidClient(
          authorization === undefined ? 'no credentials' : 'unsupported authorization scheme',
          { reason: 'credentials_missing' },
        );
      const { clientId } = first.credentials;
      if (parameters.client_id !== undefined && parameters.client_id !== clientId)
        throw invalidRequest('client_id differs from the client that authenticates', 'credentials_ambiguous');

      // browsers send the origin of a page in each request to another origin (Fetch §3.2)
      const page = origin.headers.origin;
      const getCaller = () => ({ ip: origin.ip });
      let guess: Attempt | undefined;
      const attempt: ClientAuthenticationRequest = {
        ...request,
        isFromForeignPage: page !== undefined && page !== new URL(issuer).origin,
        closeSignal: origin.closeSignal,
        getCaller,
        async beforeGuess() {
          guess ??= await reserveAll([
            { limit: byClient, key: failureKey(origin, clientId) },
            { limit: byAddress, key: failureKey(origin, '') },
          ]);
        },
      };
      const find = async (fresh: boolean): Promise<Client> => {
        // accept a stale metadata document if the client's server is down
        const client = await clients.find(clientId, { fresh, getCaller, staleIfError: true });
        if (client === null) throw invalidClient('unknown client', { reason: 'client_unknown' });
        return client;
      };
      try {
        // without a cache, reading the client again after a failure would be a second command for nothing
        const fresh = advanced.clientCacheTtl === 0 || !allowsCachedClient;
        let client = await find(fresh);
        onFound?.(client);
        let problem = await findProblem(client, presented, attempt);
        if (problem !== undefined && !fresh) {
          // the client may have a new secret or new keys
          client = await find(true);
          problem = await findProblem(client, presented, attempt);
        }
        if (problem !== undefined) throw problem;
        guess?.refund();
        return client;
      } catch (error) {
        if (!(error instanceof OAuthError) || error.error !== 'invalid_client') guess?.refund();
        else await (guess === undefined ? byClient.consume(failureKey(origin, clientId)) : guess.fail());
        throw error;
      }
    },
  };
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

/** Why the client's authentication fails; undefined if it succeeds. */
async function findProblem(
  client: Client,
  presented: readonly PresentedCredentials[],
  request: ClientAuthenticationRequest,
): Promise<OAuthError | undefined> {
  const { tokenEndpointAuthMethod: registered } = client;
  const registeredFor = presented.find(({ method, credentials }) => {
    const {
      name,
      signingAlgorithms,
      requiresExplicitRegistration = signingAlgorithms !== undefined,
    } = method;
    // RFC 7591 §2: a client that is registered for a method can use no other: a secret cannot replace its keys
    if (registered === undefined ? !requiresExplicitRegistration : registered === name) return true;
    // RFC 6749 §2.3.1: libraries send public clients by HTTP Basic (requests-oauthlib by default), whatever their
    // registered method, and an empty secret is none
    return client.type === 'public' && method.credential === 'secret' && credentials.clientSecret === '';
  });
  if (registeredFor === undefined)
    return invalidClient(
      `authenticates by ${presented[0]?.method.name}, is registered for ${registered ?? 'its secret'}`,
      { reason: 'wrong_authentication_method' },
    );
  const { method, credentials } = registeredFor;
  try {
    if (await method.verify(client, credentials, request)) return undefined;
    let reason: FailureReason = 'wrong_client_secret';
    if ((credentials.clientSecret ?? '') === '') reason = 'client_secret_missing';
    // a public client has no secret (RFC 6749 §2.1)
    if (client.type === 'public') reason = 'public_client';
    if (method.requiresExplicitRegistration === true) reason = 'client_certificate_wrong';
    // a key is recognized by its signature, and no key of the client has made this one
    if (method.signingAlgorithms !== undefined) reason = 'wrong_assertion_signature';
    return invalidClient(`wrong or missing credentials by ${method.name}`, { reason });
  } catch (error) {
    if (error instanceof OAuthError && error.error === 'invalid_client') return error;
    throw error;
  }
}

/**
 * Whether a client sent one secret in both ways of RFC 6749 §2.3.1: passport-oauth2 always puts the secret into the
 * body, even beside a header that the site has added. Two different secrets stay refused.
 */
function isOneSecret(presented: readonly PresentedCredentials[]): boolean {
  const [first, ...others] = presented.map(({ method, credentials }) => {
    const { clientId, clientSecret, rawSecret } = credentials;
    // HTTP Basic has two readings of a secret, decoded and undecoded, the body has one
    const secrets = [clientSecret, rawSecret].filter((secret) => secret !== undefined);
    return { clientId, secrets: method.credential === 'secret' ? secrets : [] };
  });
  return (
    first?.secrets.some((secret) =>
      others.every(({ clientId, secrets }) => clientId === first.clientId && secrets.includes(secret)),
    ) === true
  );
}
