import { OAuthError } from '../errors.js';
import type { Clients, StoredClient } from '../models/clients.js';
import { createSecretVerifier } from '../tokens/client-secrets.js';
import { createClientSecretBasic } from './client-secret-basic.js';
import { createClientSecretPost } from './client-secret-post.js';
import type { ClientAuthenticationMethod, ClientAuthenticationRequest } from './method.js';
import { createNone } from './none.js';

/** The ways to authenticate a client: a new one is one file and one line here. */
export function createClientAuthenticationMethods(): readonly ClientAuthenticationMethod[] {
  const verifySecret = createSecretVerifier();
  return [createClientSecretBasic(verifySecret), createClientSecretPost(verifySecret), createNone()];
}

export interface ClientAuthentication {
  /** The client id that the request claims, for limits on failures; undefined where it claims none. */
  claimedClientId(request: ClientAuthenticationRequest): string | undefined;
  /**
   * Who sends the request, proven.
   *
   * @throws OAuthError invalid_client, or invalid_request where more than one method is used (RFC 6749 §2.3)
   */
  authenticate(request: ClientAuthenticationRequest): Promise<StoredClient>;
}

export function createClientAuthentication(methods: readonly ClientAuthenticationMethod[], clients: Clients): ClientAuthentication {
  return {
    claimedClientId: (request) => {
      const [used] = readCredentials(methods, request);
      return used?.credentials.clientId;
    },
    async authenticate(request) {
      const used = readCredentials(methods, request);
      // RFC 6749 §2.3: the client MUST NOT use more than one authentication method in each request
      if (used.length > 1) throw new OAuthError('invalid_request', 'more than one client authentication method is used');
      const [only] = used;
      if (only === undefined) throw invalidClient(request.authorization === undefined ? 'no credentials' : 'unsupported authorization scheme');
      const { method, credentials } = only;
      if (request.parameters.client_id !== undefined && request.parameters.client_id !== credentials.clientId) {
        throw new OAuthError('invalid_request', 'client_id differs from the client that authenticates');
      }
      const client = await clients.find(credentials.clientId);
      if (client === null) throw invalidClient('unknown client');
      if (!(await method.verify(client, credentials, request))) throw invalidClient(`wrong or missing credentials by ${method.name}`);
      return client;
    },
  };
}

function readCredentials(methods: readonly ClientAuthenticationMethod[], request: ClientAuthenticationRequest) {
  return methods.flatMap((method) => {
    const credentials = method.read(request);
    return credentials === null ? [] : [{ method, credentials }];
  });
}

/** One text for every cause: whether a client exists is not told to whoever guesses. */
function invalidClient(detail: string): OAuthError {
  return new OAuthError('invalid_client', 'client authentication failed', { detail });
}
