import type {
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';

import type { Callback } from './callback.js';

/** What it is, for its document and for where it has to register. */
export function describeProgram(redirectUri: string) {
  return {
    client_name: 'Desk Assistant',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // a program on somebody's machine can keep no secret: PKCE stands in for it
    token_endpoint_auth_method: 'none',
  };
}

/**
 * Whether the server takes documents, and can read this one, which is on this machine. A program that is given to others
 * has its document at the site of its maker, and gives its URL to the SDK as `clientMetadataUrl`; where servers do not
 * read documents it registers, as this one does then.
 */
function readsDocuments(found: OAuthDiscoveryState | undefined): boolean {
  if (found?.authorizationServerMetadata?.client_id_metadata_document_supported !== true) return false;
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(found.authorizationServerUrl).hostname);
}

/**
 * What the SDK asks of a program: to keep what it finds out, and to bring a person to a page. Here all is kept in memory
 * and told on the way; a program for every day keeps client and tokens, so that nobody is asked twice.
 */
export function createCredentials(
  { url, document, state }: Callback,
  tell: (text: string) => void,
): OAuthClientProvider {
  let discovered: OAuthDiscoveryState | undefined;
  let client: OAuthClientInformationMixed | undefined;
  let tokens: OAuthTokens | undefined;
  let verifier = '';

  return {
    redirectUrl: url,
    clientMetadata: describeProgram(url),
    state: () => state,

    discoveryState: () => discovered,
    saveDiscoveryState(found) {
      discovered = found;
      tell(`✓ Found out who gives tokens for it: ${found.authorizationServerUrl}`);
    },
    clientInformation() {
      if (client === undefined && readsDocuments(discovered)) {
        client = { client_id: document };
        tell(`✓ Says there who it is by a document: ${document}`);
      }
      return client;
    },
    saveClientInformation(registered) {
      client = registered;
      tell(`✓ Registered there as a new client: ${registered.client_id}`);
    },
    saveCodeVerifier: (created) => void (verifier = created),
    codeVerifier: () => verifier,
    redirectToAuthorization(page) {
      tell(
        `\n  Open this in your browser, log in and allow:\n\n  ${page.href}\n\n… Waiting for you (Ctrl-C gives up)`,
      );
    },
    tokens: () => tokens,
    saveTokens(issued) {
      tokens = issued;
      tell(`✓ Got an access token for: ${issued.scope}`);
    },
  };
}
