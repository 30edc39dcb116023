/** Secrets of this server, which have a prefix, and all JWTs. The rest of the match shows the kind of secret. */
const SECRETS = /(eas_[a-z]{2,3}_)[\w-]+|(eyJ)[\w-]*\.[\w-]+\.[\w-]*/g;
/** Characters that end a line, move the cursor or turn the reading direction. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Sanitizes a text from strangers for logs, events and the audit: secrets are masked, and no part of the text can pass
 * for another line of a log.
 */
export function sanitizeForLog(text: string): string {
  return text
    .replace(SECRETS, '$1$2…')
    .replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
