import { execFile } from 'node:child_process';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { installLocked } from '../../support/install-locked.js';
import { DEPLOYMENT, RECIPES } from '../folders.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
/** The folder of the built site. */
export const DIST = join(FOLDER, 'dist');

export const installSite = () => installLocked(FOLDER);

/** The documents as VitePress needs them: in a folder beside its packages, with the front page as index.md. */
async function copyDocuments(): Promise<void> {
  const pages = join(FOLDER, 'pages');
  await rm(pages, { recursive: true, force: true });
  await cp(join(ROOT, 'docs'), join(pages, 'docs'), { recursive: true });
  await cp(join(ROOT, 'README.md'), join(pages, 'index.md'));
  for (const name of ['CHANGELOG.md', 'SECURITY.md']) await cp(join(ROOT, name), join(pages, name));
  // other files are copied unchanged
  await cp(join(ROOT, 'docs/llms.txt'), join(pages, 'public/docs/llms.txt'));
  for (const page of (await readdir(join(pages, 'docs'))).filter((name) => name.endsWith('.md')))
    await displayPrograms(join(pages, 'docs', page));
  for (const folder of [RECIPES, DEPLOYMENT])
    await cp(join(ROOT, folder), join(pages, 'public', folder), { recursive: true });
}

/** A line that is a link to a program becomes the program, which GitHub and npm open by the link. */
async function displayPrograms(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replaceAll(/^\[([\w.-]+)\]\(([\w./-]+)\)$/gm, '<<< ./$2 [$1]'));
}

/** Builds the site of the documents with VitePress, which fails if a link between them is dead. */
export async function buildSite(): Promise<void> {
  await copyDocuments();
  const program = join(FOLDER, 'node_modules/vitepress/bin/vitepress.js');
  await promisify(execFile)(process.execPath, [program, 'build', FOLDER], {
    cwd: FOLDER,
    // with these endings a link leads to a file and not to a page
    env: { ...process.env, VITE_EXTRA_EXTENSIONS: 'diff,pug,hbs,ejs' },
  }).catch((error: { readonly stdout: string; readonly stderr: string }) => {
    throw new Error(`the site cannot be built:\n${error.stdout}\n${error.stderr}`);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await installSite();
  await buildSite();
  process.stdout.write(`Open ${pathToFileURL(join(DIST, 'index.html')).href}\n`);
}
