import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import ts from 'typescript';

/** Makes each function below a folder record its entry: `{ file, name }` as `file name`, in `globalThis.entered`. */
export async function instrument(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const path = join(folder, file);
    await writeFile(path, instrumented(file, await readFile(path, 'utf8')));
  }
}

function instrumented(file: string, text: string): string {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const insertions: { readonly at: number; readonly code: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const note = `globalThis.entered?.push(${JSON.stringify(`${file} ${nameOf(node)}`)})`;
      const { body } = node;
      if (ts.isBlock(body)) insertions.push({ at: body.getStart() + 1, code: `${note};` });
      else insertions.push({ at: body.getStart(), code: `(${note}, (` }, { at: body.getEnd(), code: '))' });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  // from the end, so that earlier positions stay
  return insertions
    .sort((a, b) => b.at - a.at)
    .reduce((code, { at, code: added }) => code.slice(0, at) + added + code.slice(at), text);
}

/** The name of the function, or of the variable that has it. */
function nameOf(node: ts.SignatureDeclaration): string {
  const named = node.name ?? (node.parent as { readonly name?: ts.Node }).name;
  return named?.getText() ?? '';
}
