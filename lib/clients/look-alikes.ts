import { remove } from 'confusables';

/** What a text looks like: the same for two that can be taken for each other. */
interface Look {
  /** The words with a space between them, and around. */
  readonly words: string;
  readonly joined: string;
}

/** Latin letters and digits that are taken for each other, in lower case. */
const ALIKE: readonly (readonly [RegExp, string])[] = [
  [/[i1|!]/g, 'l'],
  [/0/g, 'o'],
  [/5/g, 's'],
];
/** Two letters that are taken for one. */
const PAIRS: typeof ALIKE = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
];
/** A shorter name would be found within many honest words. */
const MIN_WITHIN = 8;

/**
 * Whether one name could be read as another one, or has it in it, ignoring the case, the script of its letters, marks
 * on them, and spaces and signs between them.
 *
 * @see UTS #39 §4; the table is from the package confusables, which knows more of them
 */
export function looksLike(name: string, other: string): boolean {
  const [shown, meant] = [lookOf(name), lookOf(other)];
  if (meant.joined === '') return false;
  return (
    shown.joined === meant.joined ||
    shown.words.includes(meant.words) ||
    (meant.joined.length >= MIN_WITHIN && shown.joined.includes(meant.joined))
  );
}

function lookOf(text: string): Look {
  const latin = remove(text.normalize('NFKC')).normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const words = fold(latin, ALIKE).split(/[^\p{L}\p{N}]+/u);
  return {
    words: fold(` ${words.join(' ')} `.replaceAll(/ +/g, ' '), PAIRS),
    joined: fold(words.join(''), PAIRS),
  };
}

function fold(text: string, table: typeof ALIKE): string {
  return table.reduce((folded, [alike, letter]) => folded.replaceAll(alike, letter), text);
}
