import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** One normative sentence of an RFC in our own words: an entry of `<rfc>/requirements.json`. */
export interface Requirement {
  /** Section and number, such as `4.1.3-2`; tests name it in their titles. */
  readonly id: string;
  readonly section: string;
  /** The word of RFC 2119, or ABNF where the RFC gives a syntax. */
  readonly level: string;
  readonly text: string;
  /** Whom it binds: `authorization server`, `resource server`, `client`… */
  readonly concerns: string;
  /** Why there is no test. */
  readonly untested?: string;
}

export interface NamedTest {
  readonly file: string;
  readonly title: string;
  /** The requirements it proves. */
  readonly ids: readonly string[];
}

export interface Rfc {
  /** Name of its folder: `rfc6749`. */
  readonly name: string;
  readonly requirements: readonly Requirement[];
  readonly tests: readonly NamedTest[];
}

const HERE = fileURLToPath(new URL('.', import.meta.url));
export const README = `${HERE}README.md`;
const LEVELS = [
  'MUST',
  'MUST NOT',
  'REQUIRED',
  'SHALL',
  'SHALL NOT',
  'SHOULD',
  'SHOULD NOT',
  'RECOMMENDED',
  'NOT RECOMMENDED',
  'MAY',
  'OPTIONAL',
  'ABNF',
];
/** `test('…'`, `it('…'`, and the same with `.each` between; a skipped test proves nothing and is not found. */
const TEST = /\b(?:test|it)(?:\.each[\s\S]*?[)`])?\(\s*(['"`])((?:\\[\s\S]|(?!\1)[^\\])*)\1\s*,/g;
const IDS_AT_THE_END = /(?: \[[^\][\s]+\])+$/;

export function readRfcs(): Rfc[] {
  const folders = readdirSync(HERE, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .map(({ name }) => name)
    .sort()
    .map(readRfc);
}

function readRfc(name: string): Rfc {
  const files = readdirSync(`${HERE}${name}`).sort();
  const requirements = files.includes('requirements.json')
    ? (JSON.parse(readFileSync(`${HERE}${name}/requirements.json`, 'utf8')) as Requirement[])
    : [];
  const tests = files
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => findTests(file, readFileSync(`${HERE}${name}/${file}`, 'utf8')));
  return { name, requirements, tests };
}

/** The tests of a file that name requirements. */
export function findTests(file: string, source: string): NamedTest[] {
  return [...source.matchAll(TEST)].flatMap(([, , literal = '']) => {
    const text = literal.replace(/\\(.)/g, '$1');
    const [tail] = IDS_AT_THE_END.exec(text) ?? [];
    return tail === undefined
      ? []
      : [{ file, title: text.slice(0, -tail.length), ids: tail.trim().slice(1, -1).split('] [') }];
  });
}

/** What is wrong with the requirements and their tests, each with what to do about it. */
export function findProblems({ name, requirements, tests }: Rfc): string[] {
  const ids = requirements.map(({ id }) => id);
  const tested = new Set(tests.flatMap((test) => test.ids));
  const unknown = tests.flatMap((test) =>
    test.ids
      .filter((id) => !ids.includes(id))
      .map(
        (id) =>
          `${name}/${test.file}: '${test.title}' names [${id}], which ${name}/requirements.json has not: correct the id, or add the requirement`,
      ),
  );
  return [
    ...unknown,
    ...requirements.flatMap((requirement, index) =>
      problemsOf(requirement, {
        isTested: tested.has(requirement.id),
        isRepeated: ids.indexOf(requirement.id) < index,
      }).map((problem) => `${name}/requirements.json: ${requirement.id} ${problem}`),
    ),
  ];
}

function problemsOf(
  { id, section, level, concerns, untested }: Requirement,
  { isTested, isRepeated }: { isTested: boolean; isRepeated: boolean },
): string[] {
  const problems: string[] = [];
  if (isRepeated) problems.push('is there twice: give one of them another number');
  if (!id.startsWith(`${section}-`))
    problems.push(`is of section ${section}: its id has to begin with ${section}-`);
  if (!LEVELS.includes(level)) problems.push(`has the level '${level}': write one of ${LEVELS.join(', ')}`);
  if (isTested && untested !== undefined)
    problems.push("has a test and a reason for having none: take 'untested' out");
  if (!isTested && untested === undefined && concernsServer(concerns))
    problems.push(`has no test: write one whose title ends in [${id}], or say why not in 'untested'`);
  return problems;
}

function concernsServer(concerns: string): boolean {
  return /authorization server|resource server/.test(concerns);
}

export function formatReadme(rfcs: readonly Rfc[]): string {
  const intro = [
    '# Requirements and their tests',
    '',
    'Written by `npm run rfc-table` from the `requirements.json` of each folder and the titles of its tests, which name the requirements they prove in square brackets. Change those, not this.',
    '',
  ];
  return [...intro, ...rfcs.filter(({ requirements }) => requirements.length > 0).flatMap(formatRfc)].join(
    '\n',
  );
}

function formatRfc({ name, requirements, tests }: Rfc): string[] {
  const tested = requirements.filter(({ id }) => tests.some(({ ids }) => ids.includes(id)));
  return [
    `## ${name.replace('rfc', 'RFC ')}`,
    '',
    `${requirements.length} requirements, ${tested.length} of them proven by ${tests.length} tests.`,
    '',
    '| Section | Level | Requirement | Test, or why there is none |',
    '| --- | --- | --- | --- |',
    ...requirements.map((requirement) =>
      formatRow(
        name,
        requirement,
        tests.filter(({ ids }) => ids.includes(requirement.id)),
      ),
    ),
    '',
  ];
}

function formatRow(
  name: string,
  { section, level, text, concerns, untested }: Requirement,
  tests: readonly NamedTest[],
): string {
  const anchor = /^[A-Z]/.test(section) ? 'appendix' : 'section';
  const link = `[${section}](https://www.rfc-editor.org/rfc/${name}#${anchor}-${section})`;
  const proofs = tests.map(
    ({ file, title }) => `[${file.replace('.test.ts', '')}](${name}/${file}): ${escapeMarkdown(title)}`,
  );
  const reason = untested ?? `For the ${concerns}.`;
  return `| ${link} | ${level} | ${escapeMarkdown(text)} | ${proofs.length > 0 ? proofs.join('<br>') : escapeMarkdown(reason)} |`;
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\|<*`]/g, '\\$&');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(README, formatReadme(readRfcs()));
