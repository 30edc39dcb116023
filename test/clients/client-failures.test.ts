import { afterEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { createClientFailures } from '../../lib/core/clients/status/client-failures.js';
import { createEvents } from '../../lib/core/observability/events.js';
import type { ClientWithSecret } from '../../lib/index.js';
import { createStores } from '../../lib/storage/stores.js';
import { mergeOptions } from '../support/merge-options.js';
import { codeQuery, formatQuery, logInPerson, postForm } from '../support/person.js';
import { openSite, REDIRECT_URI, type Site, type SiteOptions } from '../support/site.js';
import { basic, postToken, redeem } from '../support/tokens.js';

let sites: Site[] = [];
afterEach(async () => {
  for (const site of sites.reverse()) await site.close();
  sites = [];
});

async function open(options: SiteOptions = {}): Promise<Site> {
  const site = await openSite(mergeOptions({ security: { rateLimits: false } }, options));
  sites.push(site);
  return site;
}

const wrongSecret = (site: Site, { clientId }: Pick<ClientWithSecret, 'clientId'>, path = 'token') =>
  postForm(request(site.server), `/oauth/${path}`, { grant_type: 'client_credentials', token: 'x' }).set(
    'Authorization',
    basic(clientId, 'wrong'),
  );

const authorize = async (site: Site, query: Record<string, string>) => {
  const person = await logInPerson(site);
  await person.agent.get(
    `/oauth/authorize?${formatQuery({ response_type: 'code', redirect_uri: REDIRECT_URI, ...query })}`,
  );
};

const stored = (site: Site) => site.database.collection('oauth_refusals').find().toArray();

describe('why clients are refused is counted', () => {
  test('refusals are counted by client, day, hour and reason, and nothing else is stored', async () => {
    const site = await open();
    const [client, other] = [await site.client(), await site.client()];
    await redeem(site, client, 'eas_ac_nonsense');
    await redeem(site, client, 'eas_ac_nonsense');
    for (const path of ['token', 'introspect', 'revoke']) await wrongSecret(site, client, path);
    await wrongSecret(site, other);
    await authorize(site, { client_id: client.clientId, scope: 'photos:reed' });
    await authorize(site, { client_id: client.clientId, redirect_uri: 'https://elsewhere.example/' });
    expect(await stored(site)).toEqual([]);
    await site.oauth.close();
    const now = new Date();
    const day = now.toISOString().slice(0, 10);
    const documents = await stored(site);
    expect(documents).toHaveLength(2);
    expect(documents).toEqual(
      expect.arrayContaining([
        {
          _id: `${day} ${client.clientId}`,
          hours: {
            [now.getUTCHours()]: {
              code_unknown: 2,
              wrong_client_secret: 3,
              scope_unknown: 1,
              redirect_uri_mismatch: 1,
            },
          },
          expiresAt: new Date(Date.parse(day) + 2 * 86_400_000),
        },
        expect.objectContaining({
          _id: `${day} ${other.clientId}`,
          hours: { [now.getUTCHours()]: { wrong_client_secret: 1 } },
        }),
      ]),
    );
  });

  test("a user's refusal counts once for its client", async () => {
    const site = await open();
    const client = await site.client();
    const person = await logInPerson(site);
    await person.authorize(codeQuery(client), { decision: 'deny' });
    await site.oauth.close();
    expect(await stored(site)).toMatchObject([
      { hours: { [new Date().getUTCHours()]: { denied_by_user: 1 } } },
    ]);
  });

  test('refusals of unknown clients and server errors are not counted', async () => {
    const site = await open({ advanced: { clientCacheTtl: 0 } });
    for (const clientId of ['nobody', 'somebody', '$where']) {
      await wrongSecret(site, { clientId });
      await authorize(site, { client_id: clientId });
    }
    const { clientId } = await site.client();
    for (const error of ['server_error', 'temporarily_unavailable'])
      site.oauth.events.emit('token.refused', { error, clientId });
    await site.oauth.close();
    expect(await stored(site)).toEqual([]);
  });

  test('refusals with a reason of the host count as other, so no event names a database field', async () => {
    const site = await open();
    for (const reason of ['of ours', 'a.b', '$inc', '__proto__', 'constructor'])
      site.oauth.events.emit('token.refused', { error: 'invalid_grant', clientId: 'x', reason });
    await site.oauth.close();
    expect(await stored(site)).toMatchObject([{ hours: { [new Date().getUTCHours()]: { other: 5 } } }]);
  });

  test('the counts of refusals have at most 250 clients in memory', async () => {
    const added: string[] = [];
    const events = createEvents();
    const failures = createClientFailures({
      events,
      store: {
        add: (clientId) => Promise.resolve(void added.push(clientId)),
        find: () => Promise.resolve(new Map()),
      },
    });
    const refuse = (clientId: string) => events.emit('token.refused', { error: 'invalid_grant', clientId });
    for (let index = 0; index < 1000; index += 1) refuse(`client-${index}`);
    refuse('client-0');
    await failures.of('client-0', new Date());
    expect(added).toEqual(['client-0']);
    refuse('client-999');
    await failures.close();
    expect(new Set(added).size).toBe(251);
    expect(added).toContain('client-999');
    refuse('client-1');
    await failures.close();
    expect(added).toHaveLength(251);
  });
});

describe('the counts of the last day', () => {
  test('the counts of the last day are the sum of all processes, without other clients', async () => {
    const one = await open();
    const two = await open({ database: one.database, issuer: 'https://photos.example' });
    const [client, other] = [await one.client(), await one.client()];
    await wrongSecret(one, client);
    await postToken(two, { grant_type: 'client_credentials' }).set(
      'Authorization',
      basic(client.clientId, 'wrong'),
    );
    await two.oauth.close();
    await one.oauth.close();
    const stores = createStores(one.database.connection, { timeout: 5000 });
    const now = Date.now();
    const after = async (hours: number, { clientId } = client) =>
      Object.fromEntries(await stores.clientFailures.find(clientId, new Date(now + hours * 3_600_000)));
    expect(await after(0)).toEqual({ wrong_client_secret: 2 });
    expect(await after(23)).toEqual({ wrong_client_secret: 2 });
    expect(await after(24)).toEqual({});
    expect(await after(0, other)).toEqual({});
    await stores.clientFailures.add(
      client.clientId,
      new Date(now + 23 * 3_600_000),
      new Map([['code_used', 5]]),
    );
    expect(Object.entries(await after(23))).toEqual([
      ['code_used', 5],
      ['wrong_client_secret', 2],
    ]);
    await stores.close();
  });

  test('a database that is away loses counts of refusals with one error, and no request', async () => {
    const reported: unknown[] = [];
    const events = createEvents();
    const failures = createClientFailures({
      events,
      store: { add: () => Promise.reject(new Error('away')), find: () => Promise.resolve(new Map()) },
      onError: ({ detail }) => reported.push(detail),
    });
    for (const clientId of ['a', 'b', 'c']) {
      events.emit('token.refused', { error: 'invalid_grant', clientId });
      await failures.of(clientId, new Date());
    }
    await failures.close();
    expect(reported).toEqual(['why clients were refused could not be counted']);
  });

  test('the counts of refusals are stored together after the interval', async () => {
    const events = createEvents();
    let failures: ReturnType<typeof createClientFailures> | undefined;
    const added = new Promise<unknown>((resolve) => {
      failures = createClientFailures({
        events,
        interval: 1,
        store: {
          add: (...what) => Promise.resolve(resolve(what)),
          find: () => Promise.resolve(new Map()),
        },
      });
    });
    for (let index = 0; index < 10; index += 1)
      events.emit('token.refused', { error: 'invalid_grant', clientId: 'a' });
    expect(await added).toEqual(['a', expect.any(Date), new Map([['other', 10]])]);
    await failures?.close();
  });
});
