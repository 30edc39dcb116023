import { lazy } from '../../../shared/lazy.js';
import type { ClientMetadata, PublicJwks } from '../client.js';
import type { FieldRows } from '../client-field.js';
import { parsePublicJwks } from '../public-jwks.js';
import { jwksProblems, jwksUriProblems, methodProblems } from './auth-method-checks.js';
import { AUTH_SIGNING_ALG } from './auth-signing-alg.js';
import { subjectsOf } from './certificate-subject.js';
import { anything, keySet, page, textSchema } from './schemas.js';

/** The fields by which a client proves who it is. */
export const AUTHENTICATION_ROWS: FieldRows<
  Pick<ClientMetadata, 'tokenEndpointAuthMethod' | 'tokenEndpointAuthSigningAlg' | 'jwks' | 'jwksUri'>
> = {
  tokenEndpointAuthMethod: {
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: true,
    // a client with keys, a certificate or a SPIFFE ID authenticates by them, unless it says otherwise
    implied: (client) => {
      if (client.jwks !== undefined || client.jwksUri !== undefined) return 'private_key_jwt';
      if (subjectsOf(client).length > 0) return 'tls_client_auth';
      return client.spiffeId === undefined ? undefined : 'spiffe_jwt';
    },
    findProblems: methodProblems,
    wire: { name: 'token_endpoint_auth_method' },
    isOwners: true,
    flag: {
      flags: '--token-endpoint-auth-method <method>',
      description: 'the one way it authenticates, such as private_key_jwt (default: its secret, or its keys)',
    },
    printed: { label: 'authenticates by' },
  },
  tokenEndpointAuthSigningAlg: AUTH_SIGNING_ALG,
  jwks: {
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
  },
  jwksUri: {
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
  },
};

/** What people tell keys apart by; there may be none. */
function keyIdsOf(jwks: PublicJwks | undefined): string | undefined {
  return jwks?.keys
    .map(({ kid, kty }) => (typeof kid === 'string' ? kid : `one of ${String(kty)}`))
    .join(', ');
}
