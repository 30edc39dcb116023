import type { ClientMetadata } from '../../core/clients/client.js';
import { checkWireMetadata, pickMetadata } from '../../core/clients/client-metadata.js';
import { isOnDevice } from '../../core/clients/native-redirect.js';
import { methodsIn } from '../../core/clients/wire-metadata.js';
import { cleanRegistration } from '../../core/clients/wire-metadata.js';
import { isOmitted } from '../../core/clients/wire-metadata.js';
import { parseRegistration, type RegistrationRules } from '../../core/clients/wire-metadata.js';
import { OAuthError } from '../../shared/errors.js';
import { unusableDocument } from './fetch-client-document.js';

/** What such a client can be let in with. */
export interface ClientDocumentRules extends RegistrationRules {
  /** Whether its redirect URIs may be at other hosts than its document. */
  readonly anyRedirectHost: boolean;
}

/** What the site thinks of a client id's host. */
export interface ClientDomain {
  readonly isVerified: boolean;
}

type Document = Readonly<Record<string, unknown>>;

/** §4.1: there is no way to agree on a secret with an unknown client. */
const SECRETS = ['client_secret', 'client_secret_expires_at'];

/**
 * Makes a client from its document.
 *
 * @throws OAuthError invalid_client, that says what is wrong with it
 * @see OAuth Client ID Metadata Document §4
 */
export function parseClientDocument(
  document: unknown,
  clientId: string,
  domain: ClientDomain,
  rules: ClientDocumentRules,
): ClientMetadata {
  checkDocument(document, clientId);
  try {
    return read(document, clientId, domain, rules);
  } catch (error) {
    // the codes of RFC 7591 are answers of another endpoint
    if (error instanceof OAuthError) throw unusableDocument(`cannot be used here: ${error.description}`);
    throw error;
  }
}

function read(
  document: Document,
  clientId: string,
  { isVerified }: ClientDomain,
  rules: ClientDocumentRules,
): ClientMetadata {
  const { metadata, details } = parseRegistration(registrationOf(document, clientId, rules), rules);
  const { clientUri, logoUri, policyUri, tosUri } = details;
  const { host } = new URL(clientId);
  const client: ClientMetadata = {
    ...metadata,
    // nobody has checked its name, but it does have its host
    name: (isVerified ? metadata.name?.trim() : undefined) ?? host,
    trusted: false,
    ...(clientUri !== undefined && { clientUri }),
    ...(logoUri !== undefined && { logoUri }),
    ...(policyUri !== undefined && { policyUri }),
    ...(tosUri !== undefined && { tosUri }),
  };
  checkWireMetadata({ ...client, verified: isVerified }, rules, rules.fields);
  return pickMetadata(client, rules.fields);
}

function checkDocument(document: unknown, clientId: string): asserts document is Document {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw unusableDocument('is not a JSON object');
  const { client_id: named } = document as Document;
  // §4: MUST match by simple string comparison; whoever can write at one address of a host does not speak for all of it
  if (named !== clientId) throw unusableDocument('has another client_id than its own address');
  const secret = SECRETS.find((name) => Object.hasOwn(document, name));
  if (secret !== undefined) throw unusableDocument(`has a ${secret}, which everybody could read`);
}

/** The document as a registration of the same client would be (RFC 7591 §2). */
function registrationOf(given: Document, clientId: string, rules: ClientDocumentRules): Document {
  const { scopes } = rules;
  const document = withoutSecrets(cleanRegistration(given));
  const { token_endpoint_auth_method: method, jwks, jwks_uri: jwksUri, scope } = document;
  if (typeof method === 'string' && method.startsWith('client_secret'))
    throw new OAuthError(
      'invalid_client_metadata',
      `token_endpoint_auth_method ${method.slice(0, 40)} needs a secret, which nobody shares with it`,
    );
  // RFC 7591 §2 has client_secret_basic as the default, which cannot be meant here
  const named =
    isOmitted(jwks) && isOmitted(jwksUri) ? defaultWithoutKeys(document, rules) : 'private_key_jwt';
  const choices = methodsIn(document, named);
  const defaultMethod = choices === undefined || choices.includes(named) ? named : choices[0];
  return {
    ...document,
    redirect_uris: ownRedirectUris(document.redirect_uris, clientId, rules),
    token_endpoint_auth_method: isOmitted(method) ? defaultMethod : method,
    // a document is the same for all servers: if it names no scope of ours, it says nothing about ours
    scope:
      typeof scope === 'string' && scope.split(' ').some((name) => scopes.includes(name)) ? scope : undefined,
  };
}

/** OAuth SPIFFE Client Authentication (draft 02) §3.1.2: the document of such a client names no method. */
function defaultWithoutKeys(
  { spiffe_id: spiffeId }: Document,
  { tokenEndpointAuthMethods }: Pick<ClientDocumentRules, 'tokenEndpointAuthMethods'>,
): string {
  return !isOmitted(spiffeId) && tokenEndpointAuthMethods.includes('spiffe_jwt') ? 'spiffe_jwt' : 'none';
}

/** Of several ways to authenticate those without a secret (OpenID Connect RP Metadata Choices 1.0 §4). */
function withoutSecrets(document: Document): Document {
  const { token_endpoint_auth_methods_supported: methods, token_endpoint_auth_method: method } = document;
  const needsSecret = (name: unknown) => typeof name === 'string' && name.startsWith('client_secret');
  if (!Array.isArray(methods) || methods.every(needsSecret)) return document;
  return {
    ...document,
    token_endpoint_auth_methods_supported: methods.filter((name) => !needsSecret(name)),
    token_endpoint_auth_method: needsSecret(method) && methods.includes(method) ? undefined : method,
  };
}

/**
 * §8.1: whoever has a document at one host could otherwise send users' codes to any other. Makers of agents name the
 * URIs of all their sites in one document, so those elsewhere are ignored, and only a request that names one fails.
 */
function ownRedirectUris(
  redirectUris: unknown,
  clientId: string,
  { anyRedirectHost }: ClientDocumentRules,
): unknown {
  if (anyRedirectHost || !Array.isArray(redirectUris)) return redirectUris;
  const { host } = new URL(clientId);
  // what is no URI at all is refused, as everywhere
  const isElsewhere = (uri: unknown) =>
    typeof uri === 'string' && URL.canParse(uri) && !isOnDevice(uri) && new URL(uri).host !== host;
  const own = redirectUris.filter((uri) => !isElsewhere(uri));
  if (own.length === 0 && redirectUris.length > 0)
    throw new OAuthError(
      'invalid_redirect_uri',
      `${String(redirectUris[0]).slice(0, 200)} is at another host than the document`,
    );
  return own;
}
