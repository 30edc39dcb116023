/**
 * What is not seen, or changes how its neighbours read: control and format characters, half of a pair of surrogates,
 * what Unicode has programs draw as nothing (the fillers of Hangul among them), the empty pattern of Braille. What
 * makes an emoji of the character before it is none of these.
 */
const UNSEEN =
  /(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffd]/u;
/** No writing system needs five on one letter; more of them cover the lines above and below. */
const STACKED_MARKS = /^\p{M}|\p{M}{5}/u;
const SEEN = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Whether a name has characters that cannot be seen: with them it could pass for another one. */
export function hasUnseenCharacters(name: string): boolean {
  return UNSEEN.test(name);
}

/** Whether marks pile up on a letter of a name, or stand on whatever comes before it. */
export function hasStackedMarks(name: string): boolean {
  return STACKED_MARKS.test(name.normalize('NFC'));
}

/** Whether a name has a letter, a digit or a picture: one of dots and dashes alone would be read as none. */
export function hasSomethingToRead(name: string): boolean {
  return SEEN.test(name);
}
