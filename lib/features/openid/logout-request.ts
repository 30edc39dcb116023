import { withParameters } from '../../core/authorization/response-modes/query.js';
import {
  formatParameters,
  type ResponseParameters,
} from '../../core/authorization/response-modes/response-mode.js';
import type { Client } from '../../core/clients/client.js';
import type { ClientSource } from '../../core/clients/client-store.js';
import { refuseBlocked } from '../../core/clients/status/blocked-client.js';
import { type IdTokenHintDependencies, verifyIdTokenHint } from '../../core/openid/id-token-hints.js';
import { equalText, tagOf } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import { type FetchCaller, LoginNeeded } from '../../shared/outbound/limit-untrusted-fetch.js';
import { type Form, parseParameter } from '../../shared/protocol/parameters.js';

export interface LogoutRequestDependencies extends IdTokenHintDependencies {
  readonly clientSource: ClientSource;
  /** Signs what addresses carry. */
  readonly secret: string;
}

/** The request of a client that wants somebody to be logged out. */
export interface LogoutRequest {
  /** Undefined if it does not say who it is. */
  readonly client: Client | undefined;
  /** Where the user goes afterwards, with the state. */
  readonly redirectTo: string | undefined;
  /** Whether it has shown an ID token of this server. */
  readonly isHinted: boolean;
  readonly uiLocales: readonly string[];
  /** The request without the ID token, as it stands in addresses and in the form of our page. */
  readonly name: string;
}

const MAX_LENGTH = 6144;

/**
 * Reads and checks the request. Nothing is done yet, and nobody is sent anywhere if it throws.
 *
 * @throws OAuthError shown to the user
 * @see OpenID Connect RP-Initiated Logout §2, §3
 */
export async function readLogoutRequest(
  form: Form,
  { issuer, signingKeys, clientSource, secret }: LogoutRequestDependencies,
): Promise<LogoutRequest> {
  const { hinted, named } = await readClientIds(form, { issuer, signingKeys });
  const client = await findClient(clientSource, hinted ?? named);
  const redirectUri = parseParameter(form, 'post_logout_redirect_uri');
  if (redirectUri !== undefined) checkRedirectUri(redirectUri, client);
  const state = parseParameter(form, 'state');
  const uiLocales = parseParameter(form, 'ui_locales');
  const data = [client?.clientId, redirectUri, state].map(String).join(' ');
  const tag = tagOf(`logout ${data}`, secret);
  // from an address of ours, after a POST
  const isHinted = hinted !== undefined || equalText(textOf(form, 'hinted'), tag);
  return {
    client,
    redirectTo: withState(redirectUri, state),
    isHinted,
    uiLocales: textOf(form, 'ui_locales').split(' '),
    name: nameOf({
      client_id: client?.clientId,
      post_logout_redirect_uri: redirectUri,
      state,
      ui_locales: uiLocales,
      hinted: isHinted ? tag : undefined,
    }),
  };
}

function textOf(form: Form, name: string): string {
  return parseParameter(form, name) ?? '';
}

function nameOf(parameters: ResponseParameters): string {
  const name = formatParameters(parameters);
  if (name.length > MAX_LENGTH) throw refused('the logout request is too long', undefined, 414);
  return name;
}

async function readClientIds(
  form: Form,
  dependencies: IdTokenHintDependencies,
): Promise<{ readonly hinted: string | undefined; readonly named: string | undefined }> {
  const hint = parseParameter(form, 'id_token_hint');
  const named = parseParameter(form, 'client_id');
  const hinted = hint === undefined ? undefined : await clientOfHint(hint, dependencies);
  // §2: both must be the same
  if (hinted !== undefined && named !== undefined && named !== hinted)
    throw refused('the id_token_hint is of another client', 'client_id and aud differ');
  return { hinted, named };
}

/** §2: the OP MUST validate that it was the issuer; it may have expired. */
async function clientOfHint(hint: string, dependencies: IdTokenHintDependencies): Promise<string> {
  const claims = await verifyIdTokenHint(hint, dependencies);
  if (claims === null)
    throw refused('the id_token_hint is no ID token of this server', 'signature, issuer, type or claims');
  return claims.audience;
}

async function findClient(
  clientSource: ClientSource,
  clientId: string | undefined,
): Promise<Client | undefined> {
  if (clientId === undefined) return undefined;
  // nobody can be logged in at a client that nobody has allowed, so its document is not fetched
  const getCaller = (): FetchCaller => ({ ip: '', isVisitor: true });
  const client = await clientSource.find(clientId, { getCaller }).catch((error: unknown) => {
    if (error instanceof LoginNeeded) return null;
    throw error;
  });
  if (client === null) throw refused('there is no such client');
  return client;
}

/** §2, §3.1: it must be one that the client has registered, unchanged. */
function checkRedirectUri(redirectUri: string, client: Client | undefined): void {
  if (client === undefined) throw refused('a post_logout_redirect_uri needs an id_token_hint or a client_id');
  if (client.postLogoutRedirectUris?.includes(redirectUri) !== true)
    throw refused(
      'the post_logout_redirect_uri is not registered for this client',
      `client ${client.clientId}, ${redirectUri.slice(0, 200)}`,
    );
  // RFC 9700 §4.11.2: nobody is sent to a client that this site no longer trusts
  refuseBlocked(client);
}

/** §3: unchanged, with the state. */
function withState(redirectUri: string | undefined, state: string | undefined): string | undefined {
  return redirectUri === undefined || state === undefined
    ? redirectUri
    : withParameters(redirectUri, { state });
}

function refused(description: string, detail?: string, status?: number): OAuthError {
  return new OAuthError('invalid_request', description, {
    reason: 'logout_request_invalid',
    ...(detail !== undefined && { detail }),
    ...(status !== undefined && { status }),
  });
}
