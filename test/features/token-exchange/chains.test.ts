import { beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';

import type { ClientWithSecret } from '../../../lib/index.js';
import { SCOPES } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { exchange, exchanged, exchanger, handingOn } from '../../support/token-exchange.js';
import { callApi, clientRequest, refreshTokens } from '../../support/tokens.js';

const NAMES = Object.keys(SCOPES);

let others: ClientWithSecret[];
let photos: ClientWithSecret;

const site = siteFor({
  tokenExchange: true,
  tokens: { accessTokenFormat: 'jwt' },
  audit: { ttl: 86_400 },
  security: { rateLimits: false },
});

beforeAll(async () => {
  others = await Promise.all(['Print', 'Binder', 'Courier'].map((name) => exchanger(site, { name })));
  photos = await handingOn(site, others);
});

let people = 0;

/** A grant of a new person, with the token that it begins with. */
async function begin(
  scopes: readonly string[],
): Promise<{ readonly userId: string; readonly first: { readonly token: string } }> {
  people += 1;
  const userId = `person ${people}`;
  const { accessToken: token } = await site.oauth.grants.create({
    clientId: photos.clientId,
    userId,
    scopes: [...scopes],
  });
  return { userId, first: { token } };
}

describe('a chain of exchanges', () => {
  test('is as long as three exchanges and no longer, however often it is tried', async () => {
    const { first } = await begin(NAMES);
    let { token } = first;
    const statuses: number[] = [];
    for (let index = 0; index < 50; index += 1) {
      const response = await exchange(site, others[index % 3]!, token);
      statuses.push(response.status);
      if (response.status === 200) token = (response.body as { access_token: string }).access_token;
    }
    expect(statuses).toEqual([...Array<number>(3).fill(200), ...Array<number>(47).fill(400)]);
  });

  test('has an audit line for each of three hops, which tells who and for whom', async () => {
    const { userId, first } = await begin(NAMES);
    let { token } = first;
    for (const client of others) token = await exchanged(site, client, token);
    const [print, binder, courier] = others.map(({ clientId }) => clientId);
    const lines = (await site.oauth.audit.find({ userId })).filter(({ actors }) => actors !== undefined);
    expect(lines.map(({ type, clientId, actors }) => ({ type, clientId, actors }))).toEqual([
      { type: 'token.issued', clientId: courier, actors: [courier, binder, print] },
      { type: 'token.issued', clientId: binder, actors: [binder, print] },
      { type: 'token.issued', clientId: print, actors: [print] },
    ]);
    expect(lines.every((line) => line.userId === userId)).toBe(true);
  });
});

describe('what came of a token ends', () => {
  /** A token of Photos, what Print got for it, and what Binder got for that. */
  const chain = async () => {
    const { userId, first } = await begin(NAMES);
    const second = await exchanged(site, others[0]!, first.token);
    return { userId, first: first.token, second, third: await exchanged(site, others[1]!, second) };
  };
  const statusesOf = async (tokens: readonly string[]) =>
    (await Promise.all(tokens.map((token) => callApi(site, token)))).map(({ status }) => status);
  const revoke = (client: ClientWithSecret, token: string) =>
    clientRequest(site, client, '/oauth/revoke', { token });

  test('with the token that it came of (RFC 7009 §2.1)', async () => {
    const { first, second, third } = await chain();
    expect((await revoke(photos, first)).status).toBe(200);
    expect(await statusesOf([first, second, third])).toEqual([401, 401, 401]);
  });

  test('and leaves what it came of', async () => {
    const { first, second, third } = await chain();
    expect((await revoke(others[0]!, second)).status).toBe(200);
    expect(await statusesOf([first, second, third])).toEqual([200, 401, 401]);
  });

  test('by its own client alone', async () => {
    const { first, second, third } = await chain();
    const refused = await Promise.all([
      revoke(photos, second),
      revoke(others[0]!, first),
      revoke(others[1]!, second),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(await statusesOf([first, second, third])).toEqual([200, 200, 200]);
  });

  test('if a client on its way is blocked, and another one may go on', async () => {
    const { first, second, third } = await chain();
    await site.oauth.clients.block(others[0]!.clientId);
    expect(await statusesOf([first, second, third])).toEqual([200, 401, 401]);
    await site.oauth.clients.unblock(others[0]!.clientId);
    expect(await statusesOf([second, third])).toEqual([401, 401]);
  });

  test('if the client of the grant is blocked', async () => {
    const { first, second } = await chain();
    await site.oauth.clients.block(photos.clientId);
    expect(await statusesOf([first, second])).toEqual([401, 401]);
    expect((await exchange(site, others[1]!, second)).status).toBe(400);
    await site.oauth.clients.unblock(photos.clientId);
    expect(await statusesOf([first, second])).toEqual([200, 200]);
  });

  test('if the person ends what a client on its way may do', async () => {
    const { userId, first, second, third } = await chain();
    const other = await chain();
    await site.oauth.grants.revoke({ userId, clientId: others[1]!.clientId });
    expect(await statusesOf([first, second, third, other.third])).toEqual([200, 200, 401, 200]);
  });

  test('if a client on its way is deleted', async () => {
    const gone = await exchanger(site, { name: 'Gone' });
    const handing = await handingOn(site, [gone, others[0]!]);
    const { accessToken } = await site.oauth.grants.create({ clientId: handing.clientId, userId: 'ada' });
    const second = await exchanged(site, gone, accessToken);
    const third = await exchanged(site, others[0]!, second);
    await site.oauth.clients.delete(gone.clientId);
    expect(await statusesOf([accessToken, second, third])).toEqual([200, 401, 401]);
  });

  test('with the scopes that the person takes back', async () => {
    const { second } = await chain();
    const grantId = String(decodeJwt(second).jti).slice(0, 22);
    await site.oauth.models.Grant.updateOne(
      { _id: grantId },
      { $set: { 'authorization.scopes': ['profile'] } },
    );
    expect((await callApi(site, second)).body.scopes).toEqual(['profile']);
  });

  test('and no token is exchanged that is revoked meanwhile', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { userId, first } = await begin(NAMES);
      const [answer] = await Promise.all([
        exchange(site, others[0]!, first.token),
        site.oauth.grants.revoke({ userId }),
      ]);
      const { access_token: token } = answer.body as { access_token?: string };
      if (token !== undefined) expect((await callApi(site, token)).status).toBe(401);
    }
  });

  test('and never refreshes', async () => {
    const { second } = await chain();
    const refreshed = await refreshTokens(site, others[0]!, second);
    expect(refreshed.status).toBe(400);
  });
});
