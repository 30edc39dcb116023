import { isLoopbackHost } from '../protocol/redirect-uri.js';
import type { ClientMetadata } from './client.js';
import type { ClientProblem, ProblemReason } from './client-problem.js';
import { type KeySetProblem, parsePublicJwks } from './public-jwks.js';

const MAX_JWKS_LENGTH = 65_536;
const MAX_URI_LENGTH = 2000;

/**
 * What is wrong with how a client is registered to authenticate.
 *
 * @param methods the names of those that are on
 * @see RFC 7591 §2
 */
export function authenticationProblems(client: ClientMetadata, methods: readonly string[]): ClientProblem[] {
  return [...methodProblems(client, methods), ...keyProblems(client)];
}

function methodProblems(
  { type, tokenEndpointAuthMethod: method, jwks, jwksUri }: ClientMetadata,
  methods: readonly string[],
): ClientProblem[] {
  const problem = (text: string): ClientProblem[] => [{ field: 'tokenEndpointAuthMethod', problem: text }];
  if (method === undefined) return [];
  if (!methods.includes(method))
    return problem(
      `The authentication method ${String(method).slice(0, 80)} is not on; there are ${methods.join(', ')}.`,
    );
  if ((method === 'none') !== (type === 'public'))
    return problem('A public client authenticates by none, and nobody else does.');
  if (method === 'private_key_jwt' && jwks === undefined && jwksUri === undefined)
    return problem('private_key_jwt needs the public keys of the client, as jwks or jwksUri.');
  return [];
}

function keyProblems({ jwks, jwksUri }: ClientMetadata): ClientProblem[] {
  // RFC 7591 §2: jwks_uri and jwks MUST NOT both be present
  if (jwks !== undefined && jwksUri !== undefined)
    return [{ field: 'jwks', problem: 'Either jwks or jwksUri, not both.' }];
  if (jwksUri !== undefined) return jwksUriProblems(jwksUri);
  if (jwks === undefined) return [];
  const parsed = JSON.stringify(jwks).length > MAX_JWKS_LENGTH ? tooLong() : parsePublicJwks(jwks);
  if ('keys' in parsed) return [];
  const { text, ...reason } = parsed;
  return [{ field: 'jwks', problem: `The key set cannot be used: ${text}.`, ...reason }];
}

function tooLong(): KeySetProblem {
  return {
    reason: 'jwksTooLong',
    text: `it has more than ${MAX_JWKS_LENGTH} characters`,
    values: { max: MAX_JWKS_LENGTH },
  };
}

function jwksUriProblems(jwksUri: string): ClientProblem[] {
  const problem = (reason: ProblemReason, text: string): ClientProblem[] => [
    { field: 'jwksUri', problem: text, reason },
  ];
  if (typeof jwksUri !== 'string' || jwksUri.length > MAX_URI_LENGTH || !URL.canParse(jwksUri))
    return problem('jwksUriNotUrl', 'The jwksUri is not a URL.');
  const url = new URL(jwksUri);
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    return problem('jwksUriParts', 'The jwksUri has a user name, a password or a fragment.');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))) return [];
  return problem('jwksUriScheme', 'The jwksUri is not an https: URL.');
}
