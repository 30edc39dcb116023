/**
 * `npm run lint:shape`: a function of lib/ with exactly one caller and fewer than twelve lines is written where it is
 * called, unless its name is one that the field knows. This counts such functions; their number may only fall.
 *
 * `npm run lint:shape -- --list lib/core/guard` names them, below a folder or everywhere.
 *
 * A function has one caller if its name is used exactly once beside its declaration: in its file if the function is not
 * exported, in lib/ if it is. Imports and exports are no uses. Exported names that are declared twice are left out.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

/** The maximum. Lower it to the printed number whenever that is lower, and never raise it. */
const CEILING = 178;
const SHORT = 12;
const ROOT = join(import.meta.dirname, '../..');

interface Declared {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly lines: number;
  readonly isExported: boolean;
}

const increment = (counts: Map<string, number>, name: string, by = 1) =>
  counts.set(name, (counts.get(name) ?? 0) + by);

/** The node with the name and the body of a function; undefined for any other node. */
function namedFunction(node: ts.Node) {
  if (ts.isFunctionDeclaration(node)) return node;
  if (!ts.isVariableDeclaration(node) || node.initializer === undefined) return undefined;
  return ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer) ? node : undefined;
}

/** Whether the identifier is a declared name, the name of a member or a type, and so no use of a function. */
function isName(identifier: ts.Identifier): boolean {
  const { parent } = identifier;
  if (ts.isTypeReferenceNode(parent)) return true;
  return 'name' in parent && parent.name === identifier && !ts.isShorthandPropertyAssignment(parent);
}

/** The functions that a file declares, and how often the file uses each name. */
function readSource(file: string) {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(ROOT, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const declared: Declared[] = [];
  const uses = new Map<string, number>();
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    const declaration = namedFunction(node);
    if (declaration?.name !== undefined && ts.isIdentifier(declaration.name))
      declared.push({
        name: declaration.name.text,
        file,
        line: source.getLineAndCharacterOfPosition(declaration.getStart(source)).line + 1,
        lines: declaration.getText(source).split('\n').length,
        isExported: (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Export) !== 0,
      });
    if (ts.isIdentifier(node) && !isName(node)) increment(uses, node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { file, declared, uses };
}

function findShort(): readonly Declared[] {
  const sources = readdirSync(join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => readSource(join('lib', name)));
  const everywhere = new Map<string, number>();
  for (const [name, count] of sources.flatMap(({ uses }) => [...uses])) increment(everywhere, name, count);
  const exported = new Map<string, number>();
  for (const { name, isExported } of sources.flatMap(({ declared }) => declared))
    if (isExported) increment(exported, name);
  return sources.flatMap(({ declared, uses }) =>
    declared.filter(({ name, lines, isExported }) => {
      if (lines >= SHORT) return false;
      if (!isExported) return uses.get(name) === 1;
      return exported.get(name) === 1 && everywhere.get(name) === 1;
    }),
  );
}

const options = process.argv.slice(2);
const short = findShort();
if (options.includes('--list')) {
  const folder = options.find((option) => !option.startsWith('--')) ?? '';
  for (const { file, line, name, lines } of short)
    if (file.startsWith(folder)) console.log(`${file}:${line} ${name} (${lines} lines)`);
}
console.log(`${short.length} functions under ${SHORT} lines have one caller; at most ${CEILING} are allowed`);
if (short.length > CEILING) {
  console.error('Write them where they are called. --list names them.');
  process.exitCode = 1;
}
