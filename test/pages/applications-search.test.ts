import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CommandStartedEvent } from 'mongodb';

import type { NewClient } from '../../lib/index.js';
import { letPass } from '../support/clock.js';
import { closePagesApps, isGrace, type PagesApp, startPagesApp } from '../support/pages-app.js';
import { fixture } from '../support/site-for.js';

type Agent = ReturnType<PagesApp['agent']>;

const ROOT = '/oauth/applications';
let ada: Agent;
let grace: Agent;
const ids: Record<string, string> = {};
const app: PagesApp = fixture(() =>
  startPagesApp({
    security: { rateLimits: false },
    people: {
      find: (id) => app.users.findById(id),
      findByName: async (name) => app.users.findById(ids[name.toLowerCase()] ?? ''),
    },
    applications: { isAdministrator: isGrace },
  }),
);

beforeAll(async () => {
  [ada, grace] = [await app.personOf('ada'), await app.personOf('grace')];
  for (const name of ['ada', 'grace']) ids[name] = await app.idOf(name);
});
afterAll(closePagesApps);

const create = (name: string, more: Partial<NewClient> = {}) =>
  app.clients.create({ name, redirectUris: ['https://a.example/callback'], ...more });
const namesIn = (text: string) =>
  [...text.matchAll(/<h2><a [^>]*><bdi>([^<]*)<\/bdi>/g)].map(([, name = '']) => name);
const listed = async (agent: Agent, query: Record<string, string>) =>
  (await agent.get(ROOT).query(query).expect(200)).text;
const search = async (q: string) => namesIn(await listed(grace, { list: 'all', q }));

describe('the search of administrators', () => {
  beforeAll(async () => {
    await create('Inkwell Printing Shop', { clientId: 'Inkwell-7', ownerId: ids.ada! });
    // fixed ids, because a random id may begin with one of the searches below
    await create('Café Größe', {
      clientId: 'x-cafe',
      redirectUris: ['https://www.calendar.example/a', 'com.example.Cafe:/b'],
    });
    await create('(a+)+$ .*', { clientId: 'x-pattern', redirectUris: ['http://127.0.0.1:8080/callback'] });
    await create('写真館', { clientId: 'x-photos' });
  });

  it.each([
    ['Inkwell', 'Inkwell Printing Shop'],
    ['inkwell p', 'Inkwell Printing Shop'],
    ['printing', 'Inkwell Printing Shop'],
    ['  SHOP ', 'Inkwell Printing Shop'],
    ['inkwell-7', 'Inkwell Printing Shop'],
    ['cafe gro', 'Café Größe'],
    ['www.cal', 'Café Größe'],
    ['calendar.example', 'Café Größe'],
    ['com.example.c', 'Café Größe'],
    ['127.0.0.1:8080', '(a+)+$ .*'],
    ['(a+)+$', '(a+)+$ .*'],
    ['写真', '写真館'],
    ['Ada', 'Inkwell Printing Shop'],
  ])('%j finds an application', async (typed, name) => {
    expect(await search(typed)).toEqual([name]);
  });

  it('the id of an owner finds the application', async () => {
    expect(await search(ids.ada!)).toEqual(['Inkwell Printing Shop']);
  });

  it.each(['rinting', '.+', '^ink', '{"$gt":""}', '\u0000', '%', 'x'.repeat(5000)])(
    '%j finds no application and does no harm',
    async (typed) => {
      const text = await listed(grace, { list: 'all', q: typed });
      expect(namesIn(text)).toEqual([]);
      expect(text).toContain('No application begins like that.');
    },
  );

  it('an application is found by its new name and host, not by the old ones', async () => {
    const { clientId } = await create('Before', { redirectUris: ['https://before.example/'] });
    await app.clients.update(clientId, { name: 'Later', redirectUris: ['https://later.example/'] });
    expect(await search('before')).toEqual([]);
    expect(await search('later.ex')).toEqual(['Later']);
  });

  it('owners appear by name, and a developer cannot search the applications of others', async () => {
    const text = await listed(grace, { list: 'all', q: 'inkwell' });
    expect(text).toContain('Owner: <bdi>Ada</bdi>');
    expect(text).not.toContain(ids.ada);
    expect((await grace.get(`${ROOT}/Inkwell-7`)).text).toContain(`<bdi>Ada</bdi> <code>${ids.ada}</code>`);
    expect(namesIn(await listed(ada, { list: 'all', q: 'cafe' }))).not.toContain('Café Größe');
  });

  it('a search with more results than a page says so', async () => {
    for (let index = 0; index < 42; index += 1) await create(`Many of them ${index}`);
    const text = await listed(grace, { list: 'all', q: 'many' });
    expect(namesIn(text)).toHaveLength(20);
    expect(text).toContain('There are more than these 20');
    expect(await search('many of them 41')).toEqual(['Many of them 41']);
  });

  it('the links to the previous page lead back to the first page', async () => {
    const link = (text: string, to: string) =>
      new RegExp(`id="applications-${to}" href="([^"]+)"`).exec(text)?.[1]?.replaceAll('&amp;', '&');
    const first = await listed(grace, { list: 'all' });
    expect(link(first, 'previous')).toBeUndefined();
    const second = (await grace.get(link(first, 'next')!)).text;
    const third = (await grace.get(link(second, 'next')!)).text;
    const back = (await grace.get(link(third, 'previous')!)).text;
    expect(namesIn(back)).toEqual(namesIn(second));
    const again = (await grace.get(link(back, 'previous')!)).text;
    expect(namesIn(again)).toEqual(namesIn(first));
    expect(link(again, 'previous')).toBeUndefined();
    expect(new Set([first, second, third].flatMap(namesIn)).size).toBeGreaterThan(40);
  });
});

describe('the lists of administrators', () => {
  it('each list contains an application as soon as its state fits', async () => {
    const name = 'Wanderer';
    const { clientId } = await create(name, { ownerId: ids.ada! });
    const isOn = async () => {
      const found: string[] = [];
      for (const list of ['unverified', 'verified', 'blocked', 'self-registered', 'unused', 'waiting'])
        if (namesIn(await listed(grace, { list })).includes(name)) found.push(list);
      return found;
    };
    expect(await isOn()).toEqual(['unverified']);
    await app.clients.block(clientId);
    expect(await isOn()).toEqual(['unverified', 'blocked']);
    await app.clients.unblock(clientId);
    await app.clients.update(clientId, { verified: true });
    expect(await isOn()).toEqual(['verified']);
    await app.clients.update(clientId, { verified: false, trusted: true });
    expect(await isOn()).toEqual([]);
    await app.database.update('oauth_clients', clientId, {
      $set: {
        trusted: false,
        awaitsApprovalSince: new Date(),
        registration: { accessTokenHash: 'hash', details: {}, unusedSince: new Date() },
        'listed.lists': ['unverified', 'self-registered', 'waiting'],
      },
    });
    expect(await isOn()).toEqual(['unverified', 'self-registered', 'unused', 'waiting']);
    await app.clients.approve(clientId);
    expect(await isOn()).toEqual(['unverified', 'self-registered', 'unused']);
  });

  it('other people and unknown lists get only the person’s applications', async () => {
    expect(await listed(ada, { list: 'blocked' })).toContain('<h1>Your applications</h1>');
    expect(await listed(grace, { list: 'constructor' })).toContain('<h1>Your applications</h1>');
  });
});

describe('the applications of a person', () => {
  it('applications are cards, and from eight on rows with a search', async () => {
    const few = await startPagesApp({ security: { rateLimits: false } });
    const person = await few.personOf('ada');
    const ownerId = await few.idOf('ada');
    const add = (name: string) => few.clients.create({ name, redirectUris: ['https://a.example/'], ownerId });
    for (let index = 1; index < 8; index += 1) await add(`Number ${index}`);
    const seven = (await person.get(ROOT)).text;
    expect(seven).not.toContain('eas-rows');
    expect(seven).not.toContain('type="search"');
    await add('Eighth');
    const eight = (await person.get(ROOT)).text;
    expect(eight).toContain('eas-rows');
    expect(eight).toContain('type="search"');
    const found = (await person.get(`${ROOT}?q=EIGH`)).text;
    expect(namesIn(found)).toEqual(['Eighth']);
    expect(found).toContain('Found: 1');
    expect(found).toContain('value="EIGH"');
    const none = (await person.get(`${ROOT}?q=zzz`)).text;
    expect(none).toContain('No application begins like that.');
    expect(none).not.toContain('No applications yet');
    expect((await person.get(`${ROOT}?q=a&q=b`)).status).toBe(200);
  });

  it('pages contain 20 applications, and each reads only their usage', async () => {
    const many = await startPagesApp({ security: { rateLimits: false } });
    const person = await many.personOf('ada');
    const ownerId = await many.idOf('ada');
    for (let index = 1; index <= 45; index += 1) {
      await many.clients.create({ name: `Number ${index}`, redirectUris: ['https://a.example/'], ownerId });
      letPass(1);
    }
    const numbered = (from: number, to: number) =>
      Array.from({ length: from - to + 1 }, (_none, index) => `Number ${from - index}`);
    const linkIn = (text: string, id: string) =>
      new RegExp(`id="applications-${id}" href="([^"]*)"`).exec(text)?.[1]?.replaceAll('&amp;', '&');
    const stages: number[] = [];
    many.database.connection.getClient().on('commandStarted', ({ command }: CommandStartedEvent) => {
      if ('aggregate' in command) stages.push((command.pipeline as object[]).length);
    });
    const open = async (address: string | undefined) => (await person.get(address ?? '')).text;
    const first = await open(ROOT);
    expect(namesIn(first)).toEqual(numbered(45, 26));
    expect(linkIn(first, 'previous')).toBeUndefined();
    expect(Math.max(...stages)).toBeLessThan(30);
    const second = await open(linkIn(first, 'next'));
    expect(namesIn(second)).toEqual(numbered(25, 6));
    const third = await open(linkIn(second, 'next'));
    expect(namesIn(third)).toEqual(numbered(5, 1));
    expect(linkIn(third, 'next')).toBeUndefined();
    expect(namesIn(await open(linkIn(third, 'previous')))).toEqual(numbered(25, 6));
    expect(namesIn(await open(linkIn(third, 'first')))).toEqual(numbered(45, 26));
    // a position that no longer exists
    expect(namesIn(await open(`${ROOT}?list=own&after=gone`))).toEqual(numbered(45, 26));
    const found = await open(`${ROOT}?q=number`);
    expect(namesIn(found)).toEqual(numbered(45, 26));
    expect(found).toContain('There are more than these 20');
  });
});
