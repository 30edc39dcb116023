import type { Settings } from '../../settings/settings.js';
import { OAuthError, unexpectedCondition } from '../../shared/errors.js';
import {
  areStorable,
  type AuthorizationDetail,
  invalidDetails,
  parseAuthorizationDetails,
} from '../../shared/protocol/authorization-details.js';
import type { Client } from '../clients/client.js';
import type { DetailTypeSettings } from './compare-details.js';

type DetailsClient = Pick<Client, 'authorizationDetailsTypes'>;
type DetailRules = Pick<Settings, 'authorizationDetails'>;

/** The parameter `authorization_details`, if the server has types; otherwise it is ignored (RFC 6749 §3.1). */
export function detailParameters({ authorizationDetails: types }: DetailRules): readonly string[] {
  return types?.size ? ['authorization_details'] : [];
}

/**
 * The authorization details that a request of this client names; undefined if there are none, or this server has no
 * types.
 *
 * @param text the parameter `authorization_details`
 * @throws OAuthError invalid_authorization_details
 * @see RFC 9396 §5
 */
export async function readDetails(
  text: string | undefined,
  client: DetailsClient,
  { authorizationDetails: types }: DetailRules,
): Promise<readonly AuthorizationDetail[] | undefined> {
  if (!types?.size || text === undefined) return undefined;
  const parsed = parseAuthorizationDetails(text);
  // all types first: no schema runs if the request is refused anyway
  const typed = parsed.map((detail) => ({ detail, type: requireType(detail, client, types) }));
  return Promise.all(typed.map(({ detail, type }) => check(detail, type)));
}

/** RFC 9396 §5, §10: this server must have the type, and a client with registered types must be registered for it */
function requireType(
  { type }: AuthorizationDetail,
  { authorizationDetailsTypes: registered }: DetailsClient,
  types: NonNullable<DetailRules['authorizationDetails']>,
): DetailTypeSettings {
  const typeSettings = types.get(type);
  if (typeSettings === undefined) throw invalidDetails('a type is not known here');
  if (registered?.includes(type) === false)
    throw new OAuthError(
      'invalid_authorization_details',
      'the client is not registered for a type of these authorization_details',
      { reason: 'authorization_details_not_registered' },
    );
  return typeSettings;
}

/** RFC 9396 §5: refuses unknown, missing and invalid fields */
async function check(
  { type, ...fields }: AuthorizationDetail,
  { schema }: DetailTypeSettings,
): Promise<AuthorizationDetail> {
  let result: Awaited<ReturnType<(typeof schema)['~standard']['validate']>>;
  try {
    result = await schema['~standard'].validate(fields);
  } catch (cause) {
    // an error in the site's code; its message may contain parts of the detail
    throw unexpectedCondition('a schema of authorizationDetails threw', cause);
  }
  if (result.issues !== undefined)
    throw invalidDetails('fields are missing, unknown or wrong for their type');
  const value = toJson(result.value);
  // many schemas drop unknown fields
  if (!isCovered(fields, value)) throw invalidDetails('a field is not known for its type');
  // the type that was checked, even if the schema returns another
  return Object.assign({ type }, value, { type });
}

/** Details are stored, signed and sent as JSON, but a schema may turn values into dates and the like. */
function toJson(value: unknown): Readonly<Record<string, unknown>> {
  const plain: unknown = JSON.parse(JSON.stringify(value ?? null));
  const isObject = typeof plain === 'object' && plain !== null && !Array.isArray(plain);
  if (isObject && areStorable([plain])) return { ...plain };
  if (isObject)
    throw unexpectedCondition('a schema of authorizationDetails gave a name or a text that cannot be stored');
  throw unexpectedCondition('a schema of authorizationDetails gave something else than an object');
}

/** Whether the result of the schema still has every field that was sent. */
function isCovered(sent: unknown, stored: unknown): boolean {
  if (typeof sent !== 'object' || sent === null) return true;
  if (typeof stored !== 'object' || stored === null) return false;
  return Object.entries(sent).every(
    ([name, value]) => Object.hasOwn(stored, name) && isCovered(value, stored[name as never]),
  );
}
