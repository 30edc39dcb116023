import { writeFile } from 'node:fs/promises';

/**
 * Runs a piece of JavaScript of a document.
 *
 * @param file the path for the piece
 * @param known the variables that the piece can use, by name
 * @returns these variables and those that the piece declares
 */
export async function runPiece(
  file: string,
  text: string,
  known: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const declared = [...text.matchAll(/^const (?:\{ (\w+(?:, \w+)*) \}|(\w+)) =/gm)].flatMap(
    ([, names = '', name]) => name ?? names.split(', '),
  );
  const given = Object.keys(known).filter((name) => !declared.includes(name));
  await writeFile(
    file,
    `export default async ({ ${given.join(', ')} }) => {\n${text}\nreturn { ${declared.join(', ')} };\n};\n`,
  );
  const piece = (await import(file)) as { default: (known: object) => Promise<object> };
  return { ...known, ...(await piece.default(known)) };
}
