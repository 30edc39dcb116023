import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { installPeers } from '../../bench/install.js';
import { blocks } from '../../docs/blocks.js';
import { createVisitor } from '../../package/visitor.js';
import { runCli } from '../../support/cli.js';
import { openDatabase, type TestDatabase } from '../../support/database.js';
import { createPerson, locationOf } from '../../support/person.js';
import { openSite, REDIRECT_URI, type Site } from '../../support/site.js';
import { basic, callApi, postToken } from '../../support/tokens.js';

/** The client of old-server.mjs. */
const CLIENT = { id: 'printing-shop', secret: 'c5f1d3a0b9e84c7d8f6a2b1c0d9e8f7a' };
const SCOPE = 'profile photos:read';

const missing = await installPeers(() => undefined).then(
  () => '',
  (error: Error) => ` (skipped: the packages cannot be installed: ${error.message})`,
);
const describeWithPeers = missing === '' ? describe : describe.skip;

/** A server in use: its address, and whether it stores which tokens belong together. */
const SERVERS = [
  { name: 'node-oauth', authorize: '/oauth/authorize', token: '/oauth/token', isTogether: true },
  { name: 'oauth2orize', authorize: '/oauth/authorize', token: '/oauth/token', isTogether: false },
  { name: 'oidc-provider', authorize: '/auth', token: '/token', isTogether: true },
] as const;
type Server = (typeof SERVERS)[number];

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

describeWithPeers(`moving over from servers that are in use${missing}`, () => {
  let database: TestDatabase;
  let site: Site | undefined;
  let stop: (() => Promise<unknown>) | undefined;
  let url = '';

  beforeEach(async () => {
    database = await openDatabase();
  });
  afterEach(async () => {
    await stop?.();
    await site?.close();
    await database.close();
    [stop, site] = [undefined, undefined];
  });

  async function start({ name }: Server): Promise<void> {
    const child = fork(fileURLToPath(new URL(`./${name}.mjs`, import.meta.url)), [database.uri], {
      env: { ...process.env, NODE_OPTIONS: '' },
      // oidc-provider prints much
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const ended = once(child, 'exit');
    stop = () => {
      if (child.connected) child.disconnect();
      return ended;
    };
    const [message] = (await Promise.race([
      once(child, 'message'),
      ended.then(([code]) => Promise.reject(new Error(`${name} ended with ${code} before it listened`))),
    ])) as [{ url: string }];
    url = message.url;
  }

  /** A request of a client to the old server's endpoints. */
  async function post(path: string, fields: Record<string, string>): Promise<Response> {
    return fetch(`${url}${path}`, {
      method: 'POST',
      headers: { Authorization: basic(CLIENT.id, CLIENT.secret) },
      body: new URLSearchParams(fields),
    });
  }

  async function obtainTokens({ authorize, token }: Server): Promise<Tokens> {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: CLIENT.id,
      redirect_uri: REDIRECT_URI,
      scope: SCOPE,
      state: 'xyz',
    });
    const back = await createVisitor({ stopAt: REDIRECT_URI }).open(`${url}${authorize}?${query.toString()}`);
    const code = back.url.searchParams.get('code');
    if (code === null) throw new Error(`no code: ${back.status} ${back.url.href} ${back.text}`);
    const answer = await post(token, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
    });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Tokens;
  }

  const callOld = async (token: string) =>
    (await fetch(`${url}/api`, { headers: { Authorization: `Bearer ${token}` } })).status;

  /** All documents of the old server. */
  async function oldDocuments(): Promise<Record<string, unknown>> {
    const names = (await database.connection.listCollections()).map(({ name }) => name);
    const old = names.filter((name) => !name.startsWith('oauth_')).sort();
    const documents = await Promise.all(
      old.map((name) => database.collection(name).find().sort({ _id: 1 }).toArray()),
    );
    return Object.fromEntries(old.map((name, index) => [name, documents[index]]));
  }

  /** The commands of the document for a server, in order. */
  function commandsOf(name: string): readonly string[][] {
    return blocks
      .filter(({ document, language }) => document === 'docs/migration.md' && language === 'sh')
      .flatMap(({ text }) => text.trim().replace('node-oauth', name).split('\n'))
      .map((line) => {
        const [npx, program, ...args] = line.split(' ');
        expect([npx, program]).toEqual(['npx', 'express-authorization-server']);
        return args;
      });
  }

  async function runStep(args: readonly string[]) {
    const { code, stdout, stderr } = await runCli([...args, '--json'], { uri: database.uri });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
    const { leftOut, ...report } = JSON.parse(stdout) as Record<string, Record<string, number>>;
    expect(leftOut).toEqual([]);
    const kinds = ['clients', 'accessTokens', 'refreshTokens', 'consents'];
    return kinds.map((kind) => [report[kind]?.taken, report[kind]?.already]);
  }

  const refresh = (refreshToken: string) =>
    postToken(site as Site, { grant_type: 'refresh_token', refresh_token: refreshToken }).set(
      'Authorization',
      basic(CLIENT.id, CLIENT.secret),
    );

  test.each(SERVERS)('$name moves by the steps of its document', async (server) => {
    await start(server);
    const first = await obtainTokens(server);
    const [dryRun = [], take = []] = commandsOf(server.name);
    const before = await oldDocuments();
    const fresh = [1, 0];
    expect(await runStep(dryRun)).toEqual([fresh, fresh, fresh, fresh]);
    expect(await database.collection('oauth_clients').countDocuments()).toBe(0);
    expect(await runStep(take)).toEqual([fresh, fresh, fresh, fresh]);
    expect(await oldDocuments()).toEqual(before);
    // tokens of the old server since the first step
    const second = await obtainTokens(server);
    expect(await callOld(first.access_token)).toBe(200);
    const [, ofAccess, ofRefresh] = await runStep(take);
    expect([ofAccess, ofRefresh]).toEqual([
      [1, 1],
      [1, 1],
    ]);
    await stop?.();

    site = await openSite({ database, tokens: { migrated: true } });
    const refreshed: string[] = [];
    for (const tokens of [first, second]) {
      const { status, body } = await callApi(site, tokens.access_token, '/api/photos');
      expect([status, body.userId, body.clientId]).toEqual([200, 'ada', CLIENT.id]);
      const answer = await refresh(tokens.refresh_token);
      expect([answer.status, answer.body.scope]).toEqual([200, SCOPE]);
      refreshed.push(String(answer.body.access_token));
      expect((await callApi(site, refreshed.at(-1) ?? '')).status).toBe(200);
    }
    // a second use is reuse: its whole grant ends, and nothing else
    expect((await refresh(first.refresh_token)).body.error).toBe('invalid_grant');
    const ended = [refreshed[0], ...(server.isTogether ? [first.access_token] : [])];
    for (const token of ended) expect((await callApi(site, token ?? '')).status).toBe(401);
    for (const token of [refreshed[1], second.access_token])
      expect((await callApi(site, token ?? '')).status).toBe(200);

    const ada = createPerson(site);
    await ada.logIn();
    const request = { response_type: 'code', client_id: CLIENT.id, redirect_uri: REDIRECT_URI, scope: SCOPE };
    const code = locationOf(await ada.openAuthorize(request)).searchParams.get('code');
    const answer = await postToken(site, {
      grant_type: 'authorization_code',
      code: code ?? '',
      redirect_uri: REDIRECT_URI,
    }).set('Authorization', basic(CLIENT.id, CLIENT.secret));
    expect(answer.status).toBe(200);
  });
});
