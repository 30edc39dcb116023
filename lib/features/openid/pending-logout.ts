import {
  type Answering,
  type CookieKind,
  keepSigned,
  type SignedCookieSettings,
  takeSigned,
} from '../../core/sessions/signed-cookies.js';
import { hashSecret } from '../../shared/crypto/secrets.js';

/** A client whose page is to be loaded in a frame, and the id by which it knows the session that has ended. */
export interface FrontChannelSignIn {
  readonly clientId: string;
  readonly sid: string;
}

/** Characters, for about 17 clients: many proxies refuse answers whose headers have more than 4 KB altogether. */
const MAX_LENGTH = 2_000;
/** Seconds that may pass between the answer to the form and the request that a browser sends at once. */
const LIFE = 60;

/**
 * Keeps in this browser, until the GET after the form, that a logout request was answered, and who is to be told there.
 * In a signed cookie: the session has ended with the logout, and there may be none for somebody who is not logged in.
 * An address alone is no answer, whoever has written it.
 *
 * @param name the name of the logout request
 * @param asked with the user who stays logged in; an empty `userId` if nobody is logged in any more
 * @returns false if it is too large for a cookie: then nothing is kept
 */
export function keepAnswer(
  settings: SignedCookieSettings,
  name: string,
  context: Answering,
  signIns: readonly FrontChannelSignIn[],
): boolean {
  const pairs = signIns.map(({ clientId, sid }) => [clientId, sid]);
  const word = Buffer.from(JSON.stringify(pairs)).toString('base64url');
  if (word.length > MAX_LENGTH) return false;
  keepSigned(settings, kindOf(name), context, word);
  return true;
}

/** Who is to be told, once; undefined if this request was not answered, or somebody else is logged in by now. */
export function takeAnswer(
  settings: SignedCookieSettings,
  name: string,
  context: Answering,
): readonly FrontChannelSignIn[] | undefined {
  const word = takeSigned(settings, kindOf(name), context);
  if (word === undefined) return undefined;
  // signed, so it is as we have written it
  const pairs = JSON.parse(Buffer.from(word, 'base64url').toString()) as [string, string][];
  return pairs.map(([clientId, sid]) => ({ clientId, sid }));
}

/** Each request has a cookie of its own: another one, which any site can have users open, does not use this one up. */
function kindOf(name: string): CookieKind {
  const hash = hashSecret(name);
  return { name: `oauth-logout-${hash.slice(0, 8)}`, purpose: `answered logout ${hash}`, life: LIFE };
}
