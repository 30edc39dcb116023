import type { ClientMetadata } from '../../core/clients/client.js';
import { checkWireMetadata, pickMetadata } from '../../core/clients/client-metadata.js';
import { isOnDevice } from '../../core/clients/may-redirect-to.js';
import {
  cleanRegistration,
  isOmitted,
  methodsIn,
  parseRegistration,
  type RegistrationRules,
} from '../../core/clients/wire-metadata.js';
import { OAuthError } from '../../shared/errors.js';
import { isObject } from '../../shared/schema.js';
import { unusableDocument } from './fetch-client-document.js';

/** What the options allow in a document. */
export interface ClientDocumentRules extends RegistrationRules {
  /** Whether redirect URIs may be at other hosts than the document. */
  readonly anyRedirectHost: boolean;
}

type Document = Readonly<Record<string, unknown>>;

/** §4.1: no server can share a secret with an unknown client. */
const SECRETS = ['client_secret', 'client_secret_expires_at'];

/**
 * Makes a client from its document.
 *
 * @param isVerified whether the site has checked the host of its client id
 * @throws OAuthError invalid_client with the problem of the document
 * @see OAuth Client ID Metadata Document §4
 */
export function parseClientDocument(
  document: unknown,
  clientId: string,
  isVerified: boolean,
  rules: ClientDocumentRules,
): ClientMetadata {
  if (!isObject(document)) throw unusableDocument('is not a JSON object');
  const { client_id: documentId } = document;
  // §4: MUST match by simple string comparison; the author of one page of a host does not speak for the whole host
  if (documentId !== clientId) throw unusableDocument('has another client_id than its own address');
  const secret = SECRETS.find((name) => Object.hasOwn(document, name));
  if (secret !== undefined) throw unusableDocument(`has a ${secret}, which everybody could read`);
  try {
    const request = toRegistrationRequest(document, clientId, rules);
    const { metadata, details } = parseRegistration(request, rules);
    const { clientUri, logoUri, policyUri, tosUri } = details;
    const client: ClientMetadata = {
      ...metadata,
      // the name is unchecked, but the document was fetched from the host
      name: (isVerified ? metadata.name?.trim() : undefined) ?? new URL(clientId).host,
      trusted: false,
      clientUri,
      logoUri,
      policyUri,
      tosUri,
    };
    checkWireMetadata({ ...client, verified: isVerified }, rules, rules.fields);
    return pickMetadata(client, rules.fields);
  } catch (error) {
    // the error codes of RFC 7591 are for the registration endpoint
    if (error instanceof OAuthError) throw unusableDocument(`cannot be used here: ${error.description}`);
    throw error;
  }
}

/** Converts the document to a registration request (RFC 7591 §2). */
function toRegistrationRequest(sent: Document, clientId: string, rules: ClientDocumentRules): Document {
  const needsSecret = (name: unknown) => typeof name === 'string' && name.startsWith('client_secret');
  let document = cleanRegistration(sent);
  // OpenID Connect RP Metadata Choices 1.0 §4: of several authentication methods only those without a secret
  const { token_endpoint_auth_methods_supported: methods, token_endpoint_auth_method: first } = document;
  if (Array.isArray(methods) && !methods.every(needsSecret))
    document = {
      ...document,
      token_endpoint_auth_methods_supported: methods.filter((name) => !needsSecret(name)),
      token_endpoint_auth_method: needsSecret(first) && methods.includes(first) ? undefined : first,
    };
  const {
    token_endpoint_auth_method: method,
    jwks,
    jwks_uri: jwksUri,
    spiffe_id: spiffeId,
    scope,
  } = document;
  if (needsSecret(method))
    throw new OAuthError(
      'invalid_client_metadata',
      `token_endpoint_auth_method ${String(method).slice(0, 40)} needs a secret, which nobody shares with it`,
    );
  // OAuth SPIFFE Client Authentication (draft 02) §3.1.2: such a document has no authentication method
  const isWorkload = !isOmitted(spiffeId) && rules.tokenEndpointAuthMethods.includes('spiffe_jwt');
  const withoutKeys = isWorkload ? 'spiffe_jwt' : 'none';
  // the default of RFC 7591 §2, client_secret_basic, needs a secret
  const preferred = isOmitted(jwks) && isOmitted(jwksUri) ? withoutKeys : 'private_key_jwt';
  const choices = methodsIn(document, preferred);
  const defaultMethod = choices === undefined || choices.includes(preferred) ? preferred : choices[0];

  // §8.1: otherwise the author of a document could send users' codes to any other host. Makers of agents list the URIs
  // of all their sites in one document, so URIs at other hosts are ignored; only a request with one fails.
  let { redirect_uris: redirectUris } = document;
  if (!rules.anyRedirectHost && Array.isArray(redirectUris)) {
    const { host } = new URL(clientId);
    const [registered] = redirectUris as readonly unknown[];
    redirectUris = redirectUris.filter(
      // an invalid URI is refused later, as in any registration
      (uri) => typeof uri !== 'string' || !URL.canParse(uri) || isOnDevice(uri) || new URL(uri).host === host,
    );
    if (registered !== undefined && (redirectUris as readonly unknown[]).length === 0)
      throw new OAuthError(
        'invalid_redirect_uri',
        `${(registered as string).slice(0, 200)} is at another host than the document`,
      );
  }
  return {
    ...document,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: isOmitted(method) ? defaultMethod : method,
    // all servers read the same document: without a scope of this server it does not limit the scopes here
    scope:
      typeof scope === 'string' && scope.split(' ').some((name) => rules.scopes.includes(name))
        ? scope
        : undefined,
  };
}
