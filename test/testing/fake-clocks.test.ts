import { afterEach, describe, expect, test } from '@jest/globals';

import type { batch } from '../../lib/storage/connection/batch.js';
import { actingAs } from '../../lib/testing.js';
import { letPass } from '../support/clock.js';
import { siteFor } from '../support/site-for.js';
import { callApi } from '../support/tokens.js';

const REAL = { setTimeout, setInterval, setImmediate };
/** The state under a library of fake timers while nobody moves its clock: scheduled work never runs. */
const FAKE = { setTimeout: () => ({}), setInterval: () => ({}), setImmediate: () => ({}) };
const site = siteFor({ security: { rateLimits: false } });
const fakeTimers = () => void Object.assign(globalThis, FAKE);
const useRealTimers = () => void Object.assign(globalThis, REAL);
afterEach(useRealTimers);

const tokenOf = async (): Promise<string> => {
  const { Authorization } = (await actingAs(site.oauth, 'ada', ['photos:read'])) as { Authorization: string };
  return Authorization.replace('Bearer ', '');
};

describe('fake clocks in tests of hosts', () => {
  test('a grant is made while setImmediate is faked', async () => {
    Object.assign(globalThis, { setImmediate: FAKE.setImmediate });
    expect(await tokenOf()).toMatch(/^eas_at_/);
  });

  test('a grant is made by a package that was loaded while clocks were faked', async () => {
    fakeTimers();
    // another instance of the module, as the first suite of a host would load it
    const again = `${new URL('../../lib/storage/connection/batch.ts', import.meta.url).href}?again`;
    const loaded = (await import(again)) as { readonly batch: typeof batch };
    const load = loaded.batch((keys: readonly string[]) => Promise.resolve(keys));
    expect(await load('a')).toBe('a');
  });

  test('work that begins under fake timers delays nothing once they are real again', async () => {
    fakeTimers();
    const waiting = [tokenOf(), tokenOf(), tokenOf()];
    useRealTimers();
    for (const token of await Promise.all([...waiting, tokenOf()]))
      expect((await callApi(site, token, '/api/photos')).status).toBe(200);
  });

  test('a token expires when the date is set under real timers', async () => {
    const token = await tokenOf();
    letPass(3601);
    expect((await callApi(site, token, '/api/photos')).status).toBe(401);
  });
});
