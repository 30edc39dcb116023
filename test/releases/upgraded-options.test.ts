import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import * as current from '../../lib/index.js';
import { fileText } from '../docs/blocks.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { PREVIOUS, unpackPrevious } from './previous-release.js';

type Release = Pick<typeof current, 'authorizationServer'>;

let database: TestDatabase;
let unpacked: Awaited<ReturnType<typeof unpackPrevious>>;
let previous: Release;

beforeAll(async () => {
  process.env.KEY_SECRET = 'of the test, with its 32 characters';
  database = await openDatabase();
  unpacked = await unpackPrevious();
  previous = (await import(unpacked.entry)) as Release;
});
afterAll(async () => {
  await database.close();
  await unpacked.remove();
});

/** The options of docs/upgrading.md on one side of the update. */
async function optionsOf(side: '-' | '+'): Promise<current.AuthorizationServerOptions> {
  const lines = fileText('upgraded-options.mjs')
    .split('\n')
    .filter((line) => line.startsWith(' ') || line.startsWith(side))
    .map((line) => line.slice(1));
  const url = `data:text/javascript,${encodeURIComponent(lines.join('\n'))}`;
  const { options } = (await import(url)) as { options: current.AuthorizationServerOptions };
  return { ...options, connection: database.connection };
}

/** What an option of the lines that go is called. */
const formerNames = [...fileText('upgraded-options.mjs').matchAll(/^-\s+(\w+):/gm)].map(
  ([, name = '']) => name,
);

describe('the options of docs/upgrading.md', () => {
  test(`${PREVIOUS} takes those before`, async () => {
    const options = await optionsOf('-');
    expect(() => previous.authorizationServer(options)).not.toThrow();
  });

  test('this release refuses each of them with its new name, which is among those after', async () => {
    const options = await optionsOf('-');
    const others = Object.entries(options).filter(([name]) => !formerNames.includes(name));
    const after = await optionsOf('+');
    expect(formerNames.length).toBeGreaterThan(3);
    for (const name of formerNames) {
      const one = { ...Object.fromEntries(others), [name]: options[name as keyof typeof options] };
      const start = () => current.authorizationServer(one as unknown as current.AuthorizationServerOptions);
      const [, group = 'none'] = messageOf(start).match(new RegExp(`${name}.*?\\b(\\w+)(?:\\.|: \\{)`)) ?? [];
      expect([name, messageOf(start)]).toEqual([name, expect.stringContaining(name)]);
      expect(after).toHaveProperty(group);
    }
  });

  test('this release takes those after', async () => {
    const server = current.authorizationServer(await optionsOf('+'));
    await server.close();
  });

  test('isDeveloper, which gets the request in both releases, lets staff in and nobody else', async () => {
    const before = (await optionsOf(
      '-',
    )) as unknown as Required<current.AuthorizationServerOptions>['applications'];
    const { applications: after } = await optionsOf('+');
    const decide = ({ isDeveloper }: typeof before, isStaff: boolean) =>
      isDeveloper?.({ user: { isStaff } } as never);
    expect([before, after!].map((side) => [decide(side, true), decide(side, false)])).toEqual([
      [true, false],
      [true, false],
    ]);
  });
});

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing';
}
