import * as z from '../../shared/schema.js';

/** A prefix of messages about secrets, which must not quote the value. */
export const SECRET_MARK = '\0';

/** Secrets from published examples, which anybody can try. */
const PUBLISHED: ReadonlySet<string> = new Set([
  'openssl rand -base64 32 prints one, 32 characters at least',
  'at least 32 characters, the same everywhere',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  // from the documentation of Svix
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
]);
const MIN_LENGTH = 32;
/** 32 random hexadecimal characters have fewer than eight different ones once in ten million times. */
const MIN_DIFFERENT = 8;

/** Placeholders such as `your-secret-here-change-me`. No random text contains so many of these letters. */
const PLACEHOLDERS = [
  // printable: random bytes may begin and end with these signs
  /^<[\x20-\x7e]*>$/,
  /(change|replace|insert)[^a-z]*(me|this|with|your)/i,
  /your[^a-z]*([a-z]+[^a-z]+){0,2}(secret|key|password|session)/i,
  /(secret|password)[^a-z]*(here|goes)/i,
];
/** Sequences of neighbouring keys, and the alphabet. */
const ROWS = 'abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop asdfghjkl zxcvbnm';

/** @param message the expected value, and after "; " a hint how to make one */
export function secretText(message: string): z.Schema<string, string> {
  return z
    .string(message)
    .min(MIN_LENGTH, message)
    .refine((value) => !isGuessable(value), guessableTerms(message));
}

/** Refuses a guessable secret; its shape is checked elsewhere. @param keyOf the key that a value encodes */
export function unguessable(
  shape: z.Schema<string, string>,
  message: string,
  keyOf: (value: string) => string,
): z.Schema<string, string> {
  return shape.refine(
    (value) => !PUBLISHED.has(value) && !isGuessable(keyOf(value)),
    guessableTerms(message),
  );
}

function isGuessable(secret: string): boolean {
  const shifts = Array.from({ length: Math.floor((secret.length * 2) / 3) }, (_each, index) => index + 1);
  const text = secret.toLowerCase();
  const pairs = Array.from(text.slice(1), (character, index) => `${text[index]}${character}`);
  return (
    PUBLISHED.has(secret) ||
    PLACEHOLDERS.some((placeholder) => placeholder.test(secret)) ||
    new Set(secret).size < MIN_DIFFERENT ||
    // a repetition that begins within the first two thirds
    shifts.some((shift) => secret.startsWith(secret.slice(shift))) ||
    // mostly pairs of neighbours in a row; in random text one pair in sixteen is
    pairs.filter((pair) => ROWS.includes(pair)).length > pairs.length / 2
  );
}

function guessableTerms(message: string): string {
  const [, ...hints] = message.split('; ');
  return ['random: this one can be guessed', ...hints].join('; ');
}

/** The shape of a secret row, whose messages carry the mark. */
export function markedAsSecret<Parsed, Given>(shape: z.Schema<Parsed, Given>): z.Schema<Parsed, Given> {
  return new z.Schema<Parsed, Given>((value) => {
    const { issues, value: parsed } = shape.validate(value);
    if (issues === undefined) return { value: parsed };
    // without the branches of a union, whose messages would lack the mark
    return { issues: issues.map(({ path, message }) => ({ path, message: SECRET_MARK + message })) };
  });
}
