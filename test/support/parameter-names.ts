import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The readers of forms and queries, with the name that they read: the linter allows no other way. */
const READS =
  /\b(?:parseParameter|peekParameter|hasParameter|parseRepeated|requireParameter|required|textField|hasField|listField|fieldOf|textOf|hintIn)\(\s*[^,()]*(?:\([^()]*\))?[^,()]*,\s*'([\w.]+)'/g;
/** Lists of parameters, and fields of parsed ones. */
const LISTS = /\b(?:parameters|repeatable|ABOUT_LOGINS|TYPED)\b[^=[\n]*[:=]\s*\[([^\]]*)\]/g;
const PARSED = /\bparameters\.(\w+)/g;
const FIELDS = /\bname="([\w.]+)"/g;

function filesBelow(folder: string, ending: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'));
}

/** All names of parameters and fields that the code reads and the views send, taken from their texts. */
export function parameterNames(): readonly string[] {
  const code = filesBelow('lib', '.ts').join('\n');
  const views = filesBelow('views', '.ejs').join('\n');
  const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);
  const listed = found(code, LISTS).flatMap((list) => found(list, /'([\w.]+)'/g));
  return [
    ...new Set([...found(code, READS), ...listed, ...found(code, PARSED), ...found(views, FIELDS)]),
  ].sort();
}
