import { afterEach, expect, jest } from '@jest/globals';

import { createGrantChanges, MAX_SILENCE } from '../../lib/storage/grants/change-stream.js';
import { describeHearing, testHearing as test } from '../support/change-streams.js';
import { openDatabase } from '../support/database.js';
import { testFailing, whileFailing } from '../support/fail-point.js';
import { openSite } from '../support/site.js';
import { until } from '../support/until.js';

afterEach(() => void jest.restoreAllMocks());

/** Ends a loop that never waits and would block this process, even the end of the test. */
function endLoops(): void {
  const now = performance.now.bind(performance);
  let readings = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => {
    readings += 1;
    if (readings > 200_000) throw new Error('it loops');
    return now();
  });
}

test.each(['aggregate', 'getMore'])(
  'a client that is closed during its %s reports no further changes',
  async (command) => {
    const site = await openSite();
    const { Grant } = site.oauth.models;
    const { connection } = await openDatabase(site.database.connection.name);
    const model = connection.model(
      Grant.modelName,
      Grant.schema,
      Grant.collection.name,
    ) as unknown as typeof Grant;
    endLoops();
    connection.getClient().on('commandSucceeded', ({ commandName }) => {
      if (commandName === command) void connection.close();
    });
    const ignore = (): void => undefined;
    let fail: (error: unknown) => void = ignore;
    const failed = new Promise((resolve) => (fail = resolve));
    const changes = createGrantChanges(model, {
      changed: ignore,
      missed: ignore,
      failed: fail,
    });
    expect(String(await failed)).toContain('closed');
    expect(changes.isCurrent()).toBe(false);
    await changes.close();
    await site.close();
  },
);

test('a change stream is not current a second after its last answer, even without an error', async () => {
  const site = await openSite();
  const { Grant } = site.oauth.models;
  const ignore = (): void => undefined;
  const changes = createGrantChanges(Grant, { changed: ignore, missed: ignore, failed: ignore });
  await changes.ready();
  await until(changes.isCurrent);
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + MAX_SILENCE + 1);
  // at once, before the next answer of the database arrives
  expect(changes.isCurrent()).toBe(false);
  await changes.close();
  await site.close();
});

describeHearing('after a failure', () => {
  testFailing(
    'ready() of a failed change stream retries at once, and shares a retry that is running',
    async () => {
      const site = await openSite();
      const { Grant } = site.oauth.models;
      let failures = 0;
      // no automatic retry
      const begin = setTimeout;
      jest.spyOn(globalThis, 'setTimeout').mockImplementation((work: () => void, pause = 0) => {
        return begin(work, /begin/.test(String(work)) ? 60_000 : pause);
      });
      const failing = { command: 'aggregate', failure: { errorCode: 8 } } as const;
      const changes = await whileFailing(site.database, failing, async () => {
        const begun = createGrantChanges(Grant, {
          changed: () => undefined,
          missed: () => undefined,
          failed: () => void (failures += 1),
        });
        await expect(begun.ready()).rejects.toThrow();
        await expect(begun.ready()).rejects.toThrow();
        return begun;
      });
      const streams = jest.spyOn(Grant.collection, 'watch');
      await Promise.all([changes.ready(), changes.ready()]);
      expect(changes.isListening()).toBe(true);
      await changes.ready();
      expect({ failures, streams: streams.mock.calls.length }).toEqual({ failures: 1, streams: 1 });
      await changes.close();
      await site.close();
    },
  );
});

test('a server that refuses change streams is asked at growing intervals', async () => {
  const site = await openSite();
  const { Grant } = site.oauth.models;
  const collection = Object.create(Grant.collection, {
    watch: {
      value: () => ({
        tryNext: () => Promise.reject(new Error('no streams')),
        close: () => Promise.resolve(),
      }),
    },
  }) as typeof Grant.collection;
  const pauses: number[] = [];
  const begin = setTimeout;
  jest.spyOn(globalThis, 'setTimeout').mockImplementation((work: () => void, pause = 0) => {
    if (pause >= 500 && pause <= 60_000 && /begin/.test(String(work))) pauses.push(pause);
    return begin(work, pauses.includes(pause) ? 0 : pause);
  });
  let failures = 0;
  const changes = createGrantChanges({ db: Grant.db, collection } as typeof Grant, {
    changed: () => undefined,
    missed: () => undefined,
    failed: () => void (failures += 1),
  });
  await expect(changes.ready()).rejects.toThrow('no streams');
  await until(() => pauses.length >= 9);
  expect(pauses.slice(0, 9)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  expect(failures).toBe(1);
  await changes.close();
  await site.close();
});
