/**
 * Characters that are not seen, or change how their neighbours read: control and format characters, lone surrogates,
 * those that Unicode tells programs to draw as nothing (the Hangul fillers among them), the empty Braille pattern. The
 * one that turns the character before it into an emoji is not among them.
 */
const UNSEEN =
  /(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffd]/u;
/** No writing system needs five marks on one letter; that many cover the lines above and below. */
const STACKED_MARKS = /^\p{M}|\p{M}{5}/u;
const SEEN = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Whether a name has characters that cannot be seen: with them it could pass for another one. */
export function hasUnseenCharacters(name: string): boolean {
  return UNSEEN.test(name);
}

/** Whether marks pile up on a letter of a name, or would sit on whatever comes before the name. */
export function hasStackedMarks(name: string): boolean {
  return STACKED_MARKS.test(name.normalize('NFC'));
}

/** Whether a name has a letter, a digit or a picture: a name of only dots and dashes would look like none. */
export function hasSomethingToRead(name: string): boolean {
  return SEEN.test(name);
}
