import { hashSecret } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';

/** Letters of the digest: enough to notice what a program has changed. It is no protection: anybody can make another. */
const DIGEST_LENGTH = 8;

/** A field of a form of ours has come back with another value than our page gave it. */
export class ChangedField extends OAuthError {
  constructor(name: string) {
    super('invalid_request', `the field ${name} is not as our form has it`, {
      reason: 'request_malformed',
      detail: `the field ${name} came back changed: a sanitizer or another middleware of the site changes what is in bodies; let it leave the paths of the authorization server out`,
    });
  }
}

/**
 * A path or a query as the value of a hidden field: letters that no sanitizer of HTML, `$` or dots changes, and a digest
 * of them, so that what something has changed all the same is not taken for another request.
 */
export function carryText(text: string): string {
  const letters = Buffer.from(text).toString('base64url');
  return digestOf(letters) + letters;
}

/** Letters that no sanitizer changes; our tokens and digests have no others. */
const PLAIN = /^[\w:-]*$/;

/** The value of a field or a box as a form of ours has it: as it is if it is plain, or as `carryText` writes it. */
export function carryValue(value: string): string {
  return PLAIN.test(value) ? value : carryText(value);
}

export function isCarriedValue(value: string): boolean {
  return PLAIN.test(value);
}

/** The text that `carryText` has written; undefined if the value is not as it was written. */
export function peekCarriedText(value: string): string | undefined {
  const [digest, letters] = [value.slice(0, DIGEST_LENGTH), value.slice(DIGEST_LENGTH)];
  return digest === digestOf(letters) ? Buffer.from(letters, 'base64url').toString() : undefined;
}

function digestOf(letters: string): string {
  return hashSecret(letters).slice(0, DIGEST_LENGTH);
}
