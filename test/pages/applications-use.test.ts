import { describe, expect, it } from '@jest/globals';

import type { ClientInfo } from '../../lib/core/clients/registry/client-info.js';
import { USAGE_LIMITS } from '../../lib/pages/applications/application-usage.js';
import { commandsDuring } from '../support/commands.js';
import { codeQuery, hiddenFields, logInPerson, postForm } from '../support/person.js';
import { resetClock, shiftClock } from '../support/shifted-clock.js';
import { fixture, siteFor } from '../support/site-for.js';
import { obtainTokens, redeem, refreshTokens, tokenRequest } from '../support/tokens.js';

const ROOT = '/oauth/applications';
const nameOf = ({ user }: { user?: unknown }) =>
  (user as { username?: string; id?: string } | undefined)?.username ??
  (user as { id?: string } | undefined)?.id;
const site = siteFor({
  security: { rateLimits: false },
  applications: { isAdministrator: (req) => nameOf(req) === 'grace' },
});
const ada = fixture(() => logInPerson(site));

const shop = fixture(() => site.client({ ownerId: 'ada' }));

const collection = (name: string) => site.database.collection(name);
const rowOf = (html: string, clientId: string) =>
  html.split('<li>').find((row) => row.includes(clientId)) ?? '';
const plain = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
const consent = (userId: string, clientId: string) => ({
  userId,
  clientId,
  scopes: [],
  createdAt: new Date(),
  updatedAt: new Date(),
});
const grant = (fields: object) =>
  ({
    _id: `g${Math.random()}`,
    clientId: shop.clientId,
    scopes: [],
    grantType: 'authorization_code',
    accessTokens: [],
    createdAt: new Date('2026-01-01T00:00:00Z'),
    expiresAt: new Date(Date.now() + 86_400_000),
    ...fields,
  }) as never;
const today = () =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date());

async function seen(client: Pick<ClientInfo, 'clientId'> = shop): Promise<string> {
  return plain(rowOf((await ada.agent.get(ROOT)).text, client.clientId));
}

describe('the use of an application', () => {
  it('a new application has no users and is not used yet', async () => {
    expect(await seen()).toMatch(/Users: 0 not used yet/);
  });

  it('an older application without data was not used lately', async () => {
    shiftClock(86_400_000);
    // the cookie of the session does not expire
    expect(await seen().finally(resetClock)).toMatch(/Users: 0 not used lately/);
  });

  it('a consent counts as a user, and a redeemed code as a use', async () => {
    const callback = await ada.authorize(codeQuery(shop));
    expect(await seen()).toMatch(/Users: 1 not used yet/);
    await redeem(site, shop, callback.searchParams.get('code')!).expect(200);
    expect(await seen()).toContain(`Users: 1 last used ${today()}`);
    // also in the details
    expect((await ada.agent.get(`${ROOT}/${shop.clientId}`)).text).toContain(
      '<dd id="application-users">1</dd>',
    );
  });

  it('the last use is the newest token, also of an old grant', async () => {
    const client = await site.client({ ownerId: 'ada' });
    await collection('oauth_grants').insertMany([
      grant({
        clientId: client.clientId,
        userId: 'u1',
        createdAt: new Date('2026-03-01T00:00:00Z'),
        code: { usedAt: new Date('2026-03-02T00:00:00Z') },
      }),
      grant({
        clientId: client.clientId,
        userId: 'u2',
        createdAt: new Date('2026-02-01T00:00:00Z'),
        renewedAt: new Date('2026-04-05T00:00:00Z'),
      }),
    ]);
    expect(await seen(client)).toContain('last used 5 April 2026');
  });

  it('a refresh stores its time with the rotation, without another command', async () => {
    await tokenRequest(site, shop, { grant_type: 'client_credentials' }).expect(200);
    const { refresh_token: token } = await obtainTokens(site, shop);
    const newest = async () =>
      (
        await collection('oauth_grants')
          .find({ clientId: shop.clientId, grantType: 'authorization_code' })
          .sort({ renewedAt: -1 })
          .toArray()
      )[0]?.renewedAt as Date;
    const before = await newest();
    const commands = await commandsDuring(site.database, () => refreshTokens(site, shop, token).expect(200));
    // the client may be cached or not: nothing more is written
    expect(commands.filter((command) => command !== 'find oauth_clients')).toEqual([
      'find oauth_grants',
      'update oauth_grants',
    ]);
    expect((await newest()).getTime()).toBeGreaterThan(before.getTime());
  });

  it('users of a trusted client are counted by their grants, without revoked ones', async () => {
    const trusted = await site.client({ ownerId: 'ada', trusted: true });
    const of = { clientId: trusted.clientId };
    await collection('oauth_grants').insertMany([
      grant({ ...of, userId: 'u1' }),
      grant({ ...of, userId: 'u1' }),
      grant({ ...of, userId: 'u2' }),
      grant({ ...of, userId: 'u3', revokedAt: new Date() }),
      grant({ ...of, grantType: 'client_credentials' }),
    ]);
    expect(await seen(trusted)).toContain('Users: 2 last used 1 January 2026');
  });

  it('users are counted up to 1,000 on a page and up to 100 in a list', async () => {
    const popular = await site.client({ ownerId: 'ada' });
    const people = Array.from({ length: USAGE_LIMITS.ofOne }, (_, index) =>
      consent(`u${index}`, popular.clientId),
    );
    await collection('oauth_consents').insertMany(people);
    const alone = async () => plain((await ada.agent.get(`${ROOT}/${popular.clientId}`)).text);
    expect(await alone()).toMatch(/Users:? 1,000 /);
    await collection('oauth_consents').insertOne(consent('one more', popular.clientId));
    expect(await alone()).toMatch(/Users:? 1,000\+ /);
    expect(await seen(popular)).toContain('Users: 100+ ');
  });
});

describe('commands to the database, without those for the session and the user', () => {
  const USE = ['aggregate oauth_consents', 'aggregate oauth_grants'];

  it.each<[string, () => string, string[]]>([
    ['the list of a person', () => '', ['find oauth_clients', ...USE]],
    ['the form of a new application', () => '/new', []],
    [
      'the page of an application',
      () => `/${shop.clientId}`,
      ['find oauth_clients', ...USE, 'find oauth_refusals'],
    ],
    // the second read is for the values that code has set, which pages do not read with a client
    ['the form of a change', () => `/${shop.clientId}/edit`, ['find oauth_clients', 'find oauth_clients']],
    ['the form of a deletion', () => `/${shop.clientId}/delete`, ['find oauth_clients', ...USE]],
    [
      'the list of all, for a person who is no administrator,',
      () => '?list=all',
      ['find oauth_clients', ...USE],
    ],
  ])('%s costs few commands to the database', async (_page, path, expected) => {
    expect(
      (await commandsDuring(site.database, () => ada.agent.get(`${ROOT}${path()}`).expect(200))).sort(),
    ).toEqual([...expected].sort());
  });

  it('the list of all for administrators costs three commands, an empty list one', async () => {
    const grace = await logInPerson(site, 'grace');
    expect(
      (await commandsDuring(site.database, () => grace.agent.get(`${ROOT}?list=all`).expect(200))).sort(),
    ).toEqual([...USE, 'find oauth_clients'].sort());
    expect(await commandsDuring(site.database, () => grace.agent.get(ROOT).expect(200))).toEqual([
      'find oauth_clients',
    ]);
  });

  it('the rotation of a secret costs three commands to the database', async () => {
    const form = hiddenFields(await ada.agent.get(`${ROOT}/${shop.clientId}`));
    const rotation = await commandsDuring(site.database, () =>
      postForm(ada.agent, `${ROOT}/${shop.clientId}/rotate-secret`, form).expect(200),
    );
    expect(rotation).toEqual(['find oauth_clients', 'find oauth_clients', 'update oauth_clients']);
  });
});
