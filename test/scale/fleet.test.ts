import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { authorizationServer, type ClientWithSecret } from '../../lib/index.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { takeApart } from '../support/jwt.js';
import { formatQuery, hiddenFields, tickedScopes } from '../support/person.js';
import { basic, type ObtainedTokens } from '../support/tokens.js';
import { until } from '../support/until.js';
import { type Answer, type Fleet, startFleet } from './fleet.js';

const PROCESSES = 4;
/** Users who go through whole flows at the same moment. */
const PEOPLE = 2;
/** Milliseconds after which a process without news reads each grant, by the promise of the guard. */
const PROMISED = 1000;
/** Nobody listens there: requests go to the processes. */
const ISSUER = 'http://127.0.0.1:9';
const REDIRECT_URI = 'https://print.example/callback';

let database: TestDatabase;
let fleet: Fleet;
let shop: ClientWithSecret;
let blocked: ClientWithSecret;

beforeAll(async () => {
  database = await openDatabase();
  const oauth = authorizationServer({
    issuer: ISSUER,
    connection: database.connection,
    scopes: { profile: 'See your name' },
    login: '/login',
  });
  await oauth.ready();
  const client = () =>
    oauth.clients.create({
      name: 'Printing shop',
      redirectUris: [REDIRECT_URI],
      grantTypes: ['authorization_code', 'refresh_token'],
    });
  [shop, blocked] = [await client(), await client()];
  await oauth.close();
  fleet = await startFleet(PROCESSES, database.uri, ISSUER);
});
afterAll(async () => {
  await fleet.close();
  await database.close();
});

let people = 0;

function tokens(client: ClientWithSecret, fields: Readonly<Record<string, string>>): Promise<Answer> {
  return fleet.ask('/oauth/token', {
    method: 'POST',
    headers: { authorization: basic(client.clientId, client.clientSecret ?? '') },
    body: new URLSearchParams(fields),
  });
}

const callApi = (token: string, at?: string) =>
  fleet.ask('/api/me', { headers: { authorization: `Bearer ${token}` } }, at);

function expectStatus({ status, text, by }: Answer, expected: number, step: string): void {
  if (status !== expected)
    throw new Error(`${step}: ${String(status)} by ${by}, not ${String(expected)}: ${text.slice(0, 300)}`);
}

/** Login, consent, code: each step at another process, as the session and the request allow. */
async function authorize(client: ClientWithSecret, name: string): Promise<string> {
  let cookie = '';
  const ask = async (path: string, form?: Readonly<Record<string, string | readonly string[]>>) => {
    const body = new URLSearchParams();
    for (const [field, values] of Object.entries(form ?? {}))
      for (const value of typeof values === 'string' ? [values] : values) body.append(field, value);
    const answer = await fleet.ask(path, {
      headers: { cookie },
      ...(form && { method: 'POST', body }),
    });
    cookie = answer.cookies.at(-1)?.split(';')[0] ?? cookie;
    return answer;
  };
  const request = formatQuery({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: REDIRECT_URI,
    scope: 'profile',
    state: name,
  });
  const toLogin = await ask(`/oauth/authorize?${request}`);
  const returnTo = new URL(toLogin.location ?? '', ISSUER).searchParams.get('return_to') ?? '';
  expectStatus(await ask('/login', { name, return_to: returnTo }), 303, 'the login');
  const page = await ask(returnTo);
  expectStatus(page, 200, 'the consent page');
  const decided = await ask('/oauth/authorize', {
    ...hiddenFields(page),
    granted_scope: tickedScopes(page),
    decision: 'allow',
  });
  expectStatus(decided, 303, 'the decision');
  const back = await ask(decided.location ?? '');
  const code = new URL(back.location ?? '', ISSUER).searchParams.get('code');
  if (code === null) throw new Error(`no code but ${String(back.status)} ${String(back.location)}`);
  return code;
}

async function flow(client: ClientWithSecret, name: string): Promise<ObtainedTokens> {
  const code = await authorize(client, name);
  const redeemed = await tokens(client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
  });
  expectStatus(redeemed, 200, 'the code');
  return JSON.parse(redeemed.text) as ObtainedTokens;
}

const nextPerson = () => `person-${String((people += 1))}`;

/** A flow, then calls and refreshes, each at another process. */
async function live(client: ClientWithSecret): Promise<ObtainedTokens> {
  const name = nextPerson();
  let granted = await flow(client, name);
  for (let refreshes = 0; refreshes < 2; refreshes += 1) {
    const call = await callApi(granted.access_token);
    expectStatus(call, 200, 'a call');
    expect(JSON.parse(call.text)).toEqual({ userId: name });
    const { refresh_token } = granted;
    const refreshed = await tokens(client, { grant_type: 'refresh_token', refresh_token });
    expectStatus(refreshed, 200, 'a refresh');
    granted = JSON.parse(refreshed.text) as ObtainedTokens;
  }
  return granted;
}

/** Repeats work until `isOver`; its first problem is recorded, and ends it. */
function again(work: () => Promise<unknown>, problems: unknown[], isOver: () => boolean): Promise<void> {
  const next = async (): Promise<void> => {
    while (!isOver()) await work();
  };
  return next().catch((problem: unknown) => void problems.push(problem));
}

interface Ended {
  readonly what: string;
  readonly token: string;
  readonly end: () => Promise<Answer>;
}

/** Reports calls that were let in too late, and calls that were refused too early. */
function staleOf({ what }: Ended, ended: Answer, answers: readonly Answer[]) {
  return answers.flatMap(({ status, sentAt, answeredAt, by }) => {
    const late = sentAt - ended.answeredAt;
    // the process that has ended it knows at once, the others within the promised time
    const isTooLate = late > (by === ended.by ? 0 : PROMISED);
    if (status === 200 && isTooLate) return [`${what}: let in ${late.toFixed()} ms later by ${by}`];
    if (status !== 200 && (status !== 401 || answeredAt < ended.sentAt))
      return [`${what}: ${String(status)} ${late.toFixed()} ms later by ${by}`];
    return [];
  });
}

/** Calls all processes with a token while it is ended, until each refuses it. */
async function endWatched(ended: Ended, problems: unknown[]): Promise<void> {
  const answers: Answer[] = [];
  const askAll = async () => {
    const latest = await Promise.all(fleet.urls().map((url) => callApi(ended.token, url)));
    answers.push(...latest);
    return latest;
  };
  // now each process remembers it, if it hears of changes
  for (let round = 0; round < 2; round += 1) await askAll();
  const ending = ended.end().then((answer) => {
    expectStatus(answer, 200, ended.what);
    return answer;
  });
  const [answer] = await Promise.all([
    ending,
    until(async () => (await askAll()).every(({ status }) => status === 401)),
  ]);
  // a process that has refused the token does not let it in again
  for (let round = 0; round < 20; round += 1) await askAll();
  problems.push(...staleOf(ended, answer, answers));
  if (!answers.some(({ status }) => status === 200)) problems.push(`${ended.what}: was never let in`);
}

async function endings(): Promise<readonly Ended[]> {
  const name = nextPerson();
  const [byClient, ofUser, ofBlocked] = await Promise.all([
    flow(shop, nextPerson()),
    flow(shop, name),
    flow(blocked, nextPerson()),
  ]);
  return [
    {
      what: 'revoked by its client',
      token: byClient.access_token,
      end: () =>
        fleet.ask('/oauth/revoke', {
          method: 'POST',
          headers: { authorization: basic(shop.clientId, shop.clientSecret ?? '') },
          body: new URLSearchParams({ token: byClient.refresh_token }),
        }),
    },
    {
      what: 'a user who was ended',
      token: ofUser.access_token,
      end: () => askOperator('end-user', { userId: name }),
    },
    {
      what: 'a client that was blocked',
      token: ofBlocked.access_token,
      end: () => askOperator('block', { clientId: blocked.clientId }),
    },
  ];
}

function askOperator(act: string, body: object, at?: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return fleet.ask(`/operator/${act}`, { method: 'POST', headers, body: JSON.stringify(body) }, at);
}

async function operate<Done>(act: string, body: object = {}, at?: string): Promise<Done> {
  const answer = await askOperator(act, body, at);
  expectStatus(answer, 200, act);
  return JSON.parse(answer.text) as Done;
}

/** Waits until a call costs no read; how soon a process hears that nothing has changed depends on the machine. */
async function untilCached(token: string, url: string): Promise<void> {
  const reads = async () => (await operate<{ readonly reads: number }>('seen', {}, url)).reads;
  await until(async () => {
    const before = await reads();
    expectStatus(await callApi(token, url), 200, 'a call');
    return (await reads()) === before;
  });
}

test(`${PROCESSES} replaced processes lose nothing, and refuse an ended token within a second`, async () => {
  const problems: unknown[] = [];
  let isOver = false;
  let flows = 0;
  // the ended tokens must be cached, or this would test nothing
  const { access_token } = await flow(shop, nextPerson());
  await Promise.all(fleet.urls().map((url) => untilCached(access_token, url)));
  const kids = new Set<unknown>();
  const living = Array.from({ length: PEOPLE }, () =>
    again(
      async () => {
        const { access_token } = await live(shop);
        kids.add(takeApart(access_token).header.kid);
        flows += 1;
      },
      problems,
      () => isOver,
    ),
  );

  // end each kind of token with the processes unchanged, then while they are replaced
  await Promise.all((await endings()).map((each) => endWatched(each, problems)));
  await operate('unblock', { clientId: blocked.clientId });
  await operate('rotate');
  const rolled = fleet.roll();
  const before = flows;
  await Promise.all((await endings()).map((each) => endWatched(each, problems)));
  await rolled;
  // the new processes answer as the same site
  const fresh = await live(shop);
  await Promise.all(
    fleet.urls().map(async (url) => expectStatus(await callApi(fresh.access_token, url), 200, url)),
  );
  isOver = true;
  await Promise.all(living);

  expect(problems).toEqual([]);
  expect(flows).toBeGreaterThan(before);
  // tokens signed with the old key and with the new one were accepted
  kids.add(takeApart(fresh.access_token).header.kid);
  expect(kids.size).toBe(2);
  // all have ended by themselves, without errors
  expect(await fleet.close()).toEqual(Array.from({ length: 2 * PROCESSES }, () => 0));
});
