import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect } from '@jest/globals';

import type { VisitedPage, Visitor } from '../package/visitor.js';
import { DEPLOYMENT, RECIPES } from './folders.js';

/** A piece of code in the documentation, or a program beside it. */
export interface Block {
  readonly document: string;
  readonly language: string;
  /** The file that the block belongs to; blocks with one file name are parts of one file. */
  readonly file: string | undefined;
  readonly text: string;
}

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** All documents: README.md and its neighbours, docs/, and two READMEs of test/. */
export const documents: readonly string[] = [
  '.',
  'docs',
  'docs/reference',
  'test/bench',
  'test/conformance',
].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);
export const textOf = (document: string) => readFileSync(join(root, document), 'utf8');
const programs: readonly Block[] = [RECIPES, DEPLOYMENT].flatMap((folder) =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({
      document: relative(root, join(parentPath, name)),
      language: extname(name).slice(1),
      file: name,
      text: readFileSync(join(parentPath, name), 'utf8'),
    })),
);
export const blocks: readonly Block[] = documents
  .flatMap((document) =>
    [...textOf(document).matchAll(/^```(\w*)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
      ([, language = '', file, text = '']): Block => ({ document, language, file, text }),
    ),
  )
  .concat(programs);

export function fileText(name: string): string {
  const parts = blocks.filter(({ file }) => file === name);
  if (parts.length === 0) throw new Error(`no document has a block or a program of ${name}`);
  return parts.map(({ text }) => text).join('\n');
}

/** The only shell block with these words. */
export function shellBlock(terms: string): string {
  const found = blocks.filter(({ language, text }) => language === 'sh' && text.includes(terms));
  if (found.length !== 1) throw new Error(`the documents have ${found.length} shell blocks with ${terms}`);
  return found[0]!.text;
}

/** The response that a document shows after a command. */
export function displayedAnswer(command: string): Record<string, unknown> {
  const displayed = blocks[blocks.findIndex(({ text }) => text === command) + 1];
  if (displayed?.language !== 'json') throw new Error(`no answer is shown to ${command}`);
  return JSON.parse(displayed.text) as Record<string, unknown>;
}

/** In a displayed response … stands for random characters. */
export function expectAsDisplayed(answer: Record<string, unknown>, displayed: Record<string, unknown>): void {
  const patterns = Object.entries(displayed).map(([name, value]) => [
    name,
    typeof value === 'string' && value.endsWith('…')
      ? expect.stringMatching(`^${value.slice(0, -1)}[\\w-]{65}$`)
      : value,
  ]);
  expect(answer).toEqual(Object.fromEntries(patterns));
}

/** Fills in the registration form of a page, and reads the next page. */
export async function register(
  visitor: Visitor,
  form: VisitedPage,
  redirectUri: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<{ clientId: string; clientSecret: string | undefined }> {
  const page = await visitor.submit(
    form,
    {
      name: 'Application of a newcomer',
      redirect_uris: redirectUri,
      scope: 'photos:read',
      grant_type: ['authorization_code', 'refresh_token'],
      ...fields,
    },
    'application-form',
  );
  expect(page.status).toBe(201);
  const displayed = (id: string) => new RegExp(`id="${id}"[^>]*>([^<]+)<`).exec(page.text)?.[1];
  return { clientId: displayed('client-id') ?? '', clientSecret: displayed('client-secret') };
}
