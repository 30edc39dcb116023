import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import bcrypt from 'bcrypt';
import request from 'supertest';

import { findFreePorts } from '../interop/support/example.js';
import { runCli } from '../support/cli.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { hiddenFields } from '../support/person.js';
import { until } from '../support/until.js';
import { NAVIGATION } from '../support/visitor.js';
import { root } from './blocks.js';

/** The program of a recipe. */
async function programOf(recipe: string): Promise<string> {
  const text = await readFile(join(root, 'docs/recipes', `${recipe}.md`), 'utf8');
  const [, program] = new RegExp(`^\`\`\`js ${recipe}\\.mjs\\n([^]*?)^\`\`\`$`, 'm').exec(text) ?? [];
  if (program === undefined) throw new Error(`${recipe}.md has no program`);
  return program;
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

describe('docs/recipes/api-without-pages.md', () => {
  let database: TestDatabase;
  let folder: string;
  let url: string;
  let stop: () => Promise<unknown>;
  let clientId: string;
  let secret: string;

  beforeEach(async () => {
    database = await openDatabase();
    await mkdir(join(root, 'test-artifacts'), { recursive: true });
    folder = await mkdtemp(join(root, 'test-artifacts', 'recipe-'));
    const [port] = (await findFreePorts(1)) as [number];
    url = `http://localhost:${port}`;
    await writeFile(join(folder, 'site.mjs'), await programOf('api-without-pages'));
    const child = spawn(process.execPath, ['site.mjs'], {
      cwd: folder,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        ISSUER: url,
        PORT: String(port),
        MONGODB_URI: database.uri,
        SESSION_SECRET: 'of the test',
        JWT_SECRET: 'of the test as well, long enough',
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const ended = once(child, 'exit');
    stop = () => (child.kill(), ended);
    await until(async () => (await isListening(port)) || child.exitCode !== null);
    await database.connection
      .collection('users')
      .insertOne({ email: 'ada@site.example', name: 'Ada', hash: await bcrypt.hash('correct horse', 4) });
    const created = await runCli(
      [
        'clients',
        'create',
        '--name',
        'Shop',
        '--redirect-uri',
        'https://print.example/cb',
        '--scopes',
      ].concat(['photos:read', '--json']),
      { env: { MONGODB_URI: database.uri } },
    );
    ({ clientId, clientSecret: secret } = JSON.parse(created.stdout) as {
      clientId: string;
      clientSecret: string;
    });
  });
  afterEach(async () => {
    await stop();
    await database.close();
    await rm(folder, { recursive: true });
  });

  const authorize = (agent: ReturnType<typeof request.agent>) =>
    agent
      .get('/oauth/authorize')
      .query({ response_type: 'code', client_id: clientId, scope: 'photos:read', state: 'x' })
      .set(NAVIGATION);
  const photosBy = (token: string) => request(url).get('/api/photos').set('Authorization', `Bearer ${token}`);
  const ownToken = async () => {
    const { body } = await request(url)
      .post('/login')
      .send({ email: 'ada@site.example', password: 'correct horse' })
      .expect(200);
    return String(body.token);
  };

  test('its people log in on our page, and its route takes both kinds of tokens', async () => {
    expect((await photosBy(await ownToken())).body).toEqual({ photosOf: 'Ada' });
    await photosBy('eyJhbGciOiJub25lIn0.e30.').expect(401);
    const agent = request.agent(url);
    const { headers: toLogin } = await authorize(agent);
    expect(toLogin.location).toMatch(/^\/signin/);
    const page = await agent.get(String(toLogin.location)).set(NAVIGATION).expect(200);
    const { headers: toConsent } = await agent
      .post('/signin')
      .set(NAVIGATION)
      .type('form')
      .send({ ...hiddenFields(page), username: 'ada@site.example', password: 'correct horse' })
      .expect(303);
    const consent = await agent.get(String(toConsent.location)).set(NAVIGATION).expect(200, /Ada/);
    const { headers: decided } = await agent
      .post(String(toConsent.location))
      .type('form')
      .send({ ...hiddenFields(consent), granted_scope: 'photos:read', decision: 'allow' });
    const { headers: back } = await agent.get(String(decided.location)).set(NAVIGATION);
    const code = new URL(String(back.location)).searchParams.get('code');
    const { body } = await request(url)
      .post('/oauth/token')
      .auth(clientId, secret)
      .type('form')
      .send({ grant_type: 'authorization_code', code, redirect_uri: 'https://print.example/cb' })
      .expect(200);
    expect((await photosBy(String(body.access_token))).body).toEqual({ photosOf: 'Ada' });
    const refused = await photosBy('eas_at_x').expect(401);
    expect(refused.headers['www-authenticate']).toMatch(/^Bearer /);
  });

  test('an app of the site hands its token over, and the person goes on', async () => {
    const agent = request.agent(url);
    await authorize(agent).expect(302);
    await agent.post('/session').expect(401);
    const { body } = await agent
      .post('/session')
      .set('Authorization', `Bearer ${await ownToken()}`)
      .expect(200);
    expect(body.goTo).toMatch(/^\/oauth\/authorize\?/);
    await agent
      .get(String(body.goTo))
      .set(NAVIGATION)
      .expect(200, /consent-form/);
  });
});
