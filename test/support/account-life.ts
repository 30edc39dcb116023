import { buildMessage } from '../../lib/delivery/new-messages.js';
import { createUsers } from '../../lib/index.js';
import { COLLECTIONS } from '../../lib/storage/collections.js';
import type { CollectionDefinition } from '../../lib/storage/connection/model.js';
import { createStores } from '../../lib/storage/stores.js';
import { connectDevice, DEVICE_GRANT_TYPES, deviceClient } from './device.js';
import { signIn } from './logout.js';
import { mergeOptions } from './merge-options.js';
import { knowing, logInAll } from './owners.js';
import { createPerson, hiddenFields, type Person } from './person.js';
import { push } from './pushed-requests.js';
import { openSite, SCOPES, type Site, type SiteOptions } from './site.js';
import { exchanged, exchanger, handingOn, TOKEN_EXCHANGE } from './token-exchange.js';

/** The first one's id is in no text by chance, so that it is found within texts as well. */
export const PEOPLE = ['ada-of-lantern', 'bob', 'grace', 'eve'] as const;

/** A site with all features that store data about a user. */
export function openAccountSite(options: SiteOptions = {}): Promise<Site> {
  const all: SiteOptions = {
    audit: { ttl: 3600 },
    openid: { claims: () => ({}) },
    personalAccessTokens: { serviceTokens: true },
    pushedRequests: true,
    grantTypes: [...DEVICE_GRANT_TYPES, 'client_credentials', TOKEN_EXCHANGE],
    tokenExchange: {},
    security: { rateLimits: false },
    clientAuthentication: { allowPrivateAddresses: true },
    scopes: { ...SCOPES, 'ssf.manage': 'Manage streams of security events', 'ssf.read': 'See them' },
    sharedSignals: {
      transmitter: { receivers: [{ clientId: 'receiver', audience: 'https://receiver.example' }] },
      receiver: {
        transmitters: [
          {
            issuer: 'https://elsewhere.example',
            audience: 'https://photos.example',
            delivery: 'push',
            authorization: 'Bearer of the test 3f1c9d7e5b2a4860',
          },
        ],
        endSessions: () => undefined,
      },
    },
    applications: { isAdministrator: ({ user }) => (user as unknown as { id: string }).id === 'grace' },
  };
  return openSite(mergeOptions(mergeOptions(all, knowing(PEOPLE)), options));
}

/** The site, a user whose account will end, and another user who shares things with the first. */
interface Life {
  readonly site: Site;
  readonly userId: string;
  readonly other: string;
  /** The address for logouts of a client of the user. */
  readonly logoutUri: string;
  readonly agents: Readonly<Record<(typeof PEOPLE)[number], Person['agent']>>;
}

const post = async (agent: Person['agent'], page: string, path: string, fields: object) => {
  const { csrf_token } = hiddenFields(await agent.get(`${page}/new`));
  return agent
    .post(`${page}${path}`)
    .set('Sec-Fetch-Site', 'same-origin')
    .type('form')
    .send({ csrf_token, ...fields })
    .expect(303);
};

/** The acts of a user's life, in no order. */
const STEPS: readonly ((life: Life) => Promise<unknown>)[] = [
  async ({ site, userId, logoutUri }) => {
    const person = createPerson(site);
    await person.logIn(userId);
    await signIn(site, person, await site.client({ backchannelLogoutUri: logoutUri, trusted: true }));
  },
  async ({ site, userId }) => {
    const person = createPerson(site);
    await person.logIn(userId);
    await signIn(site, person, await site.client(), { scope: 'photos:read' });
  },
  async ({ site, userId }) => connectDevice(site, await deviceClient(site), { as: userId }),
  async ({ site, userId }) => {
    const print = await exchanger(site);
    const { clientId } = await handingOn(site, [print]);
    const { accessToken } = await site.oauth.grants.create({ clientId, userId });
    await exchanged(site, print, accessToken);
  },
  ({ site, userId }) => site.client({ ownerId: userId, name: 'Alone' }),
  ({ site, userId, other }) => site.client({ ownerId: other, coOwnerIds: [userId], name: 'Shared' }),
  async ({ site, userId, other, agents }) => {
    const { clientId } = await site.client({ ownerId: other, name: 'Inviting' });
    await post(agents[other as 'bob'], '/oauth/applications', `/${clientId}/invite`, {
      person: userId,
      as: 'owner',
    });
    const shared = await site.client({ ownerId: userId, coOwnerIds: [other], name: 'Invites' });
    await post(agents[userId as 'bob'], '/oauth/applications', `/${shared.clientId}/invite`, {
      person: 'eve',
      as: 'owner',
    });
  },
  ({ site, userId }) =>
    site.oauth.personalAccessTokens.create({ userId, name: 'Backup', scopes: ['photos:read'] }),
  ({ site, userId }) =>
    site.oauth.personalAccessTokens.create({ owners: [userId], name: 'Alone', scopes: ['photos:read'] }),
  async ({ site, userId, other, agents }) => {
    const make = async (owners: string[], name: string) =>
      (await site.oauth.personalAccessTokens.create({ owners, name, scopes: ['photos:read'] })).id;
    const shared = await make([other, userId], 'Shared');
    for (const [inviter, id, person] of [
      [other, await make([other], 'Inviting'), userId],
      [userId, shared, 'eve'],
    ] as const)
      await post(agents[inviter as 'bob'], '/oauth/access-tokens', `/${id}/invite`, { person, as: 'owner' });
  },
  async ({ userId, agents }) => {
    const agent = agents[userId as 'bob'];
    const page = await agent.get('/oauth/access-tokens/new?kind=service');
    const fields = { name: 'By page', granted_scope: ['photos:read'], expires: String(7 * 86_400) };
    await agent
      .post('/oauth/access-tokens')
      .type('form')
      .send({ ...hiddenFields(page), ...fields })
      .expect(201);
  },
  // by an administrator
  async ({ site, userId, agents }) => {
    const { clientId } = await site.client({ ownerId: userId, name: 'Looked at' });
    await post(agents.grace, '/oauth/applications', `/${clientId}/invite`, { person: 'eve', as: 'owner' });
  },
  ({ site, userId }) =>
    Promise.resolve(
      site.oauth.events.emit('token.issued', {
        clientId: 'a client',
        grantId: 'a grant',
        scopes: [],
        grantType: 'a grant type',
        actors: [userId, 'a client', userId],
      }),
    ),
  async ({ site, userId }) => push(site, await site.client(), { login_hint: userId }).expect(201),
  async ({ site, userId }) => {
    const claims = JSON.stringify({ id_token: { sub: { value: userId } } });
    await push(site, await site.client(), { scope: 'openid', claims }).expect(201);
  },
  async ({ site, userId }) => {
    const stores = createStores(site.database.connection, { timeout: 5000 });
    const message = buildMessage(
      { name: 'a receiver', giveUpAfter: 60 },
      { type: 'token.issued', payload: JSON.stringify({ data: { userId } }) },
      new Date(),
    );
    const { nextAt: _never, ...givenUp } = message;
    await stores.outbox.add([givenUp]);
    await stores.inbox.receive(givenUp);
    const subject = { format: 'iss_sub', iss: site.url, sub: userId };
    const tooMany = () => new Error('too many');
    await stores.streamSubjects.keep(
      { streamId: 'a stream', subject, isRemoved: false },
      { max: 9, tooMany },
    );
    await stores.close();
  },
  async ({ site, userId }) => {
    const users = createUsers(site.database.connection, { rounds: 4 });
    const { id } = await users.create({ username: userId, password: 'a long password' });
    const stored = site.database.collection('oauth_users');
    const user = await stored.findOne({ _id: id as never });
    await stored.deleteOne({ _id: id as never });
    await stored.insertOne({ ...user, _id: userId as never });
  },
];

/** Does all acts of a user, in an order that differs from run to run. */
export async function liveAt(site: Site, who: Pick<Life, 'userId' | 'other' | 'logoutUri'>): Promise<void> {
  const life = { site, ...who, agents: await logInAll(site, PEOPLE) };
  const steps = STEPS.map((step) => ({ step, at: Math.random() })).sort((a, b) => a.at - b.at);
  for (const { step } of steps) await step(life);
}

/** The places in all collections with the id of a user within a text, in any encoding, or within a key. */
export async function placesOf(
  { database }: Pick<Site, 'database'>,
  userId: string,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const { name } of Object.values(COLLECTIONS))
    for (const document of await database.collection(name).find().toArray())
      for (const path of pathsOf(document, userId)) found.add(`${name} ${path}`);
  return [...found].sort();
}

function pathsOf(value: unknown, id: string, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => pathsOf(each, id, path));
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)
    return Object.entries(value).flatMap(([name, member]) => {
      const inner = path === '' ? name : `${path}.${name}`;
      return [...(name.includes(id) ? [`${inner} (the key)`] : []), ...pathsOf(member, id, inner)];
    });
  if (typeof value !== 'string') return [];
  const form = new URLSearchParams(value).toString();
  const jwts = (value.match(/[\w-]+\.[\w-]+\.[\w-]*/g) ?? []).map((jwt) =>
    Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString(),
  );
  const forms = [id, JSON.stringify(id).slice(1, -1)];
  const texts = [value, decodeURIComponent(form.replaceAll('+', ' ')), ...jwts];
  return texts.some((text) => forms.some((each) => text.includes(each))) ? [path] : [];
}

/** The places in the rows of the collections. */
export function markedPlaces(): readonly string[] {
  return Object.values(COLLECTIONS)
    .flatMap(({ name, people }: Pick<CollectionDefinition<never>, 'name' | 'people'>) =>
      Object.entries(people?.paths ?? {}).flatMap(([path, { with: beside = [] }]) =>
        [path, ...beside.filter((each) => each !== 'ip')].map((each) => `${name} ${each}`),
      ),
    )
    .sort();
}
