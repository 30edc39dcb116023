import { expect, jest, test } from '@jest/globals';
import bcrypt from 'bcrypt';
import type { Response } from 'supertest';

import { BCRYPT_PATIENCE } from '../../lib/shared/limits/bcrypt-queues.js';
import { letLimitEnd } from '../support/clock.js';
import { fixture, siteFor } from '../support/site-for.js';
import { tokenRequest } from '../support/tokens.js';
import { until } from '../support/until.js';

/** The number of requests, and of their closed connections. */
const seen = { requested: 0, closed: 0 };

/** An imported secret is compared by bcrypt, one at a time in a process. */
const site = siteFor({
  security: { rateLimits: false },
  before: (app) =>
    app.use((_req, res, next) => {
      seen.requested += 1;
      res.on('close', () => void (seen.closed += 1));
      next();
    }),
});
const client = fixture(() => site.client({ clientSecret: 'a secret that somebody has thought of' }));

const ask = (clientSecret: string | undefined) =>
  tokenRequest(site, { ...client, clientSecret: clientSecret ?? '' }, { grant_type: 'client_credentials' });

test('bcrypt computes nothing for clients that disconnect before their turn', async () => {
  const real = bcrypt.compare.bind(bcrypt) as (secret: string, hash: string) => Promise<boolean>;
  letLimitEnd(BCRYPT_PATIENCE, 'by hand');
  let letGo: () => void = () => undefined;
  const granted = new Promise<void>((resolve) => (letGo = resolve));
  const compare = jest.spyOn(bcrypt, 'compare').mockImplementation((async (secret: string, hash: string) => {
    await granted;
    return real(secret, hash);
  }) as never);
  const first: Promise<Response> = ask('wrong').then();
  await until(() => compare.mock.calls.length >= 1);
  const [requested, closed] = [seen.requested, seen.closed];
  const leaving = Array.from({ length: 5 }, (_each, index) => ask(`wrong, too ${index}`));
  for (const each of leaving) each.then(undefined, () => undefined);
  await until(() => seen.requested >= requested + 5);
  for (const each of leaving) each.abort();
  await until(() => seen.closed >= closed + 5);
  letGo();
  expect((await first).status).toBe(401);
  expect((await ask(client.clientSecret)).status).toBe(200);
  expect(compare).toHaveBeenCalledTimes(2);
  compare.mockRestore();
});
