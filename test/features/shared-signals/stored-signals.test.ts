import { beforeAll, describe, expect, test } from '@jest/globals';

import type { RunningPeople } from '../../../lib/core/people/people-registry.js';
import { testFailing, whileFailing } from '../../support/fail-point.js';
import { CAEP, openToken, openTransmittingSite, RISC } from '../../support/shared-signals.js';
import { fixture } from '../../support/site-for.js';
import { until } from '../../support/until.js';

/** The users whom the host's function cannot name at the moment. */
const unnamed = new Set<string>();
let id: string;
const site = fixture(() =>
  openTransmittingSite({
    subject({ userId }) {
      if (unnamed.has(userId)) throw new Error('the directory is down');
      return { format: 'opaque', id: userId };
    },
  }),
);

beforeAll(async () => {
  id = await site.stream();
});

/** The users in the signals of the stream so far. */
const reported = new Set<unknown>();
async function hasReported(...userIds: string[]): Promise<boolean> {
  const { body } = await site.api('post', `/poll/${id}`, { returnImmediately: true });
  for (const token of Object.values((body as { sets: Record<string, string> }).sets))
    reported.add(((await openToken(site, token)).payload.sub_id as { id: string }).id);
  return userIds.every((each) => reported.has(each));
}

const details = () =>
  site.errors.map(({ detail }) => String(detail)).filter((one) => one.includes('shared signals'));

describe('the end of all access of a person', () => {
  testFailing('a signal is sent in the end although its insert failed at first', async () => {
    await whileFailing(site.database, { command: 'insert', failure: { errorCode: 8000 } }, async () => {
      await site.oauth.grants.revoke({ userId: 'ada' });
      await until(() => details().length > 0);
    });
    expect(details()).toEqual([expect.stringContaining('it waits and is stored again')]);
    await until(() => hasReported('ada'));
  });

  test('a signal whose subject the host cannot name at first is sent later and delays no other', async () => {
    unnamed.add('eve');
    await site.oauth.grants.revoke({ userId: 'eve' });
    await site.oauth.grants.revoke({ userId: 'grace' });
    await until(() => hasReported('grace'));
    expect(reported).not.toContain('eve');
    unnamed.clear();
    await until(() => hasReported('eve'));
  });

  test('the closing server tries a waiting signal once more and reports its loss', async () => {
    await using other = await openTransmittingSite({
      subject() {
        throw new Error('the directory is down');
      },
    });
    await other.stream();
    await other.oauth.grants.revoke({ userId: 'ada' });
    await until(() => other.errors.length > 0);
    await other.oauth.close();
    expect(other.errors.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('it waits and is stored again'),
      expect.stringContaining('an event is lost'),
    ]);
  });
});

const payloadsOf = async (stream: string) => {
  const { body } = await site.api('post', `/poll/${stream}`, { returnImmediately: true });
  const tokens = Object.values((body as { sets: Record<string, string> }).sets);
  return Promise.all(tokens.map(async (token) => (await openToken(site, token)).payload));
};

test('RISC 1.0 §2.2 the end of an account is sent as account-purged', async () => {
  const stream = await site.stream();
  await site.oauth.people.end('linus');
  expect(await payloadsOf(stream)).toContainEqual(
    expect.objectContaining({
      sub_id: expect.objectContaining({ id: 'linus' }),
      events: { [`${RISC}account-purged`]: {} },
    }),
  );
});

test('the logout by an administrator is sent as session-revoked, the end of some grants is not', async () => {
  const stream = await site.stream();
  await site.oauth.grants.revoke({ userId: 'margaret', kind: 'device' });
  const people = site.oauth.people as RunningPeople;
  await people.end('barbara', {}, { actorId: 'grace', emit: site.oauth.events.emit });
  const reportedBy = (await payloadsOf(stream)).map(({ sub_id, events }) => [
    (sub_id as { id?: string }).id,
    Object.keys(events as object),
  ]);
  expect(reportedBy).toEqual([['barbara', [`${CAEP}session-revoked`]]]);
});
