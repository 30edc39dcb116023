import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { createPerson, locationOf } from '../support/person.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import { basic, type Fields } from '../support/tokens.js';
import { PREVIOUS, type PreviousSite, startPrevious, unpackPrevious } from './previous-release.js';

/** While a site is updated, some of its processes run the previous release, with one database and the same clients. */
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

let site: Site;
let previous: PreviousSite;
let unpacked: Awaited<ReturnType<typeof unpackPrevious>>;
let client: ClientWithSecret;
type Side = 'old' | 'new';

beforeAll(async () => {
  unpacked = await unpackPrevious();
  site = await openSite({
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', DEVICE],
    security: { rateLimits: false },
  });
  previous = await startPrevious(unpacked.entry, { uri: site.database.uri, issuer: site.url });
  client = await site.client({ trusted: true, introspection: true });
}, 60_000);
afterAll(async () => {
  await previous.stop();
  await site.close();
  await unpacked.remove();
});

const urlOf = (side: Side) => (side === 'old' ? previous.url : site.url);

async function post(side: Side, path: string, fields: Fields, as = client) {
  return request(urlOf(side))
    .post(`/oauth/${path}`)
    .type('form')
    .set('Authorization', basic(as.clientId, as.clientSecret ?? ''))
    .send(fields);
}

const token = (side: Side, fields: Fields, as?: ClientWithSecret) => post(side, 'token', fields, as);

async function codeOf(side: Side, as = client): Promise<string> {
  const query = {
    response_type: 'code',
    client_id: as.clientId,
    redirect_uri: REDIRECT_URI,
    scope: 'profile',
  };
  const person = createPerson({ server: urlOf(side) });
  if (side === 'new') await person.logIn();
  return locationOf(await person.openAuthorize(query)).searchParams.get('code') ?? '';
}

const redeem = (side: Side, code: string) =>
  token(side, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI });
const refresh = (side: Side, refreshToken: string) =>
  token(side, { grant_type: 'refresh_token', refresh_token: refreshToken });
const call = async (side: Side, accessToken: string) =>
  (await request(urlOf(side)).get('/api/me').set('Authorization', `Bearer ${accessToken}`)).status;
const callBoth = async (accessToken: string) => [
  await call('old', accessToken),
  await call('new', accessToken),
];

describe(`what ${PREVIOUS} has given is good at this tree, and what becomes of it here holds there`, () => {
  test('a code is redeemed', async () => {
    const { status, body } = await redeem('new', await codeOf('old'));
    expect([status, body.error]).toEqual([200, undefined]);
    expect(await call('new', body.access_token)).toBe(200);
  });

  test('a code that was redeemed there is refused, and its tokens end', async () => {
    const code = await codeOf('old');
    const { body } = await redeem('old', code);
    expect((await redeem('new', code)).body.error).toBe('invalid_grant');
    expect(await callBoth(body.access_token)).toEqual([401, 401]);
  });

  test('a refresh token is used', async () => {
    const first = (await redeem('old', await codeOf('old'))).body;
    const second = (await refresh('old', first.refresh_token)).body;
    const third = (await refresh('new', second.refresh_token)).body;
    const fourth = await refresh('new', third.refresh_token);
    expect([fourth.status, await call('new', fourth.body.access_token)]).toEqual([200, 200]);
  });

  test('a refresh token that was replaced there ends its grant, at both', async () => {
    const first = (await redeem('old', await codeOf('old'))).body;
    const second = (await refresh('old', first.refresh_token)).body;
    expect((await refresh('new', first.refresh_token)).body.error).toBe('invalid_grant');
    expect(await callBoth(second.access_token)).toEqual([401, 401]);
  });

  test('tokens are introspected and revoked', async () => {
    const { body } = await redeem('old', await codeOf('old'));
    const ask = async (side: Side) =>
      (await post(side, 'introspect', { token: body.access_token })).body.active;
    expect([await ask('old'), await ask('new')]).toEqual([true, true]);
    expect((await post('new', 'revoke', { token: body.refresh_token })).status).toBe(200);
    expect([await ask('old'), await ask('new')]).toEqual([false, false]);
    expect(await callBoth(body.access_token)).toEqual([401, 401]);
  });

  test('a client’s own token', async () => {
    const { body } = await token('old', { grant_type: 'client_credentials' });
    expect(await callBoth(body.access_token)).toEqual([200, 200]);
  });

  test('a device goes on asking', async () => {
    const { body } = await post('old', 'device_authorization', { scope: 'profile' });
    const poll = await token('new', { grant_type: DEVICE, device_code: body.device_code });
    expect(poll.body.error).toBe('authorization_pending');
  });

  test('a client that is deleted here is none there', async () => {
    const own = await site.client({ trusted: true });
    expect((await token('old', { grant_type: 'client_credentials' }, own)).status).toBe(200);
    await site.oauth.clients.delete(own.clientId);
    expect((await token('old', { grant_type: 'client_credentials' }, own)).status).toBe(401);
  });
});

describe(`what this tree has given is nothing to ${PREVIOUS}, which leaves it whole`, () => {
  test('a code', async () => {
    const code = await codeOf('new');
    expect((await redeem('old', code)).status).not.toBe(200);
    expect((await redeem('new', code)).status).toBe(200);
  });

  test('a refresh token, be it used or not', async () => {
    const first = (await redeem('new', await codeOf('new'))).body;
    const second = (await refresh('new', first.refresh_token)).body;
    for (const { refresh_token } of [first, second])
      expect((await refresh('old', refresh_token)).body.error).toBe('invalid_grant');
    expect(await call('new', second.access_token)).toBe(200);
    expect((await refresh('new', second.refresh_token)).status).toBe(200);
  });

  test('an access token: nobody is let in by it', async () => {
    const { body } = await redeem('new', await codeOf('new'));
    expect(await call('old', body.access_token)).not.toBe(200);
    expect((await post('old', 'introspect', { token: body.access_token })).body.active).not.toBe(true);
    expect(await call('new', body.access_token)).toBe(200);
  });

  test('once the last process of it is gone, its people and clients go on', async () => {
    const { body } = await redeem('old', await codeOf('old'));
    await previous.stop();
    const { status, body: next } = await refresh('new', body.refresh_token);
    expect([status, await call('new', next.access_token)]).toEqual([200, 200]);
  });
});
