import type { ClientMetadata, PublicJwks } from '../../core/clients/client.js';
import { parsePublicJwks } from '../../core/clients/public-jwks.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { ClientProblem } from '../../core/clients/validation-error.js';
import type { FieldValues } from './application-fields.js';

/** How a confidential application authenticates, as the form calls it. */
export type Authentication = 'secret' | 'jwks' | 'jwks_uri';

type Keys = Pick<ClientMetadata, 'jwks' | 'jwksUri' | 'tokenEndpointAuthMethod'>;

/** A problem with what was typed, found before there is metadata. */
export type AuthenticationProblem = Pick<ClientProblem, 'field'> & {
  readonly reason: 'authenticationUnknown' | 'jwksMissing' | 'jwksNoJson' | 'jwksUriMissing';
};

/** An update removes fields that are present but undefined. */
const NO_KEYS = {
  jwks: undefined,
  jwksUri: undefined,
  tokenEndpointAuthMethod: undefined,
} as unknown as Keys;

export function authenticationOf({ jwks, jwksUri }: Pick<ClientInfo, 'jwks' | 'jwksUri'>): Authentication {
  if (jwks !== undefined) return 'jwks';
  return jwksUri === undefined ? 'secret' : 'jwks_uri';
}

/** The metadata of a new application. */
export function keysOf({ type, authentication, jwks, jwksUri }: ApplicationValues): Keys {
  if (type !== 'confidential') return {};
  if (authentication === 'jwks') return { jwks: parseKeySet(jwks) as NonNullable<Keys['jwks']> };
  return authentication === 'jwks_uri' ? { jwksUri: jwksUri.trim() } : {};
}

/**
 * What a change of the form means for a client: nothing if its authentication stays as it is, whatever its
 * method.
 */
export function changedKeysOf(values: ApplicationValues, current: ClientInfo): Keys {
  if (values.type !== 'confidential') return {};
  const before = authenticationOf(current);
  if (values.authentication === 'secret') return before === 'secret' ? {} : NO_KEYS;
  const method = before === 'secret' ? { tokenEndpointAuthMethod: 'private_key_jwt' } : {};
  return {
    ...NO_KEYS,
    tokenEndpointAuthMethod: current.tokenEndpointAuthMethod,
    ...method,
    ...keysOf(values),
  };
}

/** What findClientProblems cannot say, because it gets no keys then. */
export function findAuthenticationProblem({
  type,
  authentication,
  jwks,
  jwksUri,
}: ApplicationValues): AuthenticationProblem | undefined {
  if (type !== 'confidential' || authentication === 'secret') return undefined;
  if (authentication === 'jwks_uri')
    return jwksUri.trim() === '' ? { field: 'jwksUri', reason: 'jwksUriMissing' } : undefined;
  if (authentication !== 'jwks') return { field: 'tokenEndpointAuthMethod', reason: 'authenticationUnknown' };
  if (jwks.trim() === '') return { field: 'jwks', reason: 'jwksMissing' };
  return parseKeySet(jwks) === undefined ? { field: 'jwks', reason: 'jwksNoJson' } : undefined;
}

/** The pasted public keys, written as a form shows stored ones; undefined if the text is anything else. */
function publicKeysIn(text: string): string | undefined {
  if (text.trim() === '') return '';
  const found = parsePublicJwks(parseKeySet(text));
  return 'keys' in found ? formatKeySet(found) : undefined;
}

/** The values with their public keys; undefined if what was pasted is anything else, which no session may keep. */
export function withPublicKeys(values: ApplicationValues): ApplicationValues | undefined {
  const jwks = publicKeysIn(values.jwks);
  return jwks === undefined ? undefined : { ...values, jwks };
}

export function formatKeySet({ keys }: PublicJwks): string {
  return JSON.stringify({ keys }, null, 2);
}

/** A single key, as many tools print it, is taken as a set of one. */
function parseKeySet(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return value !== null && typeof value === 'object' && 'kty' in value && !('keys' in value)
      ? { keys: [value] }
      : value;
  } catch {
    return undefined;
  }
}

/** What the form holds, kept as it was typed if it has to be shown again. */
export interface ApplicationValues {
  readonly name: string;
  readonly type: string;
  /** One per line. */
  readonly redirectUris: string;
  /** Those that were typed for another kind of application, in case it is chosen again. */
  readonly otherRedirectUris?: string;
  readonly scopes: readonly string[];
  readonly grantTypes: readonly string[];
  /** How a confidential application authenticates. */
  readonly authentication: string;
  /** JSON. */
  readonly jwks: string;
  readonly jwksUri: string;
  /** The fields that the form has from their rows. Absent: it has none of them. */
  readonly about?: FieldValues;
}
