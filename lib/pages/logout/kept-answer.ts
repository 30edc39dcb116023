import { hashSecret } from '../../crypto/secrets.js';
import {
  type Answering,
  type CookieKind,
  keepSigned,
  type SignedCookieSettings,
  takeSigned,
} from '../../http/signed-cookies.js';

/** A client whose page is to be loaded in a frame, and the id by which it knows the session that has ended. */
export interface ToldByFrame {
  readonly clientId: string;
  readonly sid: string;
}

/** Characters: browsers drop a cookie of more than 4096 bytes, including its name, its end and its signature. */
const MAX_LENGTH = 3_800;
/** Seconds that may pass between the answer to the form and the request that a browser sends at once. */
const LIFE = 60;

/**
 * Keeps that the form of a logout request was answered, until the GET after it, and who is to be told there. In a
 * cookie: the session has ended with the logout, and there may be none for somebody who is not logged in.
 *
 * @param name of the logout request. An address alone, whoever has written it, is no answer.
 * @param asked with the person who stays logged in; an empty `userId` if nobody is logged in any more
 * @returns false if it is too large for a cookie: then nothing is kept
 */
export function keepAnswer(
  settings: SignedCookieSettings,
  name: string,
  asked: Omit<Answering, 'req'>,
  told: readonly ToldByFrame[],
): boolean {
  const pairs = told.map(({ clientId, sid }) => [clientId, sid]);
  const word = Buffer.from(JSON.stringify(pairs)).toString('base64url');
  if (word.length > MAX_LENGTH) return false;
  keepSigned(settings, kindOf(name), asked, word);
  return true;
}

/** Who is to be told, once; undefined if this request was not answered, or somebody else is logged in by now. */
export function takeAnswer(
  settings: SignedCookieSettings,
  name: string,
  asked: Answering,
): readonly ToldByFrame[] | undefined {
  const word = takeSigned(settings, kindOf(name), asked);
  if (word === undefined) return undefined;
  // signed, so it is as we have written it
  const pairs = JSON.parse(Buffer.from(word, 'base64url').toString()) as readonly (readonly [
    string,
    string,
  ])[];
  return pairs.map(([clientId, sid]) => ({ clientId, sid }));
}

/** Each request has a cookie of its own: opening another one, from any site, does not use this one up. */
function kindOf(name: string): CookieKind {
  const hash = hashSecret(name);
  return { name: `oauth-logout-${hash.slice(0, 8)}`, purpose: `answered logout ${hash}`, life: LIFE };
}
