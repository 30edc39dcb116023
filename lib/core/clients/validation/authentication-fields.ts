import { lazy } from '../../../shared/lazy.js';
import type { ClientMetadata, PublicJwks } from '../client.js';
import { field, type MetadataOf } from '../client-field.js';
import { parsePublicJwks } from '../public-jwks.js';
import { jwksProblems, jwksUriProblems, methodProblems } from './auth-method-checks.js';
import { AUTH_SIGNING_ALG } from './auth-signing-alg.js';
import { subjectsOf } from './certificate-subject.js';
import { anything, keySet, page, textSchema } from './schemas.js';

/** The fields by which a client proves who it is. */
export const authenticationRows = {
  /**
   * The only way it authenticates: client_secret_basic, client_secret_post, none, private_key_jwt or client_secret_jwt;
   * with `mutualTls` tls_client_auth or self_signed_tls_client_auth, with `spiffe` spiffe_jwt.
   * Default: by what it has: keys, a certificate, a `spiffeId`, a secret, or none.
   */
  tokenEndpointAuthMethod: field<string>({
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: true,
    implied: impliedMethod,
    findProblems: methodProblems,
    wire: { name: 'token_endpoint_auth_method' },
    isOwners: true,
    flag: {
      flags: '--token-endpoint-auth-method <method>',
      description: 'the one way it authenticates, such as private_key_jwt (default: its secret, or its keys)',
    },
    printed: { label: 'authenticates by' },
    label: 'application.authentication',
  }),
  /** The only algorithm of its client assertions. Default: any that is supported. */
  tokenEndpointAuthSigningAlg: AUTH_SIGNING_ALG,
  /** Its public keys, or its certificates (`x5c`), by value. */
  jwks: field<PublicJwks>({
    shape: anything,
    stored: { type: Object },
    requiresReapproval: true,
    findProblems: jwksProblems,
    // checked whatever the method is; of the set only the usable keys are stored, and the response shows them
    wire: { name: 'jwks', shape: keySet, parse: parsePublicJwks },
    isOwners: true,
    flag: {
      flags: '--jwks <file>',
      description: 'a JSON file with its public keys (RFC 7517), by which it authenticates',
      isJsonFile: true,
    },
    printed: { label: 'keys', format: keyIdsOf },
    label: 'application.keys',
  }),
  /** The URL of its public keys, instead of `jwks`. */
  jwksUri: field<string>({
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: true,
    findProblems: jwksUriProblems,
    // it is fetched, so not from this machine
    wire: {
      name: 'jwks_uri',
      shape: lazy(() => page().refine((uri) => uri.startsWith('https:'), 'must be an https: URL')),
    },
    isOwners: true,
    flag: { flags: '--jwks-uri <url>', description: 'where its public keys are, an https: URL' },
    printed: { label: 'keys at' },
    label: 'application.keys',
  }),
};

declare module '../client.js' {
  interface ClientMetadata extends MetadataOf<typeof authenticationRows> {}
}

/** A client with keys, a certificate or a SPIFFE ID authenticates by them, unless it says otherwise. */
function impliedMethod(client: Partial<ClientMetadata>): string | undefined {
  if (client.jwks !== undefined || client.jwksUri !== undefined) return 'private_key_jwt';
  if (subjectsOf(client).length > 0) return 'tls_client_auth';
  return client.spiffeId === undefined ? undefined : 'spiffe_jwt';
}

/** By what keys are told apart; there may be none. */
function keyIdsOf(jwks: PublicJwks | undefined): string | undefined {
  return jwks?.keys
    .map(({ kid, kty }) => (typeof kid === 'string' ? kid : `one of ${String(kty)}`))
    .join(', ');
}
