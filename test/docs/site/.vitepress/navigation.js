import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The groups of the navigation with their pages, below docs/ and without `.md`. */
const GROUPS = {
  'Start here': ['concepts', 'quick-starts', 'your-site', 'ten-options', 'recipes', 'comparison'],
  Clients: ['clients', 'personal-access-tokens', 'callers', 'agents'],
  'Users and pages': ['users', 'pages', 'consent-that-binds', 'openid-connect'],
  APIs: ['resource-servers', 'openapi', 'shared-signals'],
  'In depth': ['guide', 'security', 'rfcs', 'testing', 'troubleshooting'],
  Operations: ['production', 'operations', 'upgrading', 'migration'],
  Reference: ['reference'],
  Project: ['roadmap'],
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
    groups.get(page.startsWith('reference/') ? 'Reference' : 'Project').push(page);
  }
  const itemOf = (file) => ({ text: titleOf(join(folder, file)), link: `/${file}` });
  const items = [...groups].map(([text, pages]) => ({
    text,
    collapsed: ['Reference', 'Project'].includes(text),
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
