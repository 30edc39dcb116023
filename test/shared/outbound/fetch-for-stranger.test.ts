import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { OAuthError } from '../../../lib/shared/errors.js';
import {
  createLimitUntrustedFetch,
  type FetchCaller,
  type LimitUntrustedFetch,
  LoginNeeded,
  type UntrustedFetch,
} from '../../../lib/shared/outbound/limit-untrusted-fetch.js';
import { IS_LONG } from '../../support/long-run.js';
import { holds } from '../../support/properties.js';
import { resetClock, shiftClock } from '../../support/shifted-clock.js';

afterEach(() => resetClock());

/** Minutes; `npm run test:stress` takes a whole day. */
const DAY = IS_LONG ? 24 * 60 : 5;
const UNKNOWN = { standing: 'unknown', isShared: true } as const;
const documentOf = (url: string, given: Partial<UntrustedFetch> = {}): UntrustedFetch => ({
  url,
  clientId: url,
  ...UNKNOWN,
  ...given,
});
const works = () => Promise.resolve('document');
const fails = () => Promise.reject(new Error('answered with status 404'));
/** `done`, `failed`, or the status of a refusal. */
const outcomeOf = async (fetched: Promise<unknown>): Promise<string | number> => {
  try {
    await fetched;
    return 'done';
  } catch (error) {
    return error instanceof OAuthError ? error.status : 'failed';
  }
};

describe('fetches for strangers in a whole day', () => {
  test('few of 600 requests a minute are fetched, and each stored and each new agent is served', async () => {
    const run = createLimitUntrustedFetch(true);
    let [fetched, requests, refused] = [0, 0, 0];
    const failing = () => {
      fetched += 1;
      return fails();
    };
    for (let minute = 0; minute < DAY; minute += 1) {
      shiftClock(minute * 60_000);
      for (let each = 0; each < 600; each += 1) {
        // half of them from one address, the others from thousands; half to the host of the agents
        const ip = each % 2 === 0 ? '198.51.100.1' : `203.0.${(minute * 7 + each) % 100}.${each % 250}`;
        const host = each % 4 < 2 ? 'agents.example' : `host-${each}.example`;
        const fetch = documentOf(`https://${host}/${minute}-${each}`, { getCaller: () => ({ ip }) });
        if (typeof (await outcomeOf(run(fetch, failing))) === 'number') refused += 1;
        requests += 1;
      }
      const stored = documentOf(`https://agents.example/stored-${minute % 50}`, {
        standing: 'stored',
        getCaller: () => ({ ip: '198.51.100.1' }),
      });
      expect(await outcomeOf(run(stored, works))).toBe('done');
      const getCaller = (): FetchCaller => ({ userId: `person ${minute}` });
      const fresh = documentOf(`https://agents.example/new-${minute}`, { getCaller });
      expect(await outcomeOf(run(fresh, works))).toBe('done');
    }
    expect(requests).toBe(DAY * 600);
    expect(refused + fetched).toBe(requests);
    // the host of the agents gets at most 60 a minute, the one address 10, and all 600
    expect(fetched / DAY).toBeLessThanOrEqual(60 + 300);
  });

  test('a host with valid documents is fetched for each of them', async () => {
    const run = createLimitUntrustedFetch(true);
    for (let each = 0; each < 1000; each += 1) {
      const getCaller = (): FetchCaller => ({ userId: `person ${each}` });
      const fetch = documentOf(`https://agents.example/${each}`, { getCaller });
      expect(await outcomeOf(run(fetch, works))).toBe('done');
    }
  });
});

describe('the caller of a fetch', () => {
  const run = () => createLimitUntrustedFetch(true);
  let hosts = 0;
  const many = async (limited: LimitUntrustedFetch, caller: FetchCaller, times: number, work = works) => {
    const outcomes: (string | number)[] = [];
    for (let each = 0; each < times; each += 1)
      outcomes.push(
        await outcomeOf(
          limited(documentOf(`https://h${(hosts += 1)}.example/a`, { getCaller: () => caller }), work),
        ),
      );
    return outcomes.filter((outcome) => outcome === 429).length;
  };

  test('a visitor who can log in causes no fetch for an unknown client', async () => {
    const limited = run();
    const getCaller = (): FetchCaller => ({ ip: '198.51.100.1', isVisitor: true });
    let fetched = 0;
    const work = () => Promise.resolve((fetched += 1));
    await expect(limited(documentOf('https://a.example/a', { getCaller }), work)).rejects.toThrow(
      LoginNeeded,
    );
    const perRequest = documentOf('https://a.example/a', {
      getCaller,
      standing: 'vouched',
      isPerRequest: true,
    });
    await expect(limited(perRequest, work)).rejects.toThrow(LoginNeeded);
    expect(fetched).toBe(0);
    await limited(documentOf('https://a.example/a', { getCaller, standing: 'stored' }), work);
    expect(fetched).toBe(1);
    // nor do visitors use up the limits of addresses
    await many(limited, { ip: '198.51.100.1', isVisitor: true }, 700);
    expect(await many(limited, { ip: '198.51.100.1' }, 1)).toBe(0);
  });

  test('a caller is refused after 60 fetches or 10 failures in a minute, and nobody else is', async () => {
    const limited = run();
    expect(await many(limited, { userId: 'eve' }, 70)).toBe(10);
    expect(await many(limited, { userId: 'ada' }, 5)).toBe(0);
    expect(await many(limited, { ip: '198.51.100.1' }, 30, fails)).toBe(20);
    // a household has many addresses
    expect(await many(limited, { ip: '2001:db8::1' }, 10, fails)).toBe(0);
    expect(await many(limited, { ip: '2001:db8::2' }, 1)).toBe(1);
    expect(await many(limited, { ip: '198.51.100.2' }, 5)).toBe(0);
  });

  test('a URL that is refused for one client is still fetched for another', async () => {
    const limited = run();
    const url = 'https://inside.example/keys';
    const getCaller = (): FetchCaller => ({ userId: 'eve' });
    await outcomeOf(limited({ url, clientId: 'a', standing: 'stored', getCaller }, fails));
    const again = limited({ url, clientId: 'a', standing: 'stored', getCaller }, works);
    expect(await outcomeOf(again)).toBe(503);
    expect(await outcomeOf(limited({ url, clientId: 'b', standing: 'vouched', getCaller }, works))).toBe(
      'done',
    );
    shiftClock(5000);
    expect(await outcomeOf(limited({ url, clientId: 'a', standing: 'stored', getCaller }, works))).toBe(
      'done',
    );
  });

  test("the log has the same detail for each failed URL, so that it can fold strangers' URLs", async () => {
    const limited = run();
    const details = new Set<unknown>();
    for (const path of ['a', 'b']) {
      const again = () =>
        limited(documentOf(`https://h.example/${path}`, { getCaller: () => ({ userId: 'eve' }) }), fails);
      await outcomeOf(again());
      details.add(await again().catch((error: OAuthError) => error.detail));
    }
    expect([...details]).toEqual([expect.stringContaining('has just failed')]);
  });

  test('concurrent callers share a fetch, but a visitor joins none', async () => {
    const limited = run();
    let fetched = 0;
    const work = () => Promise.resolve((fetched += 1));
    const by = (caller: FetchCaller) =>
      outcomeOf(limited(documentOf('https://a.example/a', { getCaller: () => caller }), work));
    const outcomes = await Promise.all([
      by({ ip: '', isVisitor: true }),
      by({ userId: 'ada' }),
      by({ userId: 'bob' }),
    ]);
    expect([outcomes, fetched]).toEqual([[400, 'done', 'done'], 1]);
  });

  const callers: FetchCaller[] = [
    { userId: 'eve' },
    { userId: 'ada' },
    { ip: '198.51.100.1' },
    { ip: '2001:db8::1' },
    { ip: '198.51.100.2', isVisitor: true },
    { clientId: 'agent' },
  ];
  const step = fc.record({
    caller: fc.constantFrom(...callers),
    standing: fc.constantFrom('vouched' as const, 'stored' as const, 'unknown' as const),
    isPerRequest: fc.boolean(),
    host: fc.constantFrom('a.example', 'b.example', '10.0.0.1', '[::1]', '[::ffff:a00:1]'),
    path: fc.nat(400),
    outcome: fc.constantFrom('works' as const, 'fails' as const, 'is busy' as const),
    pause: fc.constantFrom(0, 0, 0, 0, 1000, 7000),
  });
  holds<[Parameters<typeof walk>[0]]>(
    'no caller and no host exceeds its share, in whatever order requests come',
    [fc.array(step, { minLength: 50, maxLength: 400, size: 'max' })],
    (steps) => walk(steps),
    // each has hundreds of steps
    IS_LONG ? 20_000 : 40,
  );

  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
  interface Started extends Step {
    readonly at: number;
  }
  async function walk(steps: readonly Step[]): Promise<void> {
    const limited = run();
    const started: Started[] = [];
    let at = 0;
    for (const each of steps) {
      at += each.pause;
      shiftClock(at);
      const { caller, standing, isPerRequest, host, path } = each;
      const url = `https://${host}/${path}`;
      const work = () => {
        started.push({ ...each, at });
        if (each.outcome === 'works') return works();
        return each.outcome === 'fails'
          ? fails()
          : Promise.reject(new OAuthError('temporarily_unavailable', 'x'));
      };
      const isCounted = standing === 'unknown' || isPerRequest;
      const outcome = await outcomeOf(
        limited({ url, clientId: `client ${path}`, standing, isPerRequest, getCaller: () => caller }, work),
      );
      // the reserve for vouched clients is never refused because of others
      if (!isCounted) expect(outcome).not.toBe(429);
      if (isCounted && 'isVisitor' in caller) expect(outcome).toBe(400);
    }
    const counted = started.filter(({ standing, isPerRequest }) => standing === 'unknown' || isPerRequest);
    // a window begins with the first fetch in it, so any minute may have the ends of two
    const maxInAMinute = (of: readonly Started[]): number => {
      let first = 0;
      return of.reduce((max, { at: last }, index) => {
        while (of[first]!.at <= last - 60_000) first += 1;
        return Math.max(max, index - first + 1);
      }, 0);
    };
    for (const caller of callers) {
      const own = counted.filter((one) => one.caller === caller);
      expect(maxInAMinute(own)).toBeLessThanOrEqual('isVisitor' in caller ? 0 : 2 * 60);
      expect(maxInAMinute(own.filter(({ outcome }) => outcome === 'fails'))).toBeLessThanOrEqual(2 * 10);
    }
    expect(maxInAMinute(counted.filter(({ outcome }) => outcome === 'fails'))).toBeLessThanOrEqual(
      2 * 10 * callers.length,
    );
  }
});
