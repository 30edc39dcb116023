import { lazy } from '../../../shared/lazy.js';
import { hasUnseenCharacters } from '../../../shared/protocol/display-name.js';
import { isSecureUrl, namesItsAuthority } from '../../../shared/protocol/redirect-uri.js';
import * as z from '../../../shared/schema.js';
import { parsePublicJwks } from '../public-jwks.js';

/** Whether a client may register this address: https:, or http: on loopback, in ASCII, and without a user. */
export function isHttpsUrl(value: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(value) || !URL.canParse(value) || !namesItsAuthority(value)) return false;
  const { username, password } = new URL(value);
  return isSecureUrl(value) && username === '' && password === '';
}

// Each message continues after the name of the field.
export const textSchema = lazy(() => z.string('must be text'));
export const listSchema = lazy(() => z.array(z.string('must be a list of text'), 'must be a list of text'));
export const flagSchema = lazy(() => z.boolean('must be true or false'));
export const numberSchema = lazy(() => z.number('must be a number'));
/** For fields whose own check is stricter than a shape. */
export const anything = lazy(() => z.unknown());

/** Public keys (RFC 7517 §5). */
export const keySet = lazy(() =>
  z.unknown().check((value) => {
    const parsed = parsePublicJwks(value);
    return 'keys' in parsed ? [] : [{ path: [], message: `cannot be used: ${parsed.text}` }];
  }),
);

/** Informational text from a client. */
export const shortText = lazy(() =>
  textSchema()
    .max(200, 'is longer than 200 characters')
    .refine((value) => !hasUnseenCharacters(value), 'has invisible or control characters'),
);
export const shortList = lazy(() =>
  z
    .array(
      z.string('must be a list of text').max(200, 'has an entry of more than 200 characters'),
      'must be a list of text',
    )
    .max(50, 'has too many entries'),
);
export const page = lazy(() =>
  z
    .string('must be a URL')
    .max(2048, 'is longer than 2048 characters')
    .refine(isHttpsUrl, 'must be an https: URL'),
);
