import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const docs = fileURLToPath(new URL('../../docs', import.meta.url));
export const LLMS = join(docs, 'llms.txt');

/** The documents for newcomers; the others follow by name. */
const FIRST = ['concepts.md', 'quick-starts.md', 'your-site.md', 'ten-options.md', 'production.md'];

/** A list of all documents for language models, in the form of llmstxt.org, each with its purpose. */
export function formatLlms(): string {
  const all = readdirSync(docs).filter((name) => name.endsWith('.md'));
  const others = all.filter((name) => !FIRST.includes(name));
  return [
    '# express-authorization-server',
    '> Turns an Express site (sessions, Passport, Mongoose) into an OAuth 2.0 authorization server, and protects its API with access tokens. TypeScript, MongoDB. These documents are in the npm package, in `docs/`. The reference, `docs/reference.md` and `docs/reference/`, is in the repository alone; the types in `dist/*.d.cts` have the same texts.',
    'To join an existing site, follow the [skill](skills/express-authorization-server/SKILL.md).',
    section('Start here', FIRST),
    section('Topics', others),
    section('Reference by topic', namesIn('reference')),
  ]
    .join('\n\n')
    .concat('\n');
}

function namesIn(folder: string): string[] {
  return readdirSync(join(docs, folder)).map((name) => `${folder}/${name}`);
}

function section(title: string, names: readonly string[]): string {
  return [`## ${title}\n`, ...names.map(lineOf)].join('\n');
}

/** The title of a document, and the first two sentences of its first paragraph. */
function lineOf(name: string): string {
  const text = readFileSync(join(docs, name), 'utf8');
  const title = /^# (.*)$/m.exec(text)?.[1] ?? name;
  const [paragraph = ''] = text
    .split('\n\n')
    .slice(1)
    .filter((part) => !/^<!--|^#/.test(part));
  const plain = paragraph.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll(/\s+/g, ' ');
  return `- [${title}](${name}): ${plain
    .split(/(?<=[.?!]) (?=[A-Z])/)
    .slice(0, 2)
    .join(' ')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(LLMS, formatLlms());
