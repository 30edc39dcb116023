import {
  consumeSigned,
  type CookieContext,
  type CookieKind,
  saveSigned,
  type SignedCookieSettings,
} from '../../core/sessions/signed-cookies.js';
import { hashSecret } from '../../shared/crypto/secrets.js';

/** A client whose logout page is loaded in a frame, and its `sid` of the ended session. */
export interface FrontChannelSignIn {
  readonly clientId: string;
  readonly sid: string;
}

/** Characters, for about 17 clients: many proxies refuse responses with more than 4 KB of headers. */
const MAX_LENGTH = 2_000;
/** Seconds from the form's response until the redirected request, which a browser sends at once. */
const LIFE = 60;

/**
 * Stores in this browser, for the GET after the form, that the user has answered a logout request, and which clients to
 * notify. A signed cookie, because the session has ended, or there was none. The address proves no answer, since
 * anybody can write it.
 *
 * @param name the name of the logout request
 * @param context with the user who stays logged in; an empty `userId` if nobody is logged in any more
 * @returns false if the data are too large for a cookie: then nothing is stored
 */
export function keepAnswer(
  settings: SignedCookieSettings,
  name: string,
  context: CookieContext,
  signIns: readonly FrontChannelSignIn[],
): boolean {
  const pairs = signIns.map(({ clientId, sid }) => [clientId, sid]);
  const word = Buffer.from(JSON.stringify(pairs)).toString('base64url');
  if (word.length > MAX_LENGTH) return false;
  saveSigned(settings, answerCookie(name), context, word);
  return true;
}

/** The clients to notify, once; undefined if this request was not answered, or another user has logged in. */
export function takeAnswer(
  settings: SignedCookieSettings,
  name: string,
  context: CookieContext,
): readonly FrontChannelSignIn[] | undefined {
  const word = consumeSigned(settings, answerCookie(name), context);
  if (word === undefined) return undefined;
  // signed, so the format is that of `keepAnswer`
  const pairs = JSON.parse(Buffer.from(word, 'base64url').toString()) as [string, string][];
  return pairs.map(([clientId, sid]) => ({ clientId, sid }));
}

/** Each request has its own cookie: another site can open a logout request, which must not consume this answer. */
function answerCookie(name: string): CookieKind {
  const hash = hashSecret(name);
  return { name: `oauth-logout-${hash.slice(0, 8)}`, purpose: `answered logout ${hash}`, life: LIFE };
}
