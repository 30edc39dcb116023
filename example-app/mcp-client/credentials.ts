import type {
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';

import type { Callback } from './callback.js';
import type { Refusals } from './refusals.js';

/** The program's metadata, for its document and for registration. */
export function describeProgram(redirectUri: string) {
  return {
    client_name: 'Desk Assistant',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // a program on a user's machine cannot keep a secret, so PKCE replaces it
    token_endpoint_auth_method: 'none',
  };
}

/**
 * Whether the server accepts metadata documents, and can fetch this one, which is on this machine. A distributed
 * program has its document on its maker's site, and passes the URL to the SDK as `clientMetadataUrl`. At other servers
 * it registers, as this one does.
 */
function readsDocuments(found: OAuthDiscoveryState | undefined): boolean {
  if (found?.authorizationServerMetadata?.client_id_metadata_document_supported !== true) return false;
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(found.authorizationServerUrl).hostname);
}

/**
 * The SDK's interface to a program: it stores client and tokens, and sends a person to a page. Here everything is in
 * memory and printed; a real program stores client and tokens, so that it asks nobody twice.
 */
export function createCredentials(
  { url, document, begin }: Callback,
  refusals: Pick<Refusals, 'isPending' | 'copyTo'>,
  notify: (text: string) => void,
): OAuthClientProvider {
  let discovered: OAuthDiscoveryState | undefined;
  let client: OAuthClientInformationMixed | undefined;
  let tokens: OAuthTokens | undefined;
  let verifier = '';

  return {
    redirectUrl: url,
    clientMetadata: describeProgram(url),
    state: begin,

    discoveryState: () => discovered,
    saveDiscoveryState(found) {
      discovered = found;
      notify(`✓ Found out who gives tokens for it: ${found.authorizationServerUrl}`);
    },
    clientInformation() {
      if (client === undefined && readsDocuments(discovered)) {
        client = { client_id: document };
        notify(`✓ Says there who it is by a document: ${document}`);
      }
      return client;
    },
    saveClientInformation(registered) {
      client = registered;
      notify(`✓ Registered there as a new client: ${registered.client_id}`);
    },
    saveCodeVerifier: (created) => void (verifier = created),
    codeVerifier: () => verifier,
    redirectToAuthorization(page) {
      refusals.copyTo(page.searchParams);
      notify(
        `\n  Open this in your browser, log in and allow:\n\n  ${page.href}\n\n… Waiting for you (Ctrl-C gives up)`,
      );
    },
    tokens() {
      // a refresh would bring no more access, so the person has to allow it
      if (tokens === undefined || !refusals.isPending()) return tokens;
      const { refresh_token: _unused, ...rest } = tokens;
      return rest;
    },
    saveTokens(issued) {
      tokens = issued;
      notify(`✓ Got an access token for: ${issued.scope}`);
    },
  };
}
