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

/** A grant of a new person, with its first token. */
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
  test('a chain of exchanges has at most three, however often a client tries', async () => {
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

  test('each of three exchanges has an audit line with its actors and its user', async () => {
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

describe('the end of exchanged tokens', () => {
  /** A token of Photos, its exchange by Print, and the exchange of that by Binder. */
  const chain = async () => {
    const { userId, first } = await begin(NAMES);
    const second = await exchanged(site, others[0]!, first.token);
    return { userId, first: first.token, second, third: await exchanged(site, others[1]!, second) };
  };
  const statusesOf = async (tokens: readonly string[]) =>
    (await Promise.all(tokens.map((token) => callApi(site, token)))).map(({ status }) => status);
  const revoke = (client: ClientWithSecret, token: string) =>
    clientRequest(site, client, '/oauth/revoke', { token });

  test('an exchanged token ends with its subject token (RFC 7009 §2.1)', async () => {
    const { first, second, third } = await chain();
    expect((await revoke(photos, first)).status).toBe(200);
    expect(await statusesOf([first, second, third])).toEqual([401, 401, 401]);
  });

  test('the subject token survives the revocation of the exchanged token', async () => {
    const { first, second, third } = await chain();
    expect((await revoke(others[0]!, second)).status).toBe(200);
    expect(await statusesOf([first, second, third])).toEqual([200, 401, 401]);
  });

  test('only its client can revoke a token of a chain', async () => {
    const { first, second, third } = await chain();
    const refused = await Promise.all([
      revoke(photos, second),
      revoke(others[0]!, first),
      revoke(others[1]!, second),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(await statusesOf([first, second, third])).toEqual([200, 200, 200]);
  });

  test('blocking a client ends the tokens that were exchanged through it', async () => {
    const { first, second, third } = await chain();
    await site.oauth.clients.block(others[0]!.clientId);
    expect(await statusesOf([first, second, third])).toEqual([200, 401, 401]);
    await site.oauth.clients.unblock(others[0]!.clientId);
    expect(await statusesOf([second, third])).toEqual([401, 401]);
  });

  test('blocking the client of the grant suspends the exchanged tokens', async () => {
    const { first, second } = await chain();
    await site.oauth.clients.block(photos.clientId);
    expect(await statusesOf([first, second])).toEqual([401, 401]);
    expect((await exchange(site, others[1]!, second)).status).toBe(400);
    await site.oauth.clients.unblock(photos.clientId);
    expect(await statusesOf([first, second])).toEqual([200, 200]);
  });

  test('revoking the grants of one client ends its tokens in a chain', async () => {
    const { userId, first, second, third } = await chain();
    const other = await chain();
    await site.oauth.grants.revoke({ userId, clientId: others[1]!.clientId });
    expect(await statusesOf([first, second, third, other.third])).toEqual([200, 200, 401, 200]);
  });

  test('deleting a client ends the tokens that were exchanged through it', async () => {
    const gone = await exchanger(site, { name: 'Gone' });
    const handing = await handingOn(site, [gone, others[0]!]);
    const { accessToken } = await site.oauth.grants.create({ clientId: handing.clientId, userId: 'ada' });
    const second = await exchanged(site, gone, accessToken);
    const third = await exchanged(site, others[0]!, second);
    await site.oauth.clients.delete(gone.clientId);
    expect(await statusesOf([accessToken, second, third])).toEqual([200, 401, 401]);
  });

  test('an exchanged token loses the scopes that its grant loses', async () => {
    const { second } = await chain();
    const grantId = String(decodeJwt(second).jti).slice(0, 22);
    await site.oauth.models.Grant.updateOne(
      { _id: grantId },
      { $set: { 'authorization.scopes': ['profile'] } },
    );
    expect((await callApi(site, second)).body.scopes).toEqual(['profile']);
  });

  test('an exchange during a revocation yields no live token', async () => {
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

  test('an exchanged token cannot be refreshed', async () => {
    const { second } = await chain();
    const refreshed = await refreshTokens(site, others[0]!, second);
    expect(refreshed.status).toBe(400);
  });
});
