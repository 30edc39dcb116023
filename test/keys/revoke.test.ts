import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import request from 'supertest';

import { bearerGuard, errorHandler } from '../../lib/guard.js';
import { testHearing } from '../support/change-streams.js';
import { runCli } from '../support/cli.js';
import { letPass } from '../support/clock.js';
import { fetchKeys, hostKey, takeApart } from '../support/jwt.js';
import { mergeOptions } from '../support/merge-options.js';
import { exitWith } from '../support/refusal.js';
import { openSite, type Site, type SiteOptions } from '../support/site.js';
import { callApi, tokenRequest } from '../support/tokens.js';
import { until } from '../support/until.js';

/** Seconds for which a process caches its keys, and bearerGuard the fetched ones. */
const PROCESS = 60;
const GUARD = 600;

describe('the revocation of a signing key', () => {
  let site: Site;
  let requests: string[] = [];
  const defaults: SiteOptions = {
    tokens: { accessTokenFormat: 'jwt' },
    security: { rateLimits: false },
    before: (app) =>
      app.use((req, _res, next) => {
        requests.push(req.path);
        next();
      }),
  };
  const open = (options: SiteOptions = {}) => openSite(mergeOptions(defaults, options));

  beforeEach(async () => {
    requests = [];
    site = await open();
  });
  afterEach(() => site.close());

  const tokenOf = async (at = site): Promise<string> =>
    (await tokenRequest(at, await at.client(), { grant_type: 'client_credentials' })).body.access_token;
  const kidOf = (token: string) => String(takeApart(token).header.kid);
  const apiOf = ({ url }: Site): Express => {
    const guard = bearerGuard({ issuer: url, onError: () => undefined });
    return express()
      .get('/', guard(), (req, res) => void res.json(req.auth))
      .use(errorHandler);
  };
  const statusAt = async (api: Express, token: string) =>
    (await request(api).get('/').set('Authorization', `Bearer ${token}`)).status;
  const published = async (at = site) => (await fetchKeys(at)).map(({ kid }) => kid);

  test('a revoked key leaves the key set, and one new key signs in all processes', async () => {
    await using other = await open({ database: site.database, issuer: site.url });
    const token = await tokenOf();
    const kid = kidOf(token);
    expect(kidOf(await tokenOf(other))).toBe(kid);
    expect(await site.oauth.keys.revoke(kid)).toBe(true);
    const next = kidOf(await tokenOf());
    expect(next).not.toBe(kid);
    expect(await published()).toEqual([next]);
    expect(await site.oauth.keys.list()).toMatchObject([{ kid: next, status: 'signing' }]);
    letPass(PROCESS);
    expect(kidOf(await tokenOf(other))).toBe(next);
    expect([(await callApi(site, token)).status, (await callApi(other, token)).status]).toEqual([401, 401]);
    expect(await site.oauth.keys.revoke(kid)).toBe(false);
  });

  testHearing('another process hears of a revoked key before it reads the keys again', async () => {
    const heard: unknown[] = [];
    const started = ({ command }: { command: { pipeline?: object[]; aggregate?: unknown } }) => {
      if ('$changeStream' in (command.pipeline?.[0] ?? {})) opening = command.aggregate;
    };
    let opening: unknown;
    const succeeded = ({ commandName }: { commandName: string }) => {
      if (commandName === 'aggregate') heard.push(opening);
    };
    const client = site.database.connection.getClient();
    client.on('commandStarted', started).on('commandSucceeded', succeeded);
    await using other = await open({ database: site.database, issuer: site.url });
    const token = await tokenOf(other);
    await until(() => heard.includes('oauth_signing_keys'));
    client.off('commandStarted', started).off('commandSucceeded', succeeded);
    await site.oauth.keys.revoke(kidOf(token));
    await until(async () => (await callApi(other, token)).status === 401);
    expect(await published(other)).toEqual([kidOf(await tokenOf())]);
    expect(await published(other)).toEqual([kidOf(await tokenOf(other))]);
  });

  test('a verified token of a revoked key is refused here at once, elsewhere later', async () => {
    await using other = await open({ database: site.database, issuer: site.url });
    const token = await tokenOf();
    // the other process has read the keys now
    expect(kidOf(await tokenOf(other))).toBe(kidOf(token));
    letPass(PROCESS - 1);
    for (const at of [site, other]) expect((await callApi(at, token)).status).toBe(200);
    await site.oauth.keys.revoke(kidOf(token));
    expect((await callApi(site, token)).status).toBe(401);
    letPass(1);
    expect((await callApi(other, token)).status).toBe(401);
  });

  test('a waiting key takes over when the signing one is revoked', async () => {
    const kid = kidOf(await tokenOf());
    const next = await site.oauth.keys.rotate();
    await site.oauth.keys.revoke(kid);
    expect(kidOf(await tokenOf())).toBe(next.kid);
    expect(await published()).toEqual([next.kid]);
  });

  test('a revoked waiting key leaves earlier tokens valid, and is replaced by a new key', async () => {
    const token = await tokenOf();
    const waiting = await site.oauth.keys.rotate();
    await site.oauth.keys.revoke(waiting.kid);
    const after = await tokenOf();
    expect([waiting.kid, kidOf(token)]).not.toContain(kidOf(after));
    expect(await published()).toEqual([kidOf(after), kidOf(token)]);
    for (const each of [token, after]) expect((await callApi(site, each)).status).toBe(200);
  });

  test('a revoked earlier key leaves the signing one in use', async () => {
    const before = kidOf(await tokenOf());
    const { kid: waiting } = await site.oauth.keys.rotate();
    letPass(301);
    const signing = kidOf(await tokenOf());
    expect(signing).toBe(waiting);
    await site.oauth.keys.revoke(before);
    expect(kidOf(await tokenOf())).toBe(signing);
    expect(await published()).toEqual([signing]);
  });

  test('a waiting key takes over from a revoked one, not the key before', async () => {
    await tokenOf();
    await site.oauth.keys.rotate();
    letPass(301);
    const signing = kidOf(await tokenOf());
    const { kid: waiting } = await site.oauth.keys.rotate();
    await site.oauth.keys.revoke(signing);
    expect(kidOf(await tokenOf())).toBe(waiting);
  });

  test('a key of the host cannot be revoked by keys.revoke', async () => {
    await using other = await open({ database: site.database, signingKeys: { keys: [hostKey().jwk] } });
    await expect(other.oauth.keys.revoke('of the host')).rejects.toThrow('signingKeys.keys');
  });

  test('keys revoke on the command line needs no secret', async () => {
    const token = await tokenOf();
    const cli = (kid: string) => runCli(['keys', 'revoke', kid], { uri: site.database.uri });
    expect(await cli('-begins-as-an-option')).toMatchObject(exitWith(1, "no key '-begins-as-an-option'"));
    expect((await cli('nobody')).code).toBe(1);
    expect(await cli(kidOf(token))).toMatchObject({ code: 0, stdout: expect.stringContaining(kidOf(token)) });
    letPass(PROCESS);
    expect(kidOf(await tokenOf())).not.toBe(kidOf(token));
    expect(await published()).not.toContain(kidOf(token));
    expect((await callApi(site, token)).status).toBe(401);
  });

  test('bearerGuard trusts a revoked key until its cached key set expires', async () => {
    const api = apiOf(site);
    const [early, late] = [await tokenOf(), await tokenOf()];
    expect(await statusAt(api, early)).toBe(200);
    await site.oauth.keys.revoke(kidOf(early));
    letPass(GUARD - 1);
    expect([await statusAt(api, early), await statusAt(api, late)]).toEqual([200, 200]);
    letPass(1);
    expect([await statusAt(api, early), await statusAt(api, late)]).toEqual([401, 401]);
    expect(await statusAt(api, await tokenOf())).toBe(200);
  });

  test('bearerGuard verifies a JWT once in the life of a key set, without requests', async () => {
    const api = apiOf(site);
    const token = await tokenOf();
    requests = [];
    for (let round = 0; round < 5; round += 1) expect(await statusAt(api, token)).toBe(200);
    expect(requests).toEqual(['/.well-known/oauth-authorization-server', '/oauth/jwks']);
  });
});
