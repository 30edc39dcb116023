import { OAuthError } from '../../shared/errors.js';
import {
  IDENTIFIER_FORMATS as FORMATS,
  isIdentifierText,
  MAX_IDENTIFIER_LENGTH,
  type SubjectIdentifier,
} from '../../shared/protocol/subject-identifier.js';

/**
 * The `sub_id` of a request. `aliases` (RFC 9493 §3.2.8), several names in one, is not accepted: they could belong to
 * two people.
 *
 * @throws OAuthError invalid_request
 */
export function parseSubjectIdentifier(body: Readonly<Record<string, unknown>>): SubjectIdentifier {
  const { sub_id: given, ...others } = body;
  // draft-parecki-oauth-global-token-revocation-04 §3.2: a single property
  if (Object.keys(others).length > 0) throw wrong('the request has one member, sub_id');
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw wrong('sub_id must be an object (RFC 9493)');
  const subject = given as Readonly<Record<string, unknown>>;
  const { format } = subject;
  const members = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (members === undefined) throw wrong(`format must be one of ${Object.keys(FORMATS).join(', ')}`);
  const missing = members.find((name) => !isIdentifierText(subject[name]));
  if (missing !== undefined)
    throw wrong(`${missing} must be text of at most ${MAX_IDENTIFIER_LENGTH} characters`);
  // RFC 9493 §3: MUST NOT contain any others than those of the format
  const [unknown] = Object.keys(subject).filter((name) => name !== 'format' && !members.includes(name));
  if (unknown !== undefined) throw wrong(`${String(format)} has no other members`);
  return subject as SubjectIdentifier;
}

function wrong(description: string): OAuthError {
  return new OAuthError('invalid_request', description, { reason: 'request_malformed' });
}
