import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

const FROM = fileURLToPath(new URL('contenders', import.meta.url));
const TO = fileURLToPath(new URL('dist', import.meta.url));

/**
 * Contenders run as plain JavaScript: a loader such as tsx would have a thread and memory of its own in the measured
 * process, and names each inner function as it is made, which costs on hot paths.
 */
export async function compileContenders(): Promise<void> {
  await rm(TO, { recursive: true, force: true });
  const files = (await readdir(FROM, { recursive: true })).filter((file) => file.endsWith('.ts'));
  for (const file of files) {
    const target = join(TO, file.replace(/\.ts$/, '.js'));
    const { outputText } = ts.transpileModule(await readFile(join(FROM, file), 'utf8'), {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2023,
        verbatimModuleSyntax: true,
      },
    });
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, outputText);
  }
}
