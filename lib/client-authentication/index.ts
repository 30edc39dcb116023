import type { AssertionIds } from '../clients/assertion-ids.js';
import type { Client } from '../clients/client.js';
import { createSecretVerifier } from '../clients/client-secrets.js';
import type { ClientSource, FindClientOptions } from '../clients/client-store.js';
import type { KeptSecrets } from '../crypto/kept-secrets.js';
import { OAuthError } from '../errors.js';
import type { Settings } from '../settings/settings.js';
import { createClientSecretBasic } from './client-secret-basic.js';
import { CLIENT_SECRET_JWT_ALGORITHMS, createClientSecretJwt } from './client-secret-jwt.js';
import { createClientSecretPost } from './client-secret-post.js';
import { invalidClient } from './invalid-client.js';
import type { ClientAuthenticationMethod, ClientAuthenticationRequest, ClientCredentials } from './method.js';
import { createNone } from './none.js';
import { createPrivateKeyJwt } from './private-key-jwt.js';
import { createClientKeys } from './remote-keys.js';
import { createAssertionVerifier } from './verify-assertion.js';

export interface ClientAuthenticationDependencies {
  readonly settings: Pick<Settings, 'issuer' | 'basePath' | 'clientAssertions' | 'clientKeys'>;
  readonly assertionIds: AssertionIds;
  /** Undefined where the host gave no `clientSecretKey`: then there is no client_secret_jwt. */
  readonly keptSecrets: KeptSecrets | undefined;
}

/** The ways to authenticate a client: a new one is one file and one line here. */
export function createClientAuthenticationMethods({
  settings,
  assertionIds,
  keptSecrets,
}: ClientAuthenticationDependencies): readonly ClientAuthenticationMethod[] {
  const { issuer, basePath, clientAssertions } = settings;
  const verifySecret = createSecretVerifier();
  const audiences =
    clientAssertions.audience === 'issuer' ? [issuer] : [issuer, `${issuer}${basePath}/token`];
  const verifyAssertion = createAssertionVerifier({
    audiences,
    maxTtl: clientAssertions.maxTtl,
    assertionIds,
  });
  return [
    createClientSecretBasic(verifySecret),
    createClientSecretPost(verifySecret),
    createNone(),
    createPrivateKeyJwt({
      verifyAssertion,
      clientKeys: createClientKeys(settings.clientKeys),
      otherAlgorithms: keptSecrets ? CLIENT_SECRET_JWT_ALGORITHMS : [],
    }),
    ...(keptSecrets ? [createClientSecretJwt({ verifyAssertion, keptSecrets })] : []),
  ];
}

/** Who a request says it comes from, and by what; nothing of it is proven yet. */
export interface ClaimedClient {
  readonly clientId: string;
  readonly method: ClientAuthenticationMethod;
  readonly credentials: ClientCredentials;
  readonly request: ClientAuthenticationRequest;
}

export interface ClientAuthentication {
  /** @throws OAuthError invalid_client, or invalid_request where more than one method is used (RFC 6749 §2.3) */
  readonly identify: (request: ClientAuthenticationRequest) => ClaimedClient;
  /**
   * The client that was claimed, proven.
   *
   * @throws OAuthError invalid_client
   */
  readonly authenticate: (claimed: ClaimedClient, options?: AuthenticateOptions) => Promise<Client>;
}

export interface AuthenticateOptions extends FindClientOptions {
  /** Called before a secret that could be guessed is tried; throws where too many were wrong. */
  readonly beforeGuess?: () => Promise<void>;
}

export function createClientAuthentication(
  methods: readonly ClientAuthenticationMethod[],
  clients: ClientSource,
): ClientAuthentication {
  const find = async (clientId: string, fresh: boolean): Promise<Client> => {
    const client = await clients.find(clientId, { fresh });
    if (client === null) throw invalidClient('unknown client');
    return client;
  };

  /** Why the client has not proven who it is; undefined where it has. */
  const findProblem = async (
    client: Client,
    { method, credentials, request }: ClaimedClient,
    { beforeGuess }: AuthenticateOptions,
  ): Promise<OAuthError | undefined> => {
    if (!isRegisteredFor(client, method))
      return invalidClient(
        `authenticates by ${method.name}, is registered for ${client.tokenEndpointAuthMethod ?? 'its secret'}`,
      );
    try {
      const isProven = await method.verify(client, credentials, {
        ...request,
        ...(beforeGuess && { beforeGuess }),
      });
      return isProven ? undefined : invalidClient(`wrong or missing credentials by ${method.name}`);
    } catch (error) {
      if (error instanceof OAuthError && error.error === 'invalid_client') return error;
      throw error;
    }
  };

  return {
    identify(request) {
      const [only, ...more] = readCredentials(methods, request);
      if (more.length > 0) throw moreThanOneMethod(request);
      if (only === undefined)
        throw invalidClient(
          request.authorization === undefined ? 'no credentials' : 'unsupported authorization scheme',
        );
      const { clientId } = only.credentials;
      if (request.parameters.client_id !== undefined && request.parameters.client_id !== clientId) {
        throw new OAuthError('invalid_request', 'client_id differs from the client that authenticates');
      }
      return { clientId, request, ...only };
    },
    async authenticate(claimed, options = {}) {
      const { fresh = true } = options;
      const client = await find(claimed.clientId, fresh);
      const problem = await findProblem(client, claimed, options);
      if (problem === undefined) return client;
      // its secret or its keys may be new
      const current = fresh ? client : await find(claimed.clientId, true);
      const stillWrong = current === client ? problem : await findProblem(current, claimed, options);
      if (stillWrong !== undefined) throw stillWrong;
      return current;
    },
  };
}

/** RFC 6749 §2.3: the client MUST NOT use more than one authentication method in each request. */
function moreThanOneMethod({ parameters }: ClientAuthenticationRequest): OAuthError {
  const description = 'more than one client authentication method is used';
  // RFC 7521 §4.2.1: with an assertion among them the error MUST be invalid_client
  return parameters.client_assertion === undefined
    ? new OAuthError('invalid_request', description)
    : invalidClient('an assertion beside other credentials', { description });
}

/** RFC 7591 §2: a client that is registered for a method has no other one, so that keys cannot be got round by a secret. */
function isRegisteredFor(
  { tokenEndpointAuthMethod: registered }: Client,
  { name, signingAlgorithms }: ClientAuthenticationMethod,
): boolean {
  return registered === undefined ? signingAlgorithms === undefined : registered === name;
}

function readCredentials(
  methods: readonly ClientAuthenticationMethod[],
  request: ClientAuthenticationRequest,
) {
  return methods.flatMap((method) => {
    const credentials = method.read(request);
    return credentials === null ? [] : [{ method, credentials }];
  });
}
