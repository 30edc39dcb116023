import * as z from '../../shared/schema.js';

/** Stands before the words about a secret, so that the sentence about it leaves the value out. */
export const SECRET_MARK = '\0';

/** Secrets that documents of ours had as examples: everybody knows them. */
const PUBLISHED: ReadonlySet<string> = new Set([
  'openssl rand -base64 32 prints one, 32 characters at least',
  'at least 32 characters, the same everywhere',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  // of the documents of Svix
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
]);
const MIN_LENGTH = 32;
/** 32 random characters of hexadecimal have fewer than eight different ones once in ten million times. */
const MIN_DIFFERENT = 8;

/** `your-secret-here-change-me`: examples that wait for a real secret. No random text has so many of these letters. */
const PLACEHOLDERS = [
  // printable: random bytes may begin and end like that
  /^<[\x20-\x7e]*>$/,
  /(change|replace|insert)[^a-z]*(me|this|with|your)/i,
  /your[^a-z]*([a-z]+[^a-z]+){0,2}(secret|key|password|session)/i,
  /(secret|password)[^a-z]*(here|goes)/i,
];
/** What a hand types that goes along the keys, or the alphabet. */
const ROWS = 'abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop asdfghjkl zxcvbnm';

/** @param words what it must be, with a hint behind "; " that says how to make one */
export function secretText(message: string): z.Schema<string, string> {
  return z
    .string(message)
    .min(MIN_LENGTH, message)
    .refine((value) => !isGuessable(value), guessableTerms(message));
}

/** Refuses a secret that can be guessed; its shape is checked elsewhere. @param keyOf the key that a value encodes */
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
    // it begins again within its first two thirds, and goes on as it began
    shifts.some((shift) => secret.startsWith(secret.slice(shift))) ||
    // most of its characters are neighbours in a row; of random ones it is one in sixteen
    pairs.filter((pair) => ROWS.includes(pair)).length > pairs.length / 2
  );
}

function guessableTerms(message: string): string {
  const [, ...hints] = message.split('; ');
  return ['random: this one can be guessed', ...hints].join('; ');
}

/** The shape of a row that is marked as a secret: the same, but what it reports carries the mark. */
export function markedAsSecret<Parsed, Given>(shape: z.Schema<Parsed, Given>): z.Schema<Parsed, Given> {
  return new z.Schema<Parsed, Given>((value) => {
    const { issues, value: parsed } = shape.validate(value);
    if (issues === undefined) return { value: parsed };
    // without the branches of a union, whose messages would not carry it
    return { issues: issues.map(({ path, message }) => ({ path, message: SECRET_MARK + message })) };
  });
}
