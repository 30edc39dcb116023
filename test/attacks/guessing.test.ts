import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { openSite } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { basic, postToken } from '../support/tokens.js';

describe('guesses that are all sent at once', () => {
  const site = siteFor({
    grantTypes: ['client_credentials', 'password'],
    security: { rateLimits: { token: 5, login: 3 } },
  });

  /** The attempts that were tried (401, 400), and those that were turned away (429). */
  const countStatuses = async (requests: readonly PromiseLike<{ status: number }>[]) => {
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    return {
      refused: statuses.filter((status) => status === 429).length,
      tried: statuses.filter((status) => status !== 429).length,
    };
  };

  test('guesses at chosen secrets of many clients are limited to ten times as many per address', async () => {
    await using other = await openSite({ security: { rateLimits: { token: 1 } }, database: site.database });
    const ids = Array.from({ length: 14 }, (_, index) => `chosen-${index}`);
    for (const clientId of ids)
      await other.client({
        clientId,
        clientSecret: 'summer in the city',
        grantTypes: ['client_credentials'],
      });
    const guesses = ids.map((clientId) =>
      postToken(other, { grant_type: 'client_credentials' }).set('Authorization', basic(clientId, 'winter')),
    );
    expect(await countStatuses(guesses)).toEqual({ tried: 10, refused: 4 });
  });

  test('guesses of one password for many names are limited per address, without the right ones', async () => {
    await using other = await openSite({
      grantTypes: ['password'],
      security: { rateLimits: { login: 2 } },
      people: {
        // all begin before the first is answered
        authenticate: (username) =>
          new Promise((resolve) =>
            setImmediate(() => resolve(username.startsWith('right') ? username : null)),
          ),
      },
    });
    const client = await other.client({ grantTypes: ['password'] });
    const guess = (username: string) =>
      postToken(other, { grant_type: 'password', username, password: 'Password1' }).set(
        'Authorization',
        basic(client.clientId, client.clientSecret ?? ''),
      );
    const names = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, index) => `${prefix} ${index}`);
    for (const name of names(30, 'right')) await guess(name).expect(200);
    expect(await countStatuses(names(60, 'wrong').map(guess))).toEqual({ tried: 20, refused: 40 });
    expect(await countStatuses(names(5, 'another').map(guess))).toEqual({ tried: 0, refused: 5 });
  });

  test('guesses at a secret by several endpoints are limited together', async () => {
    const client = await site.client({ grantTypes: ['client_credentials'] });
    const guess = (path: string) =>
      request(site.server)
        .post(path)
        .type('form')
        .set('Authorization', basic(client.clientId, 'wrong'))
        .send({ grant_type: 'client_credentials', token: 'x' });
    const statuses = [];
    for (const path of [
      '/oauth/token',
      '/oauth/revoke',
      '/oauth/introspect',
      '/oauth/token',
      '/oauth/revoke',
      '/oauth/introspect',
    ])
      statuses.push((await guess(path)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test('guesses at a password are limited together for all spellings of the name', async () => {
    const client = await site.client({ grantTypes: ['password'] });
    const guesses = Array.from({ length: 20 }, (_, index) =>
      postToken(site, {
        grant_type: 'password',
        username: index % 2 ? 'grace' : 'GRACE',
        password: `guess ${index}`,
      }).set('Authorization', basic(client.clientId, client.clientSecret ?? '')),
    );
    expect(await countStatuses(guesses)).toEqual({ tried: 3, refused: 17 });
  });

  test('a client with the right secret is served however many requests it sends at once', async () => {
    await site.client({
      clientId: 'busy',
      clientSecret: 'chosen by a person',
      grantTypes: ['client_credentials'],
    });
    const requests = Array.from({ length: 40 }, () =>
      postToken(site, { grant_type: 'client_credentials' }).set(
        'Authorization',
        basic('busy', 'chosen by a person'),
      ),
    );
    expect(await countStatuses(requests)).toEqual({ tried: 40, refused: 0 });
  });

  test("a page with its visitors' addresses cannot use a chosen secret, right or wrong", async () => {
    const chosen = await site.client({
      clientSecret: 'brought along by hand',
      grantTypes: ['client_credentials'],
    });
    const random = await site.client({ grantTypes: ['client_credentials'] });
    const ask = (
      { clientId, clientSecret = '' }: { clientId: string; clientSecret?: string },
      origin?: string,
    ) =>
      postToken(site, { grant_type: 'client_credentials' })
        .set('Authorization', basic(clientId, clientSecret))
        .set(origin === undefined ? {} : { Origin: origin })
        .then(({ status }) => status);
    for (const origin of ['https://evil.example', 'null', `${site.url}.evil.example`]) {
      expect(await ask(chosen, origin)).toBe(401);
      expect(await ask(random, origin)).toBe(200);
      // nor is it accepted from the cache
      expect(await ask(chosen)).toBe(200);
    }
    expect(await ask(chosen, site.url)).toBe(200);
  });
});
