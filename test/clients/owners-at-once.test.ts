import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';

import type { OAuthEvent } from '../../lib/index.js';
import { knowing, logInAll } from '../support/owners.js';
import { hiddenFields, type Person } from '../support/person.js';
import { openSite, type Site, type SiteOptions } from '../support/site.js';

type Agent = Person['agent'];

const MAX_TOKENS = 50;
const MAX_APPLICATIONS = 50;
const ROUNDS = 4;

/** Processes on one database. */
let sites: readonly Site[];
/** The browsers of Bob at each process, and the browser of Ada at the first. */
let bobs: readonly Agent[];
let ada: Agent;
const events: OAuthEvent[] = [];

beforeAll(async () => {
  const options: SiteOptions = {
    personalAccessTokens: { serviceTokens: true },
    security: { rateLimits: false },
    ...knowing(['ada', 'bob']),
  };
  const first = await openSite(options);
  const others = [1, 2].map(() => openSite({ ...options, issuer: first.url, database: first.database }));
  sites = [first, ...(await Promise.all(others))];
  for (const site of sites) site.oauth.events.on('*', (event) => void events.push(event));
  bobs = await Promise.all(sites.map(async (site) => (await logInAll(site, ['bob'])).bob));
  ({ ada } = await logInAll(first, ['ada']));
});
afterAll(async () => {
  for (const site of [...sites].reverse()) await site.close();
});

const post = (agent: Agent, path: string, fields: object) =>
  agent.post(path).set('Sec-Fetch-Site', 'same-origin').type('form').send(fields);
async function invite(path: string, as = 'owner'): Promise<void> {
  const { csrf_token } = hiddenFields(await ada.get(path.replace(/[^/]+$/, 'new')));
  await post(ada, `${path}/invite`, { csrf_token, person: 'bob', as }).expect(303);
}
const openInvitation = async (bob: Agent, path: string) =>
  hiddenFields(await bob.get(`${path}/invitation`).expect(200));
/** Bob accepts one invitation at each process, all at the same moment. */
async function acceptAtOnce(paths: readonly string[]): Promise<void> {
  const forms = await Promise.all(paths.map((path, at) => openInvitation(bobs[at]!, path)));
  await Promise.all(paths.map((path, at) => post(bobs[at]!, `${path}/accept`, forms[at]!).expect(303)));
}

const tokens = () => sites[0]!.oauth.personalAccessTokens;
const clients = () => sites[0]!.oauth.clients;
const makeToken = async (...owners: string[]) =>
  (await tokens().create({ owners, name: 'Deployment', scopes: ['photos:read'] })).id;
const tokensOfBob = () => tokens().list({ ownerId: 'bob' });
const clientsOfBob = () => clients().listOfOwner('bob');
const tokenPath = (id: string) => `/oauth/access-tokens/${id}`;
const clientPath = (id: string) => `/oauth/applications/${id}`;

/** Lets Bob accept another invitation at another process between the count and the change of the first. */
function acceptMeanwhile(collection: string, operation: 'updateOne' | 'findOneAndUpdate', path: string) {
  const { collection: native } = Object.values(sites[0]!.oauth.models).find(
    (model) => model.collection.name === collection,
  )!;
  const run = native[operation].bind(native) as (...given: readonly unknown[]) => Promise<unknown>;
  const spy = jest.spyOn(native, operation).mockImplementationOnce((async (...given: readonly unknown[]) => {
    spy.mockRestore();
    await post(bobs[1]!, `${path}/accept`, await openInvitation(bobs[1]!, path)).expect(303);
    return run(...given);
  }) as never);
}

describe('service tokens', () => {
  // Bob is one below the maximum
  beforeEach(async () => {
    for (const ownerId of ['ada', 'bob'])
      for (const { id } of await tokens().list({ ownerId })) await tokens().revoke(id);
    for (let made = 1; made < MAX_TOKENS; made += 1) await makeToken('bob');
  });

  test('a user who accepts service tokens at several processes stays within the maximum', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids = await Promise.all(sites.map(() => makeToken('ada')));
      for (const id of ids) await invite(tokenPath(id));
      await acceptAtOnce(ids.map(tokenPath));
      expect((await tokensOfBob()).length).toBeLessThanOrEqual(MAX_TOKENS);
      for (const id of ids) await tokens().revoke(id);
    }
  });

  test('owners of service tokens added at several processes stay within the maximum', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids = await Promise.all([...sites, ...sites].map((_site, at) => makeToken(`owner ${at}`)));
      const added = await Promise.allSettled(
        ids.map((id, at) => sites[at % sites.length]!.oauth.personalAccessTokens.addOwner(id, 'bob')),
      );
      expect((await tokensOfBob()).length).toBeLessThanOrEqual(MAX_TOKENS);
      for (const each of added.filter(({ status }) => status === 'rejected'))
        expect(each).toMatchObject({ reason: { error: 'access_denied', reason: 'too_many_tokens' } });
      for (const id of ids) await tokens().revoke(id);
    }
  });

  test.each(['owner', 'transfer'])(
    'an acceptance of a service token as %s above the maximum changes nothing',
    async (as) => {
      for (const { id } of await tokensOfBob()) await tokens().revoke(id);
      for (let made = 1; made < MAX_TOKENS; made += 1) await makeToken('bob');
      const [id, other] = [await makeToken('ada'), await makeToken('ada')];
      await invite(tokenPath(id), as);
      await invite(tokenPath(other));
      const form = await openInvitation(bobs[0]!, tokenPath(id));
      events.splice(0);
      acceptMeanwhile('oauth_grants', 'updateOne', tokenPath(other));
      const { headers } = await post(bobs[0]!, `${tokenPath(id)}/accept`, form).expect(303);
      expect((await bobs[0]!.get(String(headers.location))).text).toContain(
        'You have as many service tokens',
      );
      expect((await tokens().find(id))?.owners).toEqual(['ada']);
      expect((await tokens().find(other))?.owners).toEqual(['ada', 'bob']);
      // once Bob is below the maximum, the invitation counts
      expect(await openInvitation(bobs[0]!, tokenPath(id))).toMatchObject({ invitation: form.invitation });
      expect(events.map(({ type, grantId }) => [type, grantId])).toEqual([['owner.added', other]]);
    },
  );
});

describe('applications', () => {
  const makeClient = async (ownerId: string, more = {}) =>
    (await sites[0]!.client({ ownerId, ...more })).clientId;
  const fill = async () => {
    for (let made = (await clientsOfBob()).length + 1; made < MAX_APPLICATIONS; made += 1)
      await makeClient('bob');
  };

  test('a user who accepts applications at several processes at once owns at most fifty', async () => {
    await fill();
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids = await Promise.all(sites.map(() => makeClient('ada')));
      for (const id of ids) await invite(clientPath(id));
      await acceptAtOnce(ids.map(clientPath));
      expect((await clientsOfBob()).length).toBeLessThanOrEqual(MAX_APPLICATIONS);
      for (const id of ids) await clients().delete(id);
    }
  });

  test.each(['owner', 'transfer'])(
    'an acceptance of an application as %s above the maximum changes nothing',
    async (as) => {
      await fill();
      const [id, other] = [await makeClient('ada', { verified: true }), await makeClient('ada')];
      await invite(clientPath(id), as);
      await invite(clientPath(other));
      const { updatedAt: _, ...before } = (await clients().find(id))!;
      const form = await openInvitation(bobs[0]!, clientPath(id));
      events.splice(0);
      acceptMeanwhile('oauth_clients', 'findOneAndUpdate', clientPath(other));
      await post(bobs[0]!, `${clientPath(id)}/accept`, form).expect(303);
      expect(await clients().find(id)).toMatchObject(before);
      expect((await clients().find(other))?.coOwnerIds).toEqual(['bob']);
      expect(events.map(({ type, clientId }) => [type, clientId])).toEqual([['owner.added', other]]);
      await clients().delete(other);
    },
  );
});
