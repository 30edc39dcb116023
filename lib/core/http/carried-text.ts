import { hashSecret } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';

/** Characters of the digest: enough to notice a change by a program. It is no protection: anybody can make another. */
const DIGEST_LENGTH = 8;

/** A field of a form of this server has come back with another value than the page gave it. */
export class ChangedField extends OAuthError {
  constructor(name: string) {
    super('invalid_request', `the field ${name} is not as our form has it`, {
      reason: 'request_malformed',
      detail: `the field ${name} came back changed: a sanitizer or another middleware of the site changes what is in bodies; let it leave the paths of the authorization server out`,
    });
  }
}

/**
 * Encodes a path or a query as the value of a hidden field: in letters that no sanitizer of HTML, `$` or dots changes,
 * with a digest, so that any other change is noticed.
 */
export function carryText(text: string): string {
  const letters = Buffer.from(text).toString('base64url');
  return digestOf(letters) + letters;
}

/** Letters that no sanitizer changes; tokens and digests of this server have no others. */
const PLAIN = /^[\w:-]*$/;

/** Encodes the value of a field or a box: unchanged if it is plain, otherwise by `carryText`. */
export function carryValue(value: string): string {
  return PLAIN.test(value) ? value : carryText(value);
}

export function isCarriedValue(value: string): boolean {
  return PLAIN.test(value);
}

/** Decodes the result of `carryText`; undefined if the value was changed. */
export function peekCarriedText(value: string): string | undefined {
  const [digest, letters] = [value.slice(0, DIGEST_LENGTH), value.slice(DIGEST_LENGTH)];
  return digest === digestOf(letters) ? Buffer.from(letters, 'base64url').toString() : undefined;
}

function digestOf(letters: string): string {
  return hashSecret(letters).slice(0, DIGEST_LENGTH);
}
