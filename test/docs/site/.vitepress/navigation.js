import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The groups of the navigation with their pages, below docs/ and without `.md`. */
const GROUPS = {
  'Start here': ['concepts', 'quick-starts', 'your-site', 'existing-site', 'production', 'comparison'],
  Clients: ['clients', 'personal-access-tokens', 'callers', 'agents', 'rest-api-as-tools'],
  'Users and pages': [
    'login',
    'consent-page',
    'consent-that-binds',
    'pages',
    'applications',
    'openid-connect',
  ],
  APIs: ['resource-servers', 'refusals', 'openapi', 'shared-signals'],
  'In depth': ['guide', 'security', 'rfcs', 'testing', 'troubleshooting'],
  Operations: ['deployment', 'operations', 'upgrading', 'scale', 'benchmark'],
  Migration: [],
  Recipes: [],
  Reference: ['reference'],
  Project: ['roadmap'],
};

/** The groups whose pages are found by their names. */
const FOUND = {
  Migration: (page) => page.startsWith('migration'),
  Recipes: (page) => page.startsWith('recipes/'),
  Reference: (page) => page.startsWith('reference/'),
};

/**
 * The navigation: every page of docs/, so that a new one stands in it (under "Project") before anybody has placed it.
 */
export function readNavigation(folder) {
  const docs = join(folder, 'docs');
  const left = new Set(
    readdirSync(docs, { recursive: true })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => name.slice(0, -3))
      .sort(),
  );
  const groups = new Map(Object.entries(GROUPS).map(([title, pages]) => [title, [...pages]]));
  for (const pages of groups.values()) for (const page of pages) left.delete(page);
  for (const page of left) {
    const title = Object.keys(FOUND).find((name) => FOUND[name](page)) ?? 'Project';
    groups.get(title).push(page);
  }
  const itemOf = (file) => ({ text: titleOf(join(folder, file)), link: `/${file}` });
  const items = [...groups].map(([text, pages]) => ({
    text,
    collapsed: ['Migration', 'Recipes', 'Reference', 'Project'].includes(text),
    items: pages.map((page) => itemOf(`docs/${page}.md`)),
  }));
  items.at(-1).items.push(itemOf('CHANGELOG.md'), itemOf('SECURITY.md'));
  return [{ text: 'Overview', link: '/' }, ...items];
}

/** The first heading of a document, without its marks. */
function titleOf(file) {
  const [, heading] = /^# (.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  if (heading === undefined) throw new Error(`${file} has no heading`);
  return heading.replaceAll('`', '').replace(/^Reference: /, '');
}
