import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import {
  allOf,
  anchorOf,
  type DocumentedOption,
  type DocumentedRows,
  FUNCTIONS,
  readRows,
} from './reference.js';
import { formatLists } from './reference-lists.js';
import { type Topic, TOPICS } from './reference-topics.js';

const docs = fileURLToPath(new URL('../../docs', import.meta.url));

/** A heading of the second level with its tables: a function, or a group of the options of `authorizationServer`. */
interface Section {
  /** The constant of a group; undefined for a function with separate options. */
  readonly group: string | undefined;
  /** `authorizationServer`, `oauth.guard`. */
  readonly name: string;
  readonly heading: string;
  readonly options: readonly DocumentedOption[];
}

/** The place of the table of a shared shape. */
interface Place {
  readonly page: string;
  readonly title: string;
}

interface Page {
  readonly name: string;
  /** The tables so far, by their titles: the text of each row. */
  readonly tables: Map<string, ReadonlySet<string>>;
  /** Of all pages: the place of the description of each shape with members. */
  readonly places: Map<string, Place>;
}

/** The files of the reference below docs/: the index, and a page for each topic and each list. */
export async function formatReference(): Promise<ReadonlyMap<string, string>> {
  const sections = FUNCTIONS.flatMap(([call, file, constant]) => sectionsOf(call, readRows(file, constant)));
  const topics = topicsOf(sections);
  const places = new Map<string, Place>();
  const pages = topics.map((topic) => {
    const page = { name: topic.name, places, tables: new Map<string, ReadonlySet<string>>() };
    const parts = inTopic(sections, topic).flatMap((section) => formatSection(section, page));
    return [
      `reference/${topic.name}.md`,
      toText([
        `# Reference: ${topic.title}`,
        MADE,
        'For developers who look up an option. [The reference](../reference.md) has the other topics.',
        ...parts,
      ]),
    ] as const;
  });
  const lists = [...(await formatLists())].map(([name, [title = '', ...parts]]) => {
    return [`reference/${name}.md`, toText([title, MADE, ...parts])] as const;
  });
  return new Map([['reference.md', formatIndex(topics, sections)], ...pages, ...lists]);
}

const MADE = '<!-- Made by `npm run docs`; do not edit. -->';

/** A function with separate options has one table, even if they consist of groups; otherwise one for each group. */
function sectionsOf(call: string, rows: DocumentedRows): Section[] {
  const [name = ''] = call.split('(');
  if (rows.options.length > 0)
    return [{ group: undefined, name, heading: `\`${call}\``, options: allOf(rows).options }];
  return rows.groups.map((group) => ({
    group: group.id.split('#')[1] ?? '',
    name,
    heading: group.docs.split(/[:.]/)[0] ?? '',
    options: allOf(group).options,
  }));
}

const isIn = ({ group, name }: Section, { groups, functions }: Topic): boolean =>
  group === undefined ? functions.includes(name) : groups.includes(group);
/** In the order of the topic: first its groups, then its functions. */
function inTopic(sections: readonly Section[], topic: Topic): Section[] {
  const order = [...topic.groups, ...topic.functions];
  const placeOf = ({ group, name }: Section) => order.indexOf(group ?? name);
  return sections
    .filter((section) => isIn(section, topic))
    .sort((left, right) => placeOf(left) - placeOf(right));
}

/** The topics, and one for each section without a topic. */
function topicsOf(sections: readonly Section[]): Topic[] {
  const others = sections.filter((section) => !TOPICS.some((topic) => isIn(section, topic)));
  const own = others.map(({ group, name, heading }) => ({
    name: (group ?? name)
      .replace(/(Server)?Options$/, '')
      .replaceAll(/\W?([A-Z])|\W/g, '-$1')
      .toLowerCase(),
    title: heading,
    groups: group === undefined ? [] : [group],
    functions: group === undefined ? [name] : [],
  }));
  return [...TOPICS, ...own];
}

function formatIndex(topics: readonly Topic[], sections: readonly Section[]): string {
  const linkOf = ({ heading }: Section, { name }: Topic) =>
    `[${heading}](reference/${name}.md#${anchorOf(heading)})`;
  const linesOf = (
    isListed: (section: Section) => boolean,
    toLine: (link: string, section: Section) => string,
  ) =>
    topics.flatMap((topic) =>
      inTopic(sections, topic)
        .filter(isListed)
        .map((section) => toLine(linkOf(section, topic), section)),
    );
  const groups = linesOf(
    ({ group }) => group !== undefined,
    (link, { options }) => `| ${link} | ${options.map(nameWithMembers).join(', ')} |`,
  );
  const functions = linesOf(
    ({ group }) => group === undefined,
    (link) => `- ${link}`,
  );
  return toText([
    '# Reference: every option',
    MADE,
    'For developers who look up an option. Each topic is a page with defaults and meanings. [Into your own site](your-site.md) shows the few options that every site needs.',
    'For a name or a value that it does not know, each function throws a `TypeError` that says what to write instead. `undefined` counts as left out. Times are in seconds, unless the option says otherwise.',
    '## Topics',
    [
      ...topics.map(({ name, title }) => `- [${title}](reference/${name}.md)`),
      '- [What `authorizationServer` gives](reference/server.md), [events](reference/events.md), [the command line](reference/command-line.md), [the database](reference/database.md), [specifications](reference/specifications.md), [agents](reference/agents.md), [pages](reference/pages.md)',
    ].join('\n'),
    '## `authorizationServer(options)`',
    ['| Group | Options |', '| --- | --- |', ...groups].join('\n'),
    '## Other functions that take options',
    functions.join('\n'),
  ]);
}

/** `lifetimes` (`authorizationCode`, …): a member of a group is looked up by its name. */
function nameWithMembers({ name, members, isRecord }: DocumentedOption): string {
  if (members === undefined || isRecord) return `\`${name}\``;
  return `\`${name}\` (${allOf(members)
    .options.map((member) => `\`${member.name}\``)
    .join(', ')})`;
}

function formatSection({ heading, name, options }: Section, page: Page): string[] {
  // an option need not repeat a citation of its heading
  const [citation = ''] = / \(RFC [^)]*\)$/.exec(heading) ?? [];
  const cited = options.map((option) => ({ ...option, meaning: option.meaning.replace(citation, '') }));
  return [
    `## ${heading}`,
    ...formatOptions({ title: heading, options: cited, prefix: '', call: name }, page),
  ];
}

interface Table {
  readonly title: string;
  readonly options: readonly DocumentedOption[];
  /** Of the paths of its options: `lifetimes.` */
  readonly prefix: string;
  readonly call: string;
}

/** A table, or a paragraph for a single option; below it one for each option with members. */
function formatOptions({ title, options, prefix, call }: Table, page: Page): string[] {
  const requiredFirst = [true, false].flatMap((isRequired) =>
    options.filter((option) => option.isRequired === isRequired),
  );
  const formatted = requiredFirst.map((option) => formatOption(option, prefix, call, page));
  const below = formatted.flatMap((option) => option.below);
  const isOneOf = (texts: ReadonlySet<string>) => (option: FormattedOption) => texts.has(toRow(option));
  const shared = [...page.tables].map(([other, texts]) => ({
    other,
    rows: formatted.filter(isOneOf(texts)),
  }));
  const [nearest] = shared.sort((left, right) => right.rows.length - left.rows.length);
  page.tables.set(title, new Set(formatted.map(toRow)));
  if (nearest === undefined || nearest.rows.length < 3) return [...toTable(formatted), ...below];
  const own = formatted.filter((option) => !nearest.rows.includes(option));
  return [toReference(nearest.rows, nearest.other), ...toTable(own), ...below];
}

function toTable(options: readonly FormattedOption[]): string[] {
  const [first, ...others] = options;
  if (first === undefined) return [];
  if (others.length === 0) return [toParagraph(first)];
  if (options.length < FEWEST_ROWS)
    return [options.map((option) => `- ${toParagraph({ ...option, below: [] })}`).join('\n')];
  return [['| Option | Default | Meaning |', '| --- | --- | --- |', ...options.map(toRow)].join('\n')];
}

/** Its members stand after the default, after the words for an object, or at the end. */
function toRow({ name, meaning, link, kindLinks, defaultValue }: FormattedOption): string {
  const toCells = (value: string, text: string) =>
    `| \`${name}\` | ${cell(value)} | ${cell(text)}${kindLinks} |`;
  if (link === undefined) return toCells(defaultValue, meaning);
  if (defaultValue === BY_MEMBERS) return toCells(`[${BY_MEMBERS}](${link})`, meaning);
  if (meaning.includes(AN_OBJECT))
    return toCells(defaultValue, meaning.replace(AN_OBJECT, `or [an object](${link})`));
  return toCells(defaultValue, `${meaning} [Its members](${link}).`);
}

/** A shorter table becomes a list: its head would be longer than its rows. */
const FEWEST_ROWS = 4;

/** A single option, or one of a list. */
function toParagraph({ name, meaning, link, kindLinks, defaultValue, below }: FormattedOption): string {
  const value = defaultValue === NEEDED ? NEEDED : `default: ${defaultValue}`;
  const links = `${link === undefined ? '' : ` [Its members](${link}).`}${kindLinks}`;
  return `\`${name}\`${defaultValue === BY_MEMBERS ? '' : ` (${value})`}: ${meaning}${below.length > 0 ? '' : links}`;
}

/** Rows that another table of the page repeats word for word. */
function toReference(rows: readonly { readonly name: string }[], title: string): string {
  const names = rows.map(({ name }) => `\`${name}\``);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
  return `${list} are as in [${title}](#${anchorOf(title)}).`;
}

const NEEDED = 'needed';
const BY_MEMBERS = 'see its members';
const AN_OBJECT = 'or an object';

interface FormattedOption {
  readonly name: string;
  readonly meaning: string;
  /** A link to its members; undefined if it has none. */
  readonly link: string | undefined;
  /** A link to the members of its kinds; empty if it has none. */
  readonly kindLinks: string;
  readonly defaultValue: string;
  /** The tables of its members. */
  readonly below: readonly string[];
}

function formatOption(option: DocumentedOption, prefix: string, call: string, page: Page): FormattedOption {
  const path = `${prefix}${option.name}`;
  const { name, meaning, members, kinds = [] } = option;
  const below: string[] = [];
  let link: string | undefined;
  if (members !== undefined) {
    const known = page.places.get(members.id);
    const title = `${option.isRecord ? 'Each of ' : ''}\`${path}\` of \`${call}\``;
    if (known === undefined) {
      page.places.set(members.id, { page: page.name, title });
      const { options } = allOf(members);
      below.push(`### ${title}`, ...formatOptions({ title, options, prefix: `${path}.`, call }, page));
    }
    link = linkTo(known ?? { page: page.name, title }, page);
  }
  for (const kind of kinds) {
    const title = titleOfKind(path, kind.name, call);
    const { options } = allOf(kind.rows);
    below.push(`### ${title}`, ...formatOptions({ title, options, prefix: `${path}.`, call }, page));
  }
  const links = kinds.map((kind) => `[${kind.name}](#${anchorOf(titleOfKind(path, kind.name, call))})`);
  const kindLinks = links.length > 0 ? ` Their members: ${links.join(', ')}.` : '';
  const defaultValue = option.isRequired
    ? NEEDED
    : (option.default ?? (members === undefined ? 'none' : BY_MEMBERS));
  return { name, meaning: withLinks(meaning), link, kindLinks, defaultValue, below };
}

/** In the code, a page is named by its path in the repository. */
function withLinks(text: string): string {
  return text.replaceAll(/\bdocs\/([\w-]+\.md)/g, '[its page](../$1)');
}

function linkTo({ page, title }: Place, from: Page): string {
  return `${page === from.name ? '' : `${page}.md`}#${anchorOf(title)}`;
}

function titleOfKind(path: string, kind: string, call: string): string {
  return `Each \`${kind}\` of \`${path}\` of \`${call}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

const toText = (parts: readonly string[]): string => `${parts.join('\n\n').trimEnd()}\n`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(join(docs, 'reference'), { recursive: true, force: true });
  for (const [name, text] of await formatReference()) {
    mkdirSync(dirname(join(docs, name)), { recursive: true });
    writeFileSync(join(docs, name), text);
  }
}
