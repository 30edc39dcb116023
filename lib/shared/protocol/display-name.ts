/** Characters that look like a badge, a tick or a picture of this server. Trade mark and number signs do not. */
const PICTURE = /(?![©®™°№])[\p{So}\p{Extended_Pictographic}\p{Regional_Indicator}√]|\ufe0f|\u20e3/u;
/** All such characters, with the characters that join them. */
const PICTURES =
  /(?![©®™°№\u2800])[\p{So}\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}√]|[\ufe0f\u20e3]|\u200d(?=\p{Extended_Pictographic})/gu;
/** The end of a sentence with text after it: users could take that for a text of this server. */
const SENTENCE = /[!?؟。！？।…][\s"'”’)]*[\p{L}\p{N}]|\.["'”’)]*\s+[\p{L}\p{N}]/u;
/** A full stop that does not end a sentence. */
const SHORTENED = /(?<!\p{L})(\p{L}|Dr|St|Mr|Mrs|Ms|Inc|Ltd|Co|Corp|Bros|Jr|Sr|No|vs)\.(?=\s)/giu;
/** No word in these scripts has three marks on one letter. */
const MARKED = /[\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}]\p{M}{3}/u;

/** Scripts whose words have no letters of another script in them. */
const ALONE = [/\p{sc=Latin}/u, /\p{sc=Greek}/u, /\p{sc=Cyrillic}/u, /\p{sc=Armenian}/u, /\p{sc=Cherokee}/u];
/** East Asian scripts, which are mixed with each other and with Latin letters (UTS #39 §5.2, highly restrictive). */
const EAST_ASIAN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Hangul}]/u;
/** A letter of any other script. */
const OTHER =
  /(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Armenian}\p{sc=Cherokee}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Hangul}\p{sc=Common}\p{sc=Inherited}])\p{L}/u;

/** Why a name could look like something else: pages show it beside their own texts. */
export type NameTrick = 'namePicture' | 'nameSentence' | 'nameScripts' | 'nameMarks';

/** @see UTS #39 §5, UTR #36 §2 */
export function findNameTrick(name: string): NameTrick | undefined {
  if (PICTURE.test(name)) return 'namePicture';
  if (MARKED.test(name.normalize('NFC'))) return 'nameMarks';
  if (SENTENCE.test(name.replaceAll(SHORTENED, '$1'))) return 'nameSentence';
  return name.split(/[^\p{L}\p{M}\p{N}]+/u).some(mixesScripts) ? 'nameScripts' : undefined;
}

/** Maximum length of a name that a program gives itself. */
const MAX_LENGTH = 100;

/**
 * Shortens a name that a program gives itself: no pictures, only its first sentence, and at most the maximum length.
 * The result may be empty.
 */
export function limitName(name: string): string {
  const plain = name.replaceAll(PICTURES, ' ').replaceAll(/ {2,}/g, ' ').trim();
  // masked by a text of the same length, so that positions stay the same
  const masked = plain.replaceAll(SHORTENED, (_, letters: string) => `${letters} `);
  const sentence = plain.slice(0, SENTENCE.exec(masked)?.index);
  if (sentence.length <= MAX_LENGTH) return sentence;
  // by code points, and at the end of a word if one is near
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
 * Characters that are invisible, or change how their neighbours read: control and format characters, lone surrogates,
 * characters that Unicode lets programs ignore (the Hangul fillers among them), the empty Braille pattern. The
 * character that turns its predecessor into an emoji is not among them.
 */
const UNSEEN =
  /(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffd]/u;
/** No writing system needs five marks on one letter; five cover the lines above and below. */
const STACKED_MARKS = /^\p{M}|\p{M}{5}/u;
const SEEN = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Whether a name has invisible characters: with them it could pass for another name. */
export function hasUnseenCharacters(name: string): boolean {
  return UNSEEN.test(name);
}

/** Whether a letter of a name has too many marks, or a mark begins the name and would sit on the text before it. */
export function hasStackedMarks(name: string): boolean {
  return STACKED_MARKS.test(name.normalize('NFC'));
}

/** Whether a name has a letter, a digit or a picture: a name of only dots and dashes would look empty. */
export function hasSomethingToRead(name: string): boolean {
  return SEEN.test(name);
}
