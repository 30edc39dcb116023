import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import { createSecret } from '../../shared/crypto/secrets.js';
import { challengeOf } from '../../shared/protocol/pkce.js';
import type { Translator } from '../rendering/translator.js';
import { type ServerAddresses, snippetForTrial } from './application-snippets.js';

/** A request for authorization that a developer makes in place of their application. */
export interface Trial {
  /** The authorization endpoint, with the values of the application. */
  readonly address: string;
  readonly redirectUri: string;
  /** Commands that get tokens for the code of this one request. */
  readonly snippet: string;
  /** How long there is for that. */
  readonly span: string;
}

/**
 * Undefined for an application that asks nobody. The request has its own challenge, whose verifier is only on the
 * developer's page: nobody else can redeem the code, not even the running application, for which it would be somebody
 * else's answer (RFC 9700 §4.7).
 */
export function trialOf(
  client: ClientInfo,
  server: ServerAddresses & { readonly codeTtl: number },
  translator: Translator,
): Trial | undefined {
  const [redirectUri] = client.redirectUris;
  if (redirectUri === undefined || !client.grantTypes.includes('authorization_code')) return undefined;
  const verifier = createSecret();
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    ...(client.scopes.length > 0 && { scope: client.scopes.join(' ') }),
    state: createSecret(),
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    // even if the developer has allowed it before: this page is what they want to see
    prompt: 'consent',
  });
  return {
    address: `${server.authorization}?${query.toString()}`,
    redirectUri,
    snippet: snippetForTrial(client, server, { translator, redirectUri, verifier }),
    span: translator.span(server.codeTtl),
  };
}
