/** Secrets that are made here, which begin with a prefix, and all JWTs. What is left shows which kind it was. */
const SECRETS = /(eas_[a-z]{2,3}_)[\w-]+|(eyJ)[\w-]*\.[\w-]+\.[\w-]*/g;
/** Characters that end a line, move the cursor or turn the reading direction. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * A text that may hold what strangers sent, as it goes into logs, events and the audit: secrets that were sent in place
 * of something else are masked, and nothing in it passes for another line of a log.
 */
export function sanitizeForLog(text: string): string {
  return text
    .replace(SECRETS, '$1$2…')
    .replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
