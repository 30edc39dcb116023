import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import bcrypt from 'bcrypt';

import { fill, migrate, NAMES, oldClient } from '../support/migration.js';
import { openSite, type Site } from '../support/site.js';
import { basic, postToken } from '../support/tokens.js';

const PLUS = 'Jk+xicW3s9dRTq71LmZ0';
const PERCENT = '9bR%41tQxW3s9dRTq71L';
const BROKEN = '9bR%zztQxW3s9dRTq71L';
const PLAIN = 'abcJkxicW3s9dRTq71LmZ0';

let site: Site;
beforeEach(async () => {
  site = await openSite({ tokens: { migrated: true }, security: { rateLimits: false } });
});
afterEach(() => site.close());

const takeOver = async (secrets: Readonly<Record<string, string>>) => {
  const clients = Object.entries(secrets).map(([clientId, clientSecret]) => ({
    ...oldClient(),
    _id: undefined,
    clientId,
    clientSecret,
    grants: ['client_credentials'],
  }));
  await fill(
    site,
    NAMES.clients,
    clients.map(({ _id: _unused, ...client }) => client),
  );
  return migrate(site, 'node-oauth');
};
const raw = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const statusBy = async (authorization: string) =>
  (await postToken(site, { grant_type: 'client_credentials' }).set('Authorization', authorization)).status;
/** Waits until a pending change of the client's secret is stored. */
const settle = (id: string) => site.oauth.clients.find(id);

describe('migrated secrets with + or %', () => {
  test('migrate lists the clients whose secrets have + or %', async () => {
    const { report } = await takeOver({ plus: PLUS, percent: PERCENT, plain: PLAIN });
    const changed = JSON.stringify(report.changed);
    expect(changed).toContain('its secret has + or %');
    expect(changed).toContain('"names":["plus","percent"]');
  });

  test.each([PLUS, PERCENT, BROKEN])('the secret %s works unencoded until sent encoded', async (secret) => {
    await takeOver({ shop: secret });
    expect([await statusBy(raw('shop', secret)), await statusBy(raw('shop', secret))]).toEqual([200, 200]);
    await settle('shop');
    expect(await statusBy(raw('shop', secret))).toBe(200);
    expect(await statusBy(basic('shop', secret))).toBe(200);
    await settle('shop');
    // a cached client is read again if its secret is wrong
    expect(await statusBy(raw('shop', secret))).toBe(401);
    expect(await statusBy(basic('shop', secret))).toBe(200);
  });

  test.each([PLUS, PERCENT, BROKEN])('the secret %s may be in Basic and the body', async (secret) => {
    await takeOver({ shop: secret });
    const both = async (inBody: string) =>
      (
        await postToken(site, {
          grant_type: 'client_credentials',
          client_id: 'shop',
          client_secret: inBody,
        }).set('Authorization', raw('shop', secret))
      ).status;
    expect(await both(secret)).toBe(200);
    expect(await both(`${secret}x`)).toBe(400);
  });

  test('a wrong secret is wrong in both readings', async () => {
    await takeOver({ shop: PLUS });
    for (const wrong of [PLUS.replace('+', ' '), `${PLUS}+`, '%', '%zz', `x${PERCENT}`])
      expect([wrong, await statusBy(raw('shop', wrong))]).toEqual([wrong, 401]);
  });

  test('a migrated hash works in both readings as well, and the report counts it', async () => {
    const { report } = await takeOver({ shop: await bcrypt.hash(PLUS, 4) });
    expect(JSON.stringify(report)).toContain('are hashes: if one has + or %');
    expect(await statusBy(raw('shop', PLUS))).toBe(200);
    expect(await statusBy(basic('shop', PLUS))).toBe(200);
    await settle('shop');
    expect(await statusBy(raw('shop', PLUS))).toBe(401);
  });

  test('the secret of a registered client has one reading', async () => {
    await site.client({ clientId: 'new', clientSecret: PLUS });
    expect([await statusBy(raw('new', PLUS)), await statusBy(basic('new', PLUS))]).toEqual([401, 200]);
    await site.client({ clientId: 'app', type: 'public' });
    expect(await statusBy(raw('app', '%zz'))).toBe(401);
  });

  test('a wrong secret does not reveal whether the client exists', async () => {
    await takeOver({ shop: PLUS });
    const answerTo = async (id: string) =>
      (await postToken(site, { grant_type: 'client_credentials' }).set('Authorization', raw(id, '%zz'))).body;
    expect(await answerTo('shop')).toEqual(await answerTo('nobody'));
  });
});
