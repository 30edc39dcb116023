/** What is made here says so in front; and JWTs, whoever made them. What is left says which kind it was. */
const SECRETS = /(eas_[a-z]{2}_)[\w-]+|(eyJ)[\w-]*\.[\w-]+\.[\w-]*/g;
/** By these a text ends its line, moves the cursor or turns the reading direction. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * A text that may hold what strangers sent, as it goes into logs, events and the audit: secrets that were sent in the
 * place of something else are masked, and nothing in it passes for another line of a log.
 */
export function notedText(text: string): string {
  return text.replace(SECRETS, '$1$2…').replace(UNSEEN, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
