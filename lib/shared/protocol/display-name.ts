/** What could be taken for a badge, a tick or a picture of ours. Trade mark and number signs could not. */
const PICTURE = /(?![©®™°№])[\p{So}\p{Extended_Pictographic}\p{Regional_Indicator}√]|\ufe0f|\u20e3/u;
/** The same, each of them, with what joins them. */
const PICTURES =
  /(?![©®™°№\u2800])[\p{So}\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}√]|[\ufe0f\u20e3]|\u200d(?=\p{Extended_Pictographic})/gu;
/** A sentence ends, and something follows it: the name would be read as ours. */
const SENTENCE = /[!?؟。！？।…][\s"'”’)]*[\p{L}\p{N}]|\.["'”’)]*\s+[\p{L}\p{N}]/u;
/** A full stop that does not end a sentence. */
const SHORTENED = /(?<!\p{L})(\p{L}|Dr|St|Mr|Mrs|Ms|Inc|Ltd|Co|Corp|Bros|Jr|Sr|No|vs)\.(?=\s)/giu;
/** No word in these scripts has three marks on one letter. */
const MARKED = /[\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}]\p{M}{3}/u;

/** Scripts whose words have no letters of another script in them. */
const ALONE = [/\p{sc=Latin}/u, /\p{sc=Greek}/u, /\p{sc=Cyrillic}/u, /\p{sc=Armenian}/u, /\p{sc=Cherokee}/u];
/** Written in East Asia, with each other and with Latin letters (UTS #39 §5.2, highly restrictive). */
const EAST_ASIAN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Hangul}]/u;
/** A letter of any other script. */
const OTHER =
  /(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Armenian}\p{sc=Cherokee}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Hangul}\p{sc=Common}\p{sc=Inherited}])\p{L}/u;

/** Why a name could pass for something other than a name, since a page shows it beside its own words. */
export type NameTrick = 'namePicture' | 'nameSentence' | 'nameScripts' | 'nameMarks';

/** @see UTS #39 §5, UTR #36 §2 */
export function findNameTrick(name: string): NameTrick | undefined {
  if (PICTURE.test(name)) return 'namePicture';
  if (MARKED.test(name.normalize('NFC'))) return 'nameMarks';
  if (SENTENCE.test(name.replaceAll(SHORTENED, '$1'))) return 'nameSentence';
  return name.split(/[^\p{L}\p{M}\p{N}]+/u).some(mixesScripts) ? 'nameScripts' : undefined;
}

/** Characters of a name that a program gives itself. */
const MAX_LENGTH = 100;

/**
 * A name that a program has given itself, without pictures, without what follows its first sentence, and no longer than
 * a name can be. What is left may still be none.
 */
export function limitName(name: string): string {
  const plain = name.replaceAll(PICTURES, ' ').replaceAll(/ {2,}/g, ' ').trim();
  // masked by a text of the same length, so that the place is the same
  const masked = plain.replaceAll(SHORTENED, (_, letters: string) => `${letters} `);
  const sentence = plain.slice(0, SENTENCE.exec(masked)?.index);
  if (sentence.length <= MAX_LENGTH) return sentence;
  // by code points, and at the end of a word if there is one near
  let cut = '';
  for (const character of sentence) {
    if (cut.length + character.length > MAX_LENGTH) break;
    cut += character;
  }
  const space = cut.lastIndexOf(' ');
  return (space > MAX_LENGTH / 2 ? cut.slice(0, space) : cut).trim();
}

function mixesScripts(word: string): boolean {
  const alone = ALONE.filter((script) => script.test(word));
  const others = [EAST_ASIAN, OTHER].filter((scripts) => scripts.test(word)).length;
  const isLatinAmongEastAsian =
    alone.length === 1 && others === 1 && EAST_ASIAN.test(word) && alone[0] === ALONE[0];
  return alone.length + others > 1 && !isLatinAmongEastAsian;
}

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
