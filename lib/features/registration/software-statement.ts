import { OAuthError } from '../../shared/errors.js';
import type { RegistrationOptions } from './options.js';

/** Characters; one that is longer would not be stored. */
const MAX_LENGTH = 8192;

/**
 * Has the software statement of a registration request verified by the site; without one there is neither it nor claims.
 *
 * @throws OAuthError invalid_software_statement, or unapproved_software_statement if the site verifies none
 * @see RFC 7591 §2.3, §3.1.1, §3.2.2
 */
export async function readSoftwareStatement(
  request: Readonly<Record<string, unknown>>,
  verify: RegistrationOptions['verifySoftwareStatement'],
) {
  const { software_statement: statement } = request;
  if (statement === undefined || statement === null || statement === '') return {};
  // ignoring it, as §3.1.1 allows, would register the client without what its publisher vouched for
  if (verify === undefined)
    throw new OAuthError('unapproved_software_statement', 'this server approves no software statements', {
      reason: 'software_statement_invalid',
    });
  if (typeof statement !== 'string' || statement.length > MAX_LENGTH) throw refused('not text, or too long');
  const claims = await Promise.resolve(verify(statement)).catch((cause: unknown) => {
    // what `jwtVerify` of jose and the guard throw where a JWT is wrong; anything else is the site's own failure
    const isWrong =
      cause instanceof OAuthError
        ? cause.error === 'invalid_token'
        : cause instanceof Error && /^ERR_(JW|JOSE)/.test(String((cause as { code?: unknown }).code));
    throw isWrong ? refused('the JWT is not valid', cause) : cause;
  });
  if (claims === null || typeof claims !== 'object') throw refused('refused by verifySoftwareStatement');
  // §2.3: a statement never holds another one
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
