import { OAuthError } from '../../shared/errors.js';
import type { RegistrationOptions } from './options.js';

/** Maximum length in characters; the database stores the statement. */
const MAX_LENGTH = 8192;

/**
 * Has the site verify the software statement of a registration; an empty object if the request has none.
 *
 * @throws OAuthError invalid_software_statement, or unapproved_software_statement without the option
 * @see RFC 7591 §2.3, §3.1.1, §3.2.2
 */
export async function readSoftwareStatement(
  request: Readonly<Record<string, unknown>>,
  verify: RegistrationOptions['verifySoftwareStatement'],
) {
  const { software_statement: statement } = request;
  if (statement === undefined || statement === null || statement === '') return {};
  // §3.1.1 allows ignoring it, but that would register a client without its publisher's restrictions
  if (verify === undefined)
    throw new OAuthError('unapproved_software_statement', 'this server approves no software statements', {
      reason: 'software_statement_invalid',
    });
  if (typeof statement !== 'string' || statement.length > MAX_LENGTH) throw refused('not text, or too long');
  const claims = await Promise.resolve(verify(statement)).catch((cause: unknown) => {
    // errors of jose's `jwtVerify` and of the guard mean a wrong JWT; anything else is a failure of the site
    const isWrong =
      cause instanceof OAuthError
        ? cause.error === 'invalid_token'
        : cause instanceof Error && /^ERR_(JW|JOSE)/.test(String((cause as { code?: unknown }).code));
    throw isWrong ? refused('the JWT is not valid', cause) : cause;
  });
  if (claims === null || typeof claims !== 'object') throw refused('refused by verifySoftwareStatement');
  // §2.3: a statement MUST NOT contain another one
  const { software_statement: inner, ...metadata } = claims;
  return { statement, claims: metadata };
}

function refused(detail: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_software_statement', 'the software statement is not valid', {
    reason: 'software_statement_invalid',
    detail,
    cause,
  });
}
