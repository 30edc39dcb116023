import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import request from 'supertest';

import { openDatabase, type TestDatabase } from '../support/database.js';
import { installPackages } from '../support/installed-packages.js';
import { hiddenFields } from '../support/person.js';
import { NAVIGATION } from '../support/visitor.js';

const SESSIONS = { '1.3': '~1.3.2', '1.4': '~1.4.0', '2': '^2.0.0' };
const PASSPORTS = { '0.4': '~0.4.1', '0.6': '~0.6.0', '0.7': '~0.7.0' };
const RIGHT = { username: 'ada', password: 'correct horse' };

const named = (name: string, versions: Record<string, string>) =>
  Object.entries(versions).map(([version, range]) => [`${name}-${version}`, `npm:${name}@${range}`]);
const { folder, missing, describeInstalled } = await installPackages(
  'cookie-session',
  Object.fromEntries([...named('cookie-session', SESSIONS), ...named('passport', PASSPORTS)]) as Record<
    string,
    string
  >,
);

/** Each version at least once, and the oldest of each with the newest of the other. */
const combinations = [
  ['1.3', '0.4'],
  ['1.4', '0.6'],
  ['2', '0.7'],
  ['1.3', '0.7'],
  ['2', '0.4'],
] as const satisfies readonly (readonly [keyof typeof SESSIONS, keyof typeof PASSPORTS])[];

describeInstalled.each(combinations)(`cookie-session %s with Passport %s${missing}`, (session, passport) => {
  let database: TestDatabase;
  let stop: () => Promise<unknown>;
  beforeEach(async () => void (database = await openDatabase()));
  afterEach(async () => {
    await stop();
    await database.close();
  });

  async function open(login: 'own' | 'bundled') {
    const child = fork(fileURLToPath(new URL('cookie-session-site.mjs', import.meta.url)), {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        FOLDER: folder,
        COOKIE_SESSION: session,
        PASSPORT: passport,
        DATABASE_URI: database.uri,
        LOGIN: login,
      },
    });
    const ended = once(child, 'exit');
    stop = () => {
      if (child.connected) child.disconnect();
      return ended;
    };
    const [{ url, clientId }] = (await Promise.race([
      once(child, 'message'),
      ended.then(([code]) => Promise.reject(new Error(`the site ended with ${code}`))),
    ])) as [{ url: string; clientId: string }];
    const agent = request.agent(url);
    const authorize = () =>
      agent
        .get('/oauth/authorize')
        .query({ response_type: 'code', client_id: clientId, state: 'of the client' })
        .set(NAVIGATION);
    return { url, agent, authorize };
  }

  test('a custom login with cookie-session returns to the client, and can log out', async () => {
    const { url, agent, authorize } = await open('own');
    // a mere visit sets no cookie
    expect((await request(url).get('/')).headers).not.toHaveProperty('set-cookie');
    const { headers } = await authorize();
    expect(headers.location).toMatch(/^\/login/);
    const logIn = (fields: object) => agent.post('/login').set(NAVIGATION).type('form').send(fields);
    expect((await logIn({ ...RIGHT, password: 'wrong' })).headers.location).toBe('/login');
    const { headers: after } = await logIn(RIGHT);
    expect(after.location).toMatch(/^\/oauth\/authorize/);
    const consent = await agent.get(String(after.location)).set(NAVIGATION).expect(200);
    const decided = await agent
      .post(String(after.location))
      .type('form')
      .send({ ...hiddenFields(consent), granted_scope: 'profile', decision: 'allow' });
    const back = await agent.get(String(decided.headers.location)).set(NAVIGATION);
    expect(back.headers.location).toMatch(/^https:\/\/print\.example\/callback\?code=/);
    expect((await agent.get('/')).body).toEqual({ username: 'ada' });
    await agent.get('/logout').expect(302);
    expect((await agent.get('/')).body).toEqual({ username: null });
  });

  test('the bundled login with cookie-session leads to the consent page', async () => {
    const { agent, authorize } = await open('bundled');
    const { headers } = await authorize();
    const page = await agent.get(String(headers.location)).set(NAVIGATION).expect(200);
    const { status, headers: after } = await agent
      .post('/login')
      .set(NAVIGATION)
      .type('form')
      .send({ ...hiddenFields(page), ...RIGHT });
    expect([status, after.location]).toEqual([303, expect.stringMatching(/^\/oauth\/authorize/)]);
    await agent
      .get(String(after.location))
      .set(NAVIGATION)
      .expect(200, /consent-form/);
  });
});
