import { beforeAll, describe, expect, it } from '@jest/globals';

import { recordCommands } from '../support/commands.js';
import { logInPerson } from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';

const PAGE = '/oauth/authorizations';
const MANY = 60;
const site = siteFor({ security: { rateLimits: false } });
const ada = fixture(() => logInPerson(site));

beforeAll(async () => {
  await connect('ada', MANY);
  await connect('grace', 8);
});

/** Stores as many allowed applications, `App 1` first. */
async function connect(userId: string, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const at = (number: number) => new Date(Date.UTC(2026, 0, 1) + number * 60_000);
  const insert = (name: string, documents: object[]) => site.database.collection(name).insertMany(documents);
  const clientId = (number: number) => `${userId}-${String(number)}`;
  await insert(
    'oauth_clients',
    numbers.map((number) => ({
      _id: clientId(number) as never,
      name: number === 7 ? 'Café “.*” Zürich' : `App ${String(number)}`,
      type: 'public',
      redirectUris: [],
      scopes: [],
      grantTypes: ['authorization_code'],
      createdAt: at(number),
    })),
  );
  await insert(
    'oauth_consents',
    numbers.map((number) => ({
      userId,
      clientId: clientId(number),
      scopes: ['profile'],
      createdAt: at(number),
      updatedAt: at(number),
    })),
  );
}

/** Stores when an application was first allowed, and when it last got tokens. */
const use = (userId: string, number: number, [since, renewedAt]: readonly [Date, Date]) =>
  site.database.collection('oauth_grants').insertOne({
    _id: `grant of ${userId}-${String(number)} of ${since.toISOString()}` as never,
    clientId: `${userId}-${String(number)}`,
    userId,
    authorization: { userId, scopes: ['profile'], resources: [] },
    grantType: 'authorization_code',
    refreshToken: { hash: 'x', expiresAt: new Date(Date.now() + 3600_000) },
    createdAt: since,
    renewedAt,
    expiresAt: new Date(Date.now() + 3600_000),
  });

async function open(query = '', person = ada) {
  const { text } = await person.agent.get(`${PAGE}${query}`).expect(200);
  const names = [...text.matchAll(/<h2><a id="authorization-\d+"[^>]*><bdi>([^<]+)</g)].map(
    ([, name]) => name,
  );
  const addressOf = (id: string) =>
    new RegExp(`id="${id}"[^>]*href="([^"]+)"`).exec(text)?.[1]?.replaceAll('&amp;', '&');
  return {
    text,
    names,
    next: addressOf('authorizations-next'),
    previous: addressOf('authorizations-previous'),
  };
}

describe('a person with many connected apps', () => {
  it('the pages of connected apps list each app once, with the total', async () => {
    const seen: (string | undefined)[] = [];
    let query: string | undefined = '';
    let last: string | undefined;
    while (query !== undefined) {
      const { names, next, previous, text }: Awaited<ReturnType<typeof open>> = await open(query);
      expect(text).toContain(`${String(MANY)} connected apps`);
      expect(previous === undefined).toBe(query === '');
      seen.push(...names);
      last = text;
      query = next?.slice(PAGE.length);
    }
    expect(last).toContain('Page 3 of 3');
    expect(seen).toHaveLength(MANY);
    expect(new Set(seen).size).toBe(MANY);
  });

  it('connected apps are found by words of the name, whatever their case and accents', async () => {
    for (const terms of ['zurich CAFE', 'café', '“.*”']) {
      const { names, text, next } = await open(`?${new URLSearchParams({ q: terms }).toString()}`);
      expect(names).toEqual(['Café “.*” Zürich']);
      expect(next).toBeUndefined();
      expect(text).toMatch(/role="status">\s*One connected app/);
    }
  });

  it('the search words stay on the next page', async () => {
    const { next, names } = await open('?q=app');
    expect(names).toHaveLength(25);
    const second = await open(String(next).slice(PAGE.length));
    expect(second.text).toContain('value="app"');
    expect(second.text).toContain('59 connected apps');
  });

  it('a page reads its 25 clients, and a search only the names of all', async () => {
    for (const [query, ...looked] of [
      ['', ['find', 25]],
      ['?q=app', ['aggregate', MANY], ['find', 25]],
    ] as const) {
      const commands = await recordCommands(site.database, () => open(query));
      const looks = commands.filter(({ collection }) => collection === 'oauth_clients');
      expect(
        looks.map(({ name, command: { filter, pipeline } }) => [
          name,
          JSON.stringify(filter ?? pipeline).split('ada-').length - 1,
        ]),
      ).toEqual(looked);
    }
  });

  it('the list of connected apps costs five commands to the database', async () => {
    const commands = (await recordCommands(site.database, () => open('?page=2'))).map(
      ({ name, collection }) => `${name} ${collection}`,
    );
    expect(commands.sort()).toEqual([
      'aggregate oauth_consents',
      'aggregate oauth_grants',
      'aggregate oauth_grants',
      'find oauth_clients',
      'find oauth_consents',
    ]);
  });

  it('a search without results says so and links to all apps', async () => {
    const { text, names } = await open('?q=%3Cscript%3E');
    expect(names).toEqual([]);
    expect(text).toContain('No connected app has this name.');
    expect(text).toContain('value="&lt;script&gt;"');
    expect(text).toContain(`<a href="${PAGE}">Show all</a>`);
  });

  it.each(['?page=0', '?page=-1', '?page=x', '?page=99999', '?page=1&page=2', '?q=a&q=b', '?page=1e1'])(
    'a wrong address shows the first page: %s',
    async (query) => {
      const { names, previous } = await open(query);
      expect([names.length, previous]).toEqual([25, undefined]);
    },
  );

  it('an address after the last page shows the last page', async () => {
    const { text, names } = await open('?page=99');
    expect(text).toContain('Page 3 of 3');
    expect(names).toHaveLength(10);
  });
});

it('a list of eight apps has no search and one page', async () => {
  const grace = await logInPerson(site, 'grace');
  const { text, names } = await open('', grace);
  expect(names).toHaveLength(8);
  expect(text).not.toContain('type="search"');
  expect(text).not.toContain('eas-paging');
});

describe('the order of connected apps', () => {
  const day = (number: number) => new Date(Date.UTC(2026, 0, number));
  const eve = fixture(() => logInPerson(site, 'eve'));

  beforeAll(async () => {
    // the higher the number, the later the application was allowed
    await connect('eve', 30);
    // used long before the (latest) consent, and used last of all
    await use('eve', 30, [day(-300), day(300)]);
    await use('eve', 3, [day(200), day(201)]);
    // used, but without a consent
    await site.database.collection('oauth_consents').deleteOne({ userId: 'eve', clientId: 'eve-4' });
    await use('eve', 4, [day(250), day(250)]);
  });

  it('connected apps are sorted by the last renewal by default', async () => {
    for (const query of ['', '?sort=renewed', '?sort=nonsense', '?sort[$ne]=name', '?sort=since&sort=name']) {
      const { names, text } = await open(query, eve);
      expect(names.slice(0, 4)).toEqual(['App 30', 'App 4', 'App 3', 'App 29']);
      expect(text).toContain('id="sort-renewed" href="/oauth/authorizations" aria-current="true"');
      expect(text.match(/<a [^>]*aria-current="true"/g)).toHaveLength(1);
    }
  });

  it('?sort=since sorts connected apps by the earliest consent or use', async () => {
    const first = await open('?sort=since', eve);
    expect(first.names.slice(0, 3)).toEqual(['App 4', 'App 29', 'App 28']);
    expect(first.text).toMatch(/id="sort-since"[^>]*aria-current="true"/);
    expect(first.next).toBe(`${PAGE}?sort=since&page=2`);
    const second = await open('?sort=since&page=2', eve);
    expect(second.names.at(-1)).toBe('App 30');
    expect(second.previous).toBe(`${PAGE}?sort=since`);
    expect(new Set([...first.names, ...second.names]).size).toBe(30);
  });

  it('?sort=name sorts connected apps by number and in any case, also those without consent', async () => {
    const { names, next } = await open('?sort=name', eve);
    expect(names.slice(0, 4)).toEqual(['App 1', 'App 2', 'App 3', 'App 4']);
    expect((await open(String(next).slice(PAGE.length), eve)).names.at(-1)).toBe('Café “.*” Zürich');
  });

  it('a search retains the order, and a change of the order the search', async () => {
    const { names, text, next } = await open('?q=app&sort=name', eve);
    expect(names[0]).toBe('App 1');
    expect(text).toContain('<input type="hidden" name="sort" value="name">');
    expect(text).toContain('id="sort-since" href="/oauth/authorizations?q=app&amp;sort=since"');
    expect(text).toContain('href="/oauth/authorizations?sort=name">Show all');
    expect(next).toBe(`${PAGE}?q=app&sort=name&page=2`);
  });

  it('the results of a search are sorted by the last renewal, without apps that have ended', async () => {
    // the grant has ended, and there is no consent
    await site.database.collection('oauth_consents').deleteOne({ userId: 'eve', clientId: 'eve-5' });
    await use('eve', 5, [day(260), day(260)]);
    await site.database
      .collection('oauth_grants')
      .updateOne({ clientId: 'eve-5' }, { $set: { revokedAt: new Date() } });
    for (const terms of ['app', 'app 3'])
      for (const sort of ['renewed', 'since', 'name']) {
        const { names } = await open(`?${new URLSearchParams({ q: terms, sort }).toString()}`, eve);
        expect(names).not.toContain('App 5');
        expect(names).toContain('App 3');
        if (sort === 'renewed') expect(names[0]).toBe('App 30');
      }
    const { names } = await open('?q=app', eve);
    expect(names.slice(0, 4)).toEqual(['App 30', 'App 4', 'App 3', 'App 29']);
  });

  it('a list on one page offers no order', async () => {
    const grace = await logInPerson(site, 'grace');
    expect((await open('', grace)).text).not.toContain('authorizations-sort');
  });
});

describe('the stored name of a connected app', () => {
  it('a search reads the names in the consents, and only the clients of its results', async () => {
    const bob = await logInPerson(site, 'bob');
    await connect('bob', 9);
    const client = await site.oauth.clients.create({
      name: 'Inkwell Prints',
      type: 'confidential',
      redirectUris: ['https://print.example/callback'],
    });
    await site.oauth.grants.create({ clientId: client.clientId, userId: 'bob', remember: true });
    // all other consents are from before names were stored
    await site.database
      .collection('oauth_consents')
      .updateMany({ userId: 'bob', clientName: { $exists: false } }, { $set: { clientName: 'Another' } });
    const commands = await recordCommands(site.database, () => open('?q=inkwell', bob));
    expect(commands.filter(({ collection }) => collection === 'oauth_clients')).toHaveLength(1);
    expect((await open('?q=inkwell', bob)).names).toEqual(['Inkwell Prints']);

    await site.oauth.clients.update(client.clientId, { name: 'Quill Prints' });
    expect((await open('?q=inkwell', bob)).names).toEqual([]);
    expect((await open('?q=quill', bob)).names).toEqual(['Quill Prints']);
  });
});
