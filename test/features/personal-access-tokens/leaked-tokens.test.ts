import { createHash } from 'node:crypto';
import { Agent } from 'node:http';

import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { createScannableToken } from '../../../lib/shared/crypto/scannable-tokens.js';
import { createGrantId } from '../../../lib/shared/crypto/secrets.js';
import { commandsDuring } from '../../support/commands.js';
import { openSite } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { callApi } from '../../support/tokens.js';

const LEAKED = '/oauth/leaked-token';

let ended: { readonly reason: string; readonly grantId?: string; readonly userId?: string }[] = [];

const site = siteFor({ personalAccessTokens: true, security: { rateLimits: false } });

beforeAll(() => {
  site.oauth.events.on('grant.revoked', (event) => void ended.push(event));
});
beforeEach(() => {
  ended = [];
});

const make = () =>
  site.oauth.personalAccessTokens.create({ userId: 'ada', name: 'Backup', scopes: ['photos:read'] });
const report = (body: object | string) => request(site.server).post(LEAKED).send(body);
/** A well-formed token that was never issued. */
const guess = () => ({ token: createScannableToken('personal', createGrantId()).value });
/** The same token with another secret, and the right checksum of it. */
async function forge(token: string): Promise<string> {
  const other = await make();
  await site.oauth.personalAccessTokens.revoke(other.id);
  ended = [];
  return createScannableToken('personal', token.slice(8, 30)).value;
}

describe('anybody who has a token can end it', () => {
  test.each([
    ['as a form', (token: string) => new URLSearchParams({ token }).toString()],
    ['as JSON', (token: string) => ({ token })],
    ['in the spelling of RFC 8959', (token: string) => ({ token: `secret-token:${token}` })],
  ])('anybody can report and end a leaked token %s', async (_how, bodyOf) => {
    const { token, id } = await make();
    const { status, body, text } = await report(bodyOf(token));
    expect([status, body, text.includes(token)]).toEqual([200, { revoked: true, ended: true }, false]);
    expect((await callApi(site, token)).status).toBe(401);
    expect(ended).toEqual([
      expect.objectContaining({ reason: 'token_leaked', grantId: id, userId: 'ada', type: 'grant.revoked' }),
    ]);
  });

  test('a scanner reports a list and gets a label for the hash of each token', async () => {
    const [one, other] = [await make(), await make()];
    const { body, text } = await report([
      { token: one.token, type: 'photos_token', url: 'https://code.example/file' },
      { token: 'eas_sat_no' },
      { token: other.token, type: { $ne: 1 } },
    ]);
    const hashOf = (token: string) => createHash('sha256').update(token).digest('base64');
    const [right, wrong] = ['true_positive', 'false_positive'];
    expect(body).toEqual([
      { token_hash: hashOf(one.token), token_type: 'photos_token', label: right, revoked: true, ended: true },
      {
        token_hash: hashOf('eas_sat_no'),
        token_type: 'service_token',
        label: wrong,
        revoked: false,
        ended: false,
      },
      {
        token_hash: hashOf(other.token),
        token_type: 'personal_access_token',
        label: right,
        revoked: true,
        ended: true,
      },
    ]);
    expect(text).not.toContain('eas_');
  });

  test('a second report of a leaked token answers that it was real and has ended', async () => {
    const { token } = await make();
    const { token: service, id } = await site.oauth.personalAccessTokens.create({
      owners: ['ada'],
      name: 'Deployment',
      scopes: ['photos:read'],
    });
    expect((await report({ token })).body).toEqual({ revoked: true, ended: true });
    await site.oauth.personalAccessTokens.revoke(id);
    ended = [];
    expect((await report({ token })).body).toEqual({ revoked: false, ended: true });
    const { body } = await report([{ token }, { token: service }]);
    expect(body).toEqual([
      expect.objectContaining({ label: 'true_positive', revoked: false, ended: true }),
      expect.objectContaining({ label: 'true_positive', revoked: false, ended: true }),
    ]);
    expect(ended).toEqual([]);
  });

  test('a report of 300 false tokens and a live one costs one lookup', async () => {
    await using limited = await openSite({ personalAccessTokens: true });
    const live = await limited.oauth.personalAccessTokens.create({
      userId: 'ada',
      name: 'Backup',
      scopes: ['profile'],
    });
    const list = [...Array.from({ length: 300 }, guess), { token: live.token }];
    const commands = await commandsDuring(limited.database, async () => {
      const { status, body } = await request(limited.server).post(LEAKED).send(list);
      expect([status, (body as object[]).at(-1)]).toEqual([
        200,
        expect.objectContaining({ label: 'true_positive', revoked: true }),
      ]);
    });
    expect(commands).toEqual(['find oauth_grants', 'findAndModify oauth_grants']);
    expect((await callApi(limited, live.token)).status).toBe(401);
  });

  test('one of a thousand simultaneous reports ends the token, with one event', async () => {
    const { token } = await make();
    // more connections at once than a listening socket keeps waiting (511) are reset
    const agent = new Agent({ keepAlive: true, maxSockets: 400 });
    const bodies = await Promise.all(
      Array.from(
        { length: 1000 },
        async () => (await report({ token }).agent(agent)).body as { revoked?: boolean },
      ),
    );
    agent.destroy();
    expect(bodies.filter(({ revoked }) => revoked === true)).toHaveLength(1);
    expect(ended).toHaveLength(1);
    expect((await callApi(site, token)).status).toBe(401);
  });
});

describe('a forged report', () => {
  test('a report with the id of a token and another secret ends nothing', async () => {
    const { token } = await make();
    expect((await report({ token: await forge(token) })).body).toEqual({ revoked: false, ended: false });
    expect((await callApi(site, token)).status).toBe(200);
    expect(ended).toEqual([]);
  });

  test('a report with a wrong checksum causes no database command', async () => {
    const { token } = await make();
    const commands = await commandsDuring(site.database, async () => {
      for (const wrong of ['', 'x', token.slice(0, -1), `${token.slice(0, -6)}000000`])
        expect((await report({ token: wrong })).body).toEqual({ revoked: false, ended: false });
    });
    expect(commands).toEqual([]);
  });

  test('a report of a value that was rotated without an overlap ends nothing', async () => {
    const { token, id } = await make();
    const { token: current } = await site.oauth.personalAccessTokens.rotate(id, { overlap: 0 });
    expect((await report({ token })).body).toEqual({ revoked: false, ended: false });
    expect((await callApi(site, current)).status).toBe(200);
  });

  test.each([
    ['nothing', {}],
    ['a number', { token: 1 }],
    ['an object', { token: { $ne: null } }],
    ['an empty list', []],
    ['null', [null]],
    ['501 tokens', Array.from({ length: 501 }, () => ({ token: 'x' }))],
    ['two tokens in a form', 'token=a&token=b'],
  ])('a report of %s is refused with 400', async (_what, body) => {
    expect((await report(body)).status).toBe(400);
  });

  test('a report of a token of an app ends nothing', async () => {
    const { clientId } = await site.client();
    const { accessToken } = await site.oauth.grants.create({ clientId, userId: 'ada', scopes: ['profile'] });
    expect((await report({ token: accessToken })).body).toEqual({ revoked: false, ended: false });
    expect((await callApi(site, accessToken)).status).toBe(200);
  });
});

test('more than two hundred reports of well-formed false tokens are rate limited', async () => {
  await using limited = await openSite({ personalAccessTokens: true });
  const { token } = await limited.oauth.personalAccessTokens.create({
    userId: 'ada',
    name: 'Backup',
    scopes: ['profile'],
  });
  const send = async (body: object) => (await request(limited.server).post(LEAKED).send(body)).status;
  // a real token never counts, nor when reported again: forks of a project contain it many times
  for (let sent = 0; sent < 3; sent++) expect(await send([guess(), { token }])).toBe(200);
  // a real token beside many false ones makes no report free
  for (let sent = 0; sent < 200; sent++)
    expect(await send(sent % 2 === 0 ? guess() : [{ token }, guess(), guess()])).toBe(200);
  expect(await send(guess())).toBe(429);
  // a malformed token costs no database command, so its report is always answered
  expect(await send({ token: 'eas_pat_no' })).toBe(200);
});
