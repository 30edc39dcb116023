/**
 * `npm run rfc-table` writes test-artifacts/requirements.md, a table of each text's requirements with the tests that
 * prove them, from the `requirements.json` of each folder and the titles of its tests. It is not committed: GitHub cuts a
 * README.md off at 512 kB, and this has 580; and each changed title would change it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One normative sentence of an RFC, or one attack, in our own words: an entry of `<rfc>/requirements.json`. */
export interface Requirement {
  /** Section and number, such as `4.1.3-2`; tests name it in their titles. */
  readonly id: string;
  readonly section: string;
  /** The word of RFC 2119; ABNF where the RFC gives a syntax, THREAT where it describes an attack. */
  readonly level: string;
  readonly text: string;
  /** The bound party: `authorization server`, `resource server`, `client`… */
  readonly concerns: string;
  /** The protection against the attack. */
  readonly protection?: string;
  /** Tests of other folders that prove the requirement, by file and title: `attacks/guessing.test.ts: a wrong …`. */
  readonly provenBy?: readonly string[];
  /** Why there is no test. */
  readonly untested?: string;
}

export interface NamedTest {
  readonly file: string;
  readonly title: string;
  /** The requirements that the test proves. */
  readonly ids: readonly string[];
}

export interface Rfc {
  /** The name of the folder: `rfc6749`. */
  readonly name: string;
  readonly requirements: readonly Requirement[];
  readonly tests: readonly NamedTest[];
  /** Entries of `provenBy` that do not exist. */
  readonly missingProofs: readonly string[];
}

const HERE = fileURLToPath(new URL('.', import.meta.url));
const TESTS = fileURLToPath(new URL('..', import.meta.url));
/** Where the command writes; links lead from there to the tests. */
const TABLE = fileURLToPath(new URL('../../test-artifacts/requirements.md', import.meta.url));
/** Texts that are not RFCs, by the names of their folders. */
const TEXTS: Readonly<Record<string, { readonly title: string; readonly address: string }>> = {
  'fapi2-message-signing': {
    title: 'FAPI 2.0 Message Signing',
    address: 'https://openid.net/specs/fapi-message-signing-2_0-final.html',
  },
  'fapi2-security-profile': {
    title: 'FAPI 2.0 Security Profile',
    address: 'https://openid.net/specs/fapi-security-profile-2_0-final.html',
  },
  'form-post': {
    title: 'OAuth 2.0 Form Post Response Mode',
    address: 'https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html',
  },
  'mcp-authorization-2026-07-28': {
    title: 'MCP authorization (2026-07-28)',
    address: 'https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization',
  },
  'mcp-ext-oauth-client-credentials': {
    title: 'MCP extension: OAuth client credentials',
    address:
      'https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/draft/oauth-client-credentials.mdx',
  },
  'mcp-sep-1933': {
    title: 'MCP workload identity federation (SEP-1933), the requirements of the conformance suite',
    address: 'https://github.com/modelcontextprotocol/modelcontextprotocol/pull/1933',
  },
  'openid-core': {
    title: 'OpenID Connect Core 1.0',
    address: 'https://openid.net/specs/openid-connect-core-1_0.html',
  },
  'openid-discovery': {
    title: 'OpenID Connect Discovery 1.0',
    address: 'https://openid.net/specs/openid-connect-discovery-1_0.html',
  },
  'openid-registration': {
    title: 'OpenID Connect Dynamic Client Registration 1.0',
    address: 'https://openid.net/specs/openid-connect-registration-1_0.html',
  },
  'openid-rp-metadata-choices': {
    title: 'OpenID Connect Relying Party Metadata Choices 1.0',
    address: 'https://openid.net/specs/openid-connect-rp-metadata-choices-1_0.html',
  },
  'openid-multiple-response-types': {
    title: 'OAuth 2.0 Multiple Response Type Encoding Practices',
    address: 'https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html',
  },
  'prompt-create': {
    title: 'Initiating User Registration via OpenID Connect',
    address: 'https://openid.net/specs/openid-connect-prompt-create-1_0.html',
  },
  'unmet-authentication-requirements': {
    title: 'OpenID Connect Core: unmet_authentication_requirements',
    address: 'https://openid.net/specs/openid-connect-unmet-authentication-requirements-1_0.html',
  },
  'openid-rpinitiated': {
    title: 'OpenID Connect RP-Initiated Logout 1.0',
    address: 'https://openid.net/specs/openid-connect-rpinitiated-1_0.html',
  },
  'openid-backchannel': {
    title: 'OpenID Connect Back-Channel Logout 1.0',
    address: 'https://openid.net/specs/openid-connect-backchannel-1_0.html',
  },
  'openid-frontchannel': {
    title: 'OpenID Connect Front-Channel Logout 1.0',
    address: 'https://openid.net/specs/openid-connect-frontchannel-1_0.html',
  },
  'openid-session-management': {
    title: 'OpenID Connect Session Management 1.0',
    address: 'https://openid.net/specs/openid-connect-session-1_0.html',
  },
  'openid-sharedsignals-framework': {
    title: 'OpenID Shared Signals Framework 1.0',
    address: 'https://openid.net/specs/openid-sharedsignals-framework-1_0-final.html',
  },
  'openid-caep': {
    title: 'OpenID Continuous Access Evaluation Profile (CAEP) 1.0',
    address: 'https://openid.net/specs/openid-caep-1_0-final.html',
  },
  'openid-caep-interoperability': {
    title: 'CAEP Interoperability Profile 1.0, draft 01',
    address: 'https://openid.github.io/sharedsignals/openid-caep-interoperability-profile-1_0.html',
  },
  jarm: {
    title: 'JWT Secured Authorization Response Mode (JARM)',
    address: 'https://openid.net/specs/oauth-v2-jarm.html',
  },
};
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
  'THREAT',
];
/** `test('…'`, `it('…'`, and the same with `.each` between; a skipped test proves nothing and is not found. */
const TEST =
  /\b(?:test|it|holds)(?:\.each[\s\S]*?[)`]|<[^(]*>)?\(\s*(['"`])((?:\\[\s\S]|(?!\1)[^\\])*)\1\s*,/g;
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
  const missingProofs = requirements.flatMap(({ provenBy = [] }) =>
    provenBy.filter((proof) => !exists(proof)),
  );
  return { name, requirements, tests, missingProofs };
}

function exists(proof: string): boolean {
  const { file, title } = readProof(proof);
  return (
    existsSync(`${TESTS}${file}`) &&
    findTitles(readFileSync(`${TESTS}${file}`, 'utf8')).some((test) => test.title === title)
  );
}

/** An entry of `provenBy`. */
function readProof(proof: string): { file: string; title: string } {
  const [file = ''] = proof.split(': ');
  return { file, title: proof.slice(file.length + ': '.length) };
}

/** The tests of a file that name requirements. */
export function findTests(file: string, source: string): NamedTest[] {
  return findTitles(source)
    .filter(({ ids }) => ids.length > 0)
    .map((test) => ({ file, ...test }));
}

function findTitles(source: string): Omit<NamedTest, 'file'>[] {
  return [...source.matchAll(TEST)].map(([, , literal = '']) => {
    const text = literal.replace(/\\(.)/g, '$1');
    const [tail] = IDS_AT_THE_END.exec(text) ?? [];
    return tail === undefined
      ? { title: text, ids: [] }
      : { title: text.slice(0, -tail.length), ids: tail.trim().slice(1, -1).split('] [') };
  });
}

/** The problems of the requirements and their tests, each with its cure. */
export function findProblems({ name, requirements, tests, missingProofs }: Rfc): string[] {
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
    ...missingProofs.map(
      (proof) =>
        `${name}/requirements.json: there is no '${proof}': correct 'provenBy', or take out what nothing proves any more`,
    ),
    ...requirements.flatMap((requirement, index) =>
      problemsOf(requirement, {
        isTested: tested.has(requirement.id) || (requirement.provenBy ?? []).length > 0,
        isRepeated: ids.indexOf(requirement.id) < index,
      }).map((problem) => `${name}/requirements.json: ${requirement.id} ${problem}`),
    ),
  ];
}

function problemsOf(
  { id, section, level, concerns, untested, protection }: Requirement,
  { isTested, isRepeated }: { isTested: boolean; isRepeated: boolean },
): string[] {
  const problems: string[] = [];
  if (isRepeated) problems.push('is there twice: give one of them another number');
  if (!id.startsWith(`${section}-`))
    problems.push(`is of section ${section}: its id has to begin with ${section}-`);
  if (!LEVELS.includes(level)) problems.push(`has the level '${level}': write one of ${LEVELS.join(', ')}`);
  if (level === 'THREAT' && protection === undefined)
    problems.push("is an attack: say in 'protection' what protects, or that nothing does");
  if (isTested && untested !== undefined)
    problems.push("has a test and a reason for having none: take 'untested' out");
  if (!isTested && untested === undefined && concernsServer(concerns))
    problems.push(`has no test: write one whose title ends in [${id}], or say why not in 'untested'`);
  return problems;
}

function concernsServer(concerns: string): boolean {
  return /authorization server|resource server/.test(concerns);
}

export function formatTable(rfcs: readonly Rfc[]): string {
  const texts = rfcs.filter(({ requirements }) => requirements.length > 0);
  return ['# Requirements and their tests', '', ...texts.flatMap(formatRfc)].join('\n');
}

function formatRfc(rfc: Rfc): string[] {
  const { name, requirements, tests } = rfc;
  const tested = requirements.filter((requirement) => isProven(rfc, requirement));
  const proofs = new Set(requirements.flatMap((requirement) => proofsOf(name, requirement, tests)));
  const isOfAttacks = requirements.some(({ protection }) => protection !== undefined);
  return [
    `## ${TEXTS[name]?.title ?? name.replace('rfc', 'RFC ')}`,
    '',
    `${requirements.length} requirements${isOfAttacks ? ' and attacks' : ''}, ${tested.length} of them proven by ${proofs.size} tests.`,
    '',
    `| Section | Level | Requirement | ${isOfAttacks ? 'What protects | ' : ''}Test, or why there is none |`,
    `| --- | --- | --- | ${isOfAttacks ? '--- | ' : ''}--- |`,
    ...requirements.map((requirement) =>
      formatRow(name, requirement, {
        proofs: proofsOf(name, requirement, tests),
        isOfAttacks,
      }),
    ),
    '',
  ];
}

/** Whether a test names the requirement, or the requirement names a test. */
export const isProven = ({ name, tests }: Rfc, requirement: Requirement): boolean =>
  proofsOf(name, requirement, tests).length > 0;

/** Links to the tests that prove a requirement. */
function proofsOf(name: string, { id, provenBy = [] }: Requirement, tests: readonly NamedTest[]): string[] {
  const own = tests
    .filter(({ ids }) => ids.includes(id))
    .map(({ file, title }) => ({ file: `rfc/${name}/${file}`, title }));
  return [...own, ...provenBy.map(readProof)].map(
    ({ file, title }) =>
      `[${file.replace(/^.*\/(.*)\.test\.ts$/, '$1')}](../test/${file}): ${escapeMarkdown(title)}`,
  );
}

function formatRow(
  name: string,
  { section, level, text, concerns, untested, protection }: Requirement,
  { proofs, isOfAttacks }: { proofs: readonly string[]; isOfAttacks: boolean },
): string {
  const reason = untested ?? `For the ${concerns}.`;
  return [
    '',
    `[${section}](${addressOf(name, section)})`,
    level,
    escapeMarkdown(text),
    ...(isOfAttacks ? [escapeMarkdown(protection ?? '')] : []),
    proofs.length > 0 ? proofs.join('<br>') : escapeMarkdown(reason),
    '',
  ]
    .join(' | ')
    .trim();
}

/** Each text of the OpenID Foundation has its own form of section anchors. */
function addressOf(name: string, section: string): string {
  const text = TEXTS[name];
  if (text !== undefined) return text.address;
  const anchor = /^[A-Z]/.test(section) ? 'appendix' : 'section';
  const host = name.startsWith('draft-') ? 'datatracker.ietf.org/doc/html' : 'www.rfc-editor.org/rfc';
  return `https://${host}/${name}#${anchor}-${section}`;
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\|<*`]/g, '\\$&');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(dirname(TABLE), { recursive: true });
  writeFileSync(TABLE, formatTable(readRfcs()));
  console.log(`written: ${relative(process.cwd(), TABLE)}`);
}
