import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Contenders run as plain JavaScript: a loader such as tsx would have a thread and memory of its own in the measured
 * process, and it names each inner function when that is created, which costs time on hot paths.
 *
 * @param tree its root. Default: this one
 */
export async function compileContenders(tree = ROOT): Promise<void> {
  const [from, to] = [join(tree, 'test/bench/contenders'), join(tree, 'test/bench/dist')];
  await rm(to, { recursive: true, force: true });
  const files = (await readdir(from, { recursive: true })).filter((file) => file.endsWith('.ts'));
  for (const file of files) {
    const target = join(to, file.replace(/\.ts$/, '.js'));
    const { outputText } = ts.transpileModule(await readFile(join(from, file), 'utf8'), {
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
