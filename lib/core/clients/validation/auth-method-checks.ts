import { isSecureUrl } from '../../../shared/protocol/secure-url.js';
import { namesItsAuthority } from '../../../shared/protocol/written-authority.js';
import type { ClientMetadata } from '../client.js';
import type { RegistrationLimits } from '../client-field.js';
import { type KeySetProblem, parsePublicJwks } from '../public-jwks.js';
import type { ClientProblem } from '../validation-error.js';

const MAX_JWKS_LENGTH = 65_536;
const MAX_URI_LENGTH = 2000;

/** What is wrong with the authentication method of a client (RFC 7591 §2). */
export function methodProblems(
  { type, tokenEndpointAuthMethod: method, jwks, jwksUri }: ClientMetadata,
  { tokenEndpointAuthMethods: methods = [], methods: known }: RegistrationLimits,
): ClientProblem[] {
  const problem = (text: string): ClientProblem[] => [{ field: 'tokenEndpointAuthMethod', problem: text }];
  if (method === undefined) return [];
  if (!methods.includes(method))
    return problem(
      `The authentication method ${method.slice(0, 80)} is not on; there are ${methods.join(', ')}.`,
    );
  if ((method === 'none') !== (type === 'public'))
    return problem('A public client authenticates by none, and nobody else does.');
  const { credential } = known.find(({ name }) => name === method) ?? {};
  if (credential === 'keys' && jwks === undefined && jwksUri === undefined)
    return problem(`${method} needs the public keys of the client, as jwks or jwksUri.`);
  return [];
}

export function jwksProblems({ jwks, jwksUri }: ClientMetadata): ClientProblem[] {
  if (jwks === undefined) return [];
  // RFC 7591 §2: jwks_uri and jwks MUST NOT both be present
  if (jwksUri !== undefined) return [{ field: 'jwks', problem: 'Either jwks or jwksUri, not both.' }];
  const parsed = lengthOf(jwks) > MAX_JWKS_LENGTH ? tooLong() : parsePublicJwks(jwks);
  if ('keys' in parsed) return [];
  const { text, ...reason } = parsed;
  return [{ field: 'jwks', problem: `The key set cannot be used: ${text}.`, ...reason }];
}

/** Anything else, from a caller without types, has no length, and is refused as no key set. */
function lengthOf(jwks: unknown): number {
  return typeof jwks === 'object' ? JSON.stringify(jwks).length : 0;
}

function tooLong(): KeySetProblem {
  return {
    reason: 'jwksTooLong',
    text: `it has more than ${MAX_JWKS_LENGTH} characters`,
    values: { max: MAX_JWKS_LENGTH },
  };
}

export function jwksUriProblems({ jwks, jwksUri }: ClientMetadata): ClientProblem[] {
  const found = jwksUri === undefined || jwks !== undefined ? undefined : findUriProblem(jwksUri);
  return found === undefined ? [] : [{ field: 'jwksUri', ...found }];
}

function findUriProblem(uri: string): Pick<ClientProblem, 'problem' | 'reason'> | undefined {
  if (uri.length > MAX_URI_LENGTH || !URL.canParse(uri) || !namesItsAuthority(uri))
    return { problem: 'The jwksUri is not a URL.', reason: 'jwksUriNotUrl' };
  const { username, password, hash } = new URL(uri);
  if (username !== '' || password !== '' || hash !== '')
    return { problem: 'The jwksUri has a user name, a password or a fragment.', reason: 'jwksUriParts' };
  if (isSecureUrl(uri)) return undefined;
  return { problem: 'The jwksUri is not an https: URL.', reason: 'jwksUriScheme' };
}
