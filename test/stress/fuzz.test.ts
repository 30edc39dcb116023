import { beforeAll, expect, test } from '@jest/globals';

import { IS_LONG, reportProgress } from '../support/long-run.js';
import { outcomeOf } from '../support/outcomes.js';
import type { RawRequest } from '../support/raw-http.js';
import {
  type Endpoint,
  EVERY_GRANT,
  type Field,
  openEndpoints,
  type RightRequest,
  sendAndFollow,
  storedText,
  toRaw,
} from '../support/right-requests.js';
import { siteFor } from '../support/site-for.js';

const ROUNDS_PER_ENDPOINT = IS_LONG ? 6000 : 22;
/** The same in every run of `npm test`; a long run that fails prints its seed: FUZZ_SEED=… npm run test:stress. */
const SEED = Number(process.env.FUZZ_SEED ?? (IS_LONG ? Date.now() % 1_000_000 : 0));

let endpoints: readonly Endpoint[];

const site = siteFor(EVERY_GRANT);
beforeAll(async () => {
  endpoints = await openEndpoints(site);
});

/** Numbers below `limit` that are the same in every run (mulberry32), so that a failure happens again. */
function createDice(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

type Dice = ReturnType<typeof createDice>;

const pick = <T>(dice: Dice, values: readonly T[]): T => values[dice(values.length)] as T;

const JUNK = [
  '',
  ' ',
  '\0',
  '\r\n',
  '"',
  '\\',
  '%',
  '%00',
  '&',
  '=',
  '+',
  '#',
  '?',
  '/',
  '../',
  '$ne',
  '[]',
  '{}',
  'null',
  '0',
  '-1',
  '1e999',
  'true',
  '__proto__',
  'constructor',
  'ü',
  '\ufffd',
  '\u202e',
  '😀',
  '<script>',
  "'; --",
  'x'.repeat(300),
  'https://evil.example/',
  'javascript:alert(1)',
  'code',
  'token',
  'S256',
  'plain',
  'allow',
  'deny',
  'photos:read',
  'profile',
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'password',
  'implicit',
  'eas_at_',
  'eas_ac_',
  'eas_rt_',
];
const NAMES = [
  'client_id',
  'client_secret',
  'redirect_uri',
  'scope',
  'state',
  'code',
  'code_verifier',
  'code_challenge',
  'grant_type',
  'response_type',
  'refresh_token',
  'username',
  'access_token',
  'authorization_request',
  'csrf_token',
  'granted_scope',
  'decision',
  'submission',
  'name',
  'type',
  'note',
];
const HEADERS: readonly Field[] = [
  ['Authorization', 'Basic YTpi'],
  ['Authorization', 'Bearer abc'],
  ['Authorization', 'Basic ='],
  ['Cookie', 'site.sid=s%3Ax.y'],
  ['Content-Encoding', 'gzip'],
  ['Content-Type', 'application/json'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Forwarded-For', '203.0.113.7'],
  ['Host', 'evil.example'],
  ['Origin', 'null'],
  ['Accept', 'application/json'],
  ['Range', 'bytes=0-1'],
  ['If-None-Match', '*'],
];

/** A piece of the text removed, doubled, reversed or replaced. */
function mutateText(dice: Dice, text: string): string {
  const [from, length] = [dice(text.length + 1), dice(8)];
  const piece = text.slice(from, from + length);
  return `${text.slice(0, from)}${pick(dice, ['', piece + piece, [...piece].reverse().join(''), piece.toUpperCase(), pick(dice, JUNK), String.fromCodePoint(dice(0x2000))])}${text.slice(from + length)}`;
}

const MUTATIONS: readonly ((dice: Dice, right: RightRequest) => RightRequest)[] = [
  (dice, right) => ({
    ...right,
    fields: right.fields.filter((_, index) => index !== dice(right.fields.length + 1)),
  }),
  (dice, right) => ({
    ...right,
    fields: [...right.fields, ...right.fields.slice(dice(right.fields.length + 1)).slice(0, 1)],
  }),
  (dice, right) => ({ ...right, fields: [...right.fields, [pick(dice, NAMES), pick(dice, JUNK)]] }),
  (dice, right) => changeField(dice, right, ([name]) => [name, pick(dice, JUNK)]),
  (dice, right) => changeField(dice, right, ([name, value]) => [name, mutateText(dice, value)]),
  (dice, right) => changeField(dice, right, ([name, value]) => [mutateText(dice, name), value]),
  (dice, right) =>
    changeField(dice, right, ([name, value]) => [
      `${name}${pick(dice, ['[]', '[$ne]', '[a]', '.a', ' '])}`,
      value,
    ]),
  (dice, right) => changeField(dice, right, ([, value]) => [pick(dice, NAMES), value]),
  (dice, right) => ({ ...right, fields: [...right.fields].sort(() => dice(3) - 1) }),
  (dice, right) => ({ ...right, headers: [...right.headers, pick(dice, HEADERS)] }),
  (dice, right) => ({ ...right, headers: right.headers.filter(() => dice(2) === 0) }),
  (dice, right) => ({
    ...right,
    headers: right.headers.map(([name, value]): Field => [
      name,
      mutateText(dice, value).replace(/[^\x20-\x7e]/g, ''),
    ]),
  }),
];

function changeField(dice: Dice, right: RightRequest, change: (field: Field) => Field): RightRequest {
  const chosen = dice(right.fields.length + 1);
  return { ...right, fields: right.fields.map((field, index) => (index === chosen ? change(field) : field)) };
}

/** Wrong in one to three ways, and sometimes in its bytes as well. */
function mutate(dice: Dice, right: RightRequest): RawRequest {
  let wrong = right;
  for (let times = 1 + dice(3); times > 0; times -= 1) wrong = pick(dice, MUTATIONS)(dice, wrong);
  const raw = toRaw(wrong);
  if (dice(4) > 0 || typeof raw.body !== 'string') return raw;
  return { ...raw, body: Buffer.from(mutateText(dice, raw.body), 'latin1') };
}

test('a fuzzed request gets a documented answer, and a refused one stores nothing', async () => {
  const seen: Record<string, number> = {};
  const stopTelling = reportProgress(() => `seed ${SEED}: ${JSON.stringify(seen)}`);
  const known = (await collection('oauth_clients').find().toArray()).map(({ _id }) => _id);
  for (const [index, endpoint] of endpoints.entries()) {
    const dice = createDice(SEED + index);
    let right = await endpoint.create();
    let before = await storedText(site);
    for (let round = 0; round < ROUNDS_PER_ENDPOINT; round += 1) {
      const wrong = mutate(dice, right);
      const response = await sendAndFollow(site.server, wrong);
      const outcome = naming(endpoint, round, () => outcomeOf(endpoint, response));
      seen[outcome] = (seen[outcome] ?? 0) + 1;
      // the consent page is no decision yet
      const mayStore =
        outcome === 'accepted' && !(endpoint.name.startsWith('authorize') && response.status === 200);
      const after = await storedText(site);
      // only somebody who had one knows the common part of a grant's refresh tokens (RFC 9700 §4.14.2)
      const isReuse = endpoint.name === 'token: refresh_token' && withoutRevocation(after) === before;
      if (!mayStore && !isReuse && after !== before)
        throw new Error(
          `stored though ${outcome}: seed ${SEED}, ${endpoint.name}, round ${round}: ${JSON.stringify({ ...wrong, body: String(wrong.body) })}`,
        );
      if (after === before) continue;
      // a request that was valid after all has used something up; and the data compared after each request stay small
      await forget(known);
      right = await endpoint.create();
      before = await storedText(site);
    }
  }
  stopTelling();
  if (IS_LONG) console.info(`seed ${SEED}, ${endpoints.length} endpoints: ${JSON.stringify(seen)}`);
  // both outcomes occurred often enough
  expect(seen.refused).toBeGreaterThan(200);
  expect(seen.accepted).toBeGreaterThan(50);
});

const withoutRevocation = (text: string): string => text.replace(/,"revokedAt":"[^"]+"/, '');

const collection = (name: string) => site.database.collection(name);

/** Removes all documents of requests, except these clients. */
async function forget(clients: readonly unknown[]): Promise<void> {
  await Promise.all(
    ['oauth_grants', 'oauth_consents', 'oauth_user_codes'].map((name) => collection(name).deleteMany({})),
  );
  await collection('oauth_clients').deleteMany({ _id: { $nin: clients as never[] } });
}

/** So that a failure can be reproduced. */
function naming<Value>({ name }: Endpoint, round: number, work: () => Value): Value {
  try {
    return work();
  } catch (cause) {
    throw new Error(`seed ${SEED}, ${name}, round ${round}`, { cause });
  }
}
