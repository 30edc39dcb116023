import { textOf } from '../../docs/blocks.js';

export interface Runner {
  /** Its name in the table of docs/testing.md. */
  readonly name: string;
  readonly file: string;
  /** The first lines of the suite: `test`, `before`, `after` and the clock of the runner. */
  readonly prelude: string;
  /** All timers faked by a reader of no documentation. Mongoose itself hangs if these two are faked. */
  readonly fakesAll: string;
}

const HOST = JSON.stringify(new URL('host.cjs', import.meta.url).pathname);

export const RUNNERS: readonly Runner[] = [
  {
    name: 'Vitest',
    file: 'clock.test.mjs',
    prelude: `import { createRequire } from 'node:module';
const require = createRequire(${HOST});
const [before, after] = [beforeAll, afterAll];`,
    fakesAll: 'vi.useFakeTimers()',
  },
  {
    name: 'Jest',
    file: 'clock.test.cjs',
    prelude: 'const [before, after] = [beforeAll, afterAll];',
    fakesAll: "jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] })",
  },
  {
    name: '`node:test`',
    file: 'clock.test.cjs',
    prelude: "const { after, before, mock, test } = require('node:test');",
    fakesAll: 'mock.timers.enable()',
  },
  {
    name: 'Sinon',
    file: 'clock.test.cjs',
    prelude: `const { after, before, test } = require('node:test');
const sinon = require('sinon');
let clock;`,
    fakesAll: "sinon.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'setImmediate', 'Date'] })",
  },
];

/** The lines of docs/testing.md for a runner. */
export function documentedFor({ name }: Runner): readonly string[] {
  const row = textOf('docs/testing.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${name} |`));
  return [...(row?.split('|')[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** A suite of a host that sets the clock as documented, and one that fakes all timers. */
export function suiteOf(runner: Runner): string {
  const documented = documentedFor(runner).map((line) => line.replace('(…)', '(now)'));
  const [begin = '', ...rest] = documented;
  const [end = '', set = ''] = rest.reverse();
  const begun = (line: string) => (line.startsWith('sinon.') ? `clock = ${line}` : line);
  return `${runner.prelude}
const assert = require('node:assert/strict');
const openHost = require(${HOST});

let host;
before(async () => void (host = await openHost()));
after(() => host.close());

test('a token ends after an hour', async () => {
  const headers = await host.tokenHeaders();
  assert.equal(await host.statusWith(headers), 200);
  const now = Date.now() + 3_601_000;
  ${begun(begin)};
  ${set};
  const status = await host.statusWith(headers);
  ${end};
  assert.equal(status, 401);
  assert.equal(await host.statusWith(headers), 200);
});

test('grants are made while all timers are faked, and afterwards', async () => {
  ${begun(runner.fakesAll)};
  const headers = await host.tokenHeaders();
  ${end};
  // some set the date to 1970 as well, so that this token has ended
  assert.match(headers.Authorization, /^Bearer eas_at_/);
  assert.equal(await host.statusWith(await host.tokenHeaders()), 200);
});
`;
}
