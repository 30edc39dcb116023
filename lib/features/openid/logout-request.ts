import { formatParameters, withParameters } from '../../core/authorization/response-modes/response-mode.js';
import type { Client } from '../../core/clients/client.js';
import { refuseBlocked } from '../../core/clients/status/blocked-client.js';
import type { Server } from '../../server/server.js';
import { equalText, tagOf } from '../../shared/crypto/secrets.js';
import { invalidRequest, type OAuthError } from '../../shared/errors.js';
import { LoginNeeded } from '../../shared/outbound/limit-untrusted-fetch.js';
import { type Form, parseParameter } from '../../shared/protocol/parameters.js';
import { verifyIdTokenHint } from './id-token-hints.js';

/** A client's request to log a user out. */
export type LogoutRequest = Awaited<ReturnType<typeof readLogoutRequest>>;

const MAX_LENGTH = 6144;

/**
 * Reads and validates the request, without any effect or redirect.
 *
 * @throws OAuthError shown to the user
 * @see OpenID Connect RP-Initiated Logout §2, §3
 */
export async function readLogoutRequest(
  { settings: { issuer, serverSecret }, signingKeys, clientSource }: Server,
  form: Form,
) {
  // §2: the OP MUST validate that it was the issuer of the ID token, which may have expired
  const hint = parseParameter(form, 'id_token_hint');
  const claims = hint === undefined ? undefined : await verifyIdTokenHint(hint, signingKeys, issuer);
  if (claims === null)
    throw refused('the id_token_hint is no ID token of this server', 'signature, issuer, type or claims');
  const clientIdParameter = parseParameter(form, 'client_id');
  if (claims !== undefined && clientIdParameter !== undefined && clientIdParameter !== claims.audience)
    throw refused('the id_token_hint is of another client', 'client_id and aud differ');

  const clientId = claims?.audience ?? clientIdParameter;
  let client: Client | undefined;
  if (clientId !== undefined) {
    try {
      // no user is logged in at a client that nobody has allowed, so its metadata document is not fetched
      client =
        (await clientSource.find(clientId, { getCaller: () => ({ ip: '', isVisitor: true }) })) ?? undefined;
    } catch (error) {
      if (!(error instanceof LoginNeeded)) throw error;
    }
    if (client === undefined) throw refused('there is no such client');
  }

  // §2, §3.1: the redirect URI must be one that the client has registered, unchanged
  const redirectUri = parseParameter(form, 'post_logout_redirect_uri');
  if (redirectUri !== undefined) {
    if (client === undefined)
      throw refused('a post_logout_redirect_uri needs an id_token_hint or a client_id');
    if (client.postLogoutRedirectUris?.includes(redirectUri) !== true)
      throw refused(
        'the post_logout_redirect_uri is not registered for this client',
        `client ${client.clientId}, ${redirectUri.slice(0, 200)}`,
      );
    // RFC 9700 §4.11.2: no redirect to a blocked client
    refuseBlocked(client);
  }

  const state = parseParameter(form, 'state');
  const uiLocales = parseParameter(form, 'ui_locales');
  const data = [client?.clientId, redirectUri, state].map(String).join(' ');
  const tag = tagOf(`logout ${data}`, serverSecret);
  // the page's address carries this tag instead of the ID token
  const isHinted = claims !== undefined || equalText(parseParameter(form, 'hinted') ?? '', tag);
  const name = formatParameters({
    client_id: client?.clientId,
    post_logout_redirect_uri: redirectUri,
    state,
    ui_locales: uiLocales,
    hinted: isHinted ? tag : undefined,
  });
  if (name.length > MAX_LENGTH) throw refused('the logout request is too long', undefined, 414);
  return {
    /** Undefined if the request names no client. */
    client,
    // §3: unchanged, with the state
    redirectTo:
      redirectUri === undefined || state === undefined ? redirectUri : withParameters(redirectUri, { state }),
    /** Whether the request had an ID token of this server. */
    isHinted,
    uiLocales: (uiLocales ?? '').split(' '),
    /** The request without its ID token, for addresses and for the form of the page. */
    name,
  };
}

function refused(description: string, detail?: string, status?: number): OAuthError {
  return invalidRequest(description, 'logout_request_invalid', { detail, status });
}
