import { z } from 'zod';

/** Stands before the words about a secret, so that the sentence about it leaves the value out. */
export const SECRET_MARK = '\0';

/** Secrets that documents of ours had as examples: everybody knows them. */
const PUBLISHED: ReadonlySet<string> = new Set([
  'openssl rand -base64 32 prints one, 32 characters at least',
  'at least 32 characters, the same everywhere',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
]);
const MIN_LENGTH = 32;
/** 32 random characters of hexadecimal have fewer than eight different ones once in ten million times. */
const MIN_DIFFERENT = 8;

/** `your-secret-here-change-me`: examples that wait for a real secret. No random text has so many of these letters. */
const PLACEHOLDER =
  /(change|replace|insert)[^a-z]*(me|this|with|your)|your[^a-z]*(own[^a-z]*)?(secret|key|password|session)|(secret|password)[^a-z]*(here|goes)/i;

/** @param words what it must be, with a hint behind "; " that says how to make one */
export function secretText(message: string): z.ZodType<string, string> {
  return z
    .string(message)
    .min(MIN_LENGTH, message)
    .refine((value) => value.length < MIN_LENGTH || !isGuessable(value), guessableTerms(message));
}

/** Refuses a secret that is in documents; its shape is checked elsewhere. */
export function unpublished(shape: z.ZodType<string, string>, message: string): z.ZodType<string, string> {
  return shape.refine((value) => !PUBLISHED.has(value), guessableTerms(message));
}

function isGuessable(secret: string): boolean {
  return (
    PUBLISHED.has(secret) ||
    PLACEHOLDER.test(secret) ||
    new Set(secret).size < MIN_DIFFERENT ||
    /^(.{1,16})\1+.{0,16}$/s.test(secret)
  );
}

function guessableTerms(message: string): string {
  const [, ...hints] = message.split('; ');
  return ['random: this one can be guessed', ...hints].join('; ');
}

/** The shape of a row that is marked as a secret: the same, but what it reports carries the mark. */
export function markedAsSecret<Parsed, Given>(shape: z.ZodType<Parsed, Given>): z.ZodType<Parsed, Given> {
  return z
    .custom<Given>()
    .superRefine((value, context) => {
      const { error } = shape.safeParse(value);
      for (const { path, message } of error?.issues ?? [])
        context.addIssue({ code: 'custom', path, message: SECRET_MARK + message });
    })
    .transform((value) => shape.parse(value));
}
