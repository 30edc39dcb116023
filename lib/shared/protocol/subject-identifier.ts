import { canonicalJson } from './json.js';

/** A subject identifier (RFC 9493 §3), such as `{ format: 'email', email: 'ada@photos.example' }`. */
export interface SubjectIdentifier {
  readonly format: string;
  readonly [member: string]: unknown;
}

/** The formats of a single name, with their required members. (RFC 9493 §3.2) */
export const IDENTIFIER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  account: ['uri'],
  email: ['email'],
  iss_sub: ['iss', 'sub'],
  opaque: ['id'],
  phone_number: ['phone_number'],
  did: ['url'],
  uri: ['uri'],
};
/** The formats with those of Shared Signals Framework §3.5. */
const MEMBERS: typeof IDENTIFIER_FORMATS = {
  ...IDENTIFIER_FORMATS,
  jwt_id: ['iss', 'jti'],
  saml_assertion_id: ['issuer', 'assertion_id'],
};
/** Characters; no real identifier is longer. */
export const MAX_IDENTIFIER_LENGTH = 1024;

/**
 * Whether a value is a subject: an identifier with the members that its format requires, an identifier of an agreed
 * format, or several identifiers of one principal. (Shared Signals Framework §3.2, §3.3, §3.4)
 */
export function isSubject(value: unknown): value is SubjectIdentifier {
  if (!isSubjectIdentifier(value)) return false;
  if (value.format !== 'complex') return true;
  const members = Object.entries(value).filter(([name]) => name !== 'format');
  return (
    members.length > 0 &&
    members.every(([, member]) => isSubjectIdentifier(member) && member.format !== 'complex')
  );
}

function isSubjectIdentifier(value: unknown): value is SubjectIdentifier {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const subject = value as SubjectIdentifier;
  const { format } = subject;
  if (!isIdentifierText(format)) return false;
  // §3.5.3
  const addresses = subject['ip-addresses'];
  if (format === 'ip-addresses')
    return Array.isArray(addresses) && addresses.length > 0 && addresses.every(isIdentifierText);
  const members = Object.hasOwn(MEMBERS, format) ? MEMBERS[format]! : [];
  return members.every((name) => isIdentifierText(subject[name]));
}

/** Whether a value can be a member of an identifier. */
export function isIdentifierText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_IDENTIFIER_LENGTH;
}

/**
 * Whether two subjects match: simple ones are identical, and complex ones agree in all common members.
 *
 * @see Shared Signals Framework §8.1.3.1
 */
export function matchesIdentifier(one: SubjectIdentifier, other: SubjectIdentifier): boolean {
  if (one.format !== 'complex' || other.format !== 'complex')
    return canonicalJson(one) === canonicalJson(other);
  return Object.entries(one).every(
    ([name, member]) => other[name] === undefined || canonicalJson(member) === canonicalJson(other[name]),
  );
}
