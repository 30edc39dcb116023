import { afterAll, beforeAll, expect } from '@jest/globals';
import fc from 'fast-check';
import { decodeJwt } from 'jose';

import type { ClientWithSecret } from '../../lib/index.js';
import { IS_LONG } from '../support/long-run.js';
import { holds } from '../support/properties.js';
import { openSite, SCOPES, type Site } from '../support/site.js';
import { exchange, exchanger, handingOn } from '../support/token-exchange.js';
import { callApi } from '../support/tokens.js';

const NAMES = Object.keys(SCOPES);
const MAX_DEPTH = 3;
/** Each is a dozen requests. */
const CHAINS = IS_LONG ? 10_000 : 60;

let site: Site;
let others: ClientWithSecret[];
let photos: ClientWithSecret;

beforeAll(async () => {
  site = await openSite({
    tokenExchange: { maxDepth: MAX_DEPTH },
    accessTokenFormat: 'jwt',
    rateLimits: false,
  });
  others = await Promise.all(['Print', 'Binder', 'Courier'].map((name) => exchanger(site, { name })));
  photos = await handingOn(site, others);
});
afterAll(() => site.close());

interface Hop {
  /** Which of the tokens so far is exchanged. */
  readonly of: number;
  readonly by: number;
  readonly scopes: readonly string[] | undefined;
}

interface Made {
  readonly token: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
  readonly depth: number;
  readonly actors: readonly string[];
}

const hop = (): fc.Arbitrary<Hop> =>
  fc.record({
    of: fc.nat(4),
    by: fc.nat(2),
    scopes: fc.option(fc.subarray(NAMES, { minLength: 1 }), { nil: undefined }),
  });

let people = 0;

/** A grant of a new person, with the token that it begins with. */
async function begin(scopes: readonly string[]): Promise<{ readonly userId: string; readonly first: Made }> {
  people += 1;
  const userId = `person ${people}`;
  const { accessToken: token } = await site.oauth.grants.create({
    clientId: photos.clientId,
    userId,
    scopes: [...scopes],
  });
  return { userId, first: describeToken(token, 0) };
}

function describeToken(token: string, depth: number): Made {
  const { scope = '', exp = 0, act } = decodeJwt<{ scope?: string; act?: object }>(token);
  return { token, scopes: scope.split(' '), expiresAt: exp, depth, actors: actorsIn(act) };
}

function actorsIn(act: unknown): string[] {
  if (act === undefined) return [];
  const { sub, act: next } = act as { readonly sub: string; readonly act?: unknown };
  return [sub, ...actorsIn(next)];
}

async function take(made: readonly Made[], { of, by, scopes }: Hop): Promise<Made | undefined> {
  const from = made[of % made.length]!;
  const client = others[by]!;
  const response = await exchange(site, client, from.token, { scope: scopes?.join(' ') });
  const isPossible =
    scopes?.every((scope) => from.scopes.includes(scope)) !== false && from.depth < MAX_DEPTH;
  expect(response.status).toBe(isPossible ? 200 : 400);
  if (!isPossible) return undefined;
  const next = describeToken((response.body as { access_token: string }).access_token, from.depth + 1);
  expect(next.scopes.every((scope) => from.scopes.includes(scope))).toBe(true);
  expect(next.expiresAt).toBeLessThanOrEqual(from.expiresAt);
  // a client that narrows its own token is not named twice
  const actors = from.actors[0] === client.clientId ? from.actors : [client.clientId, ...from.actors];
  expect(next.actors).toEqual(actors);
  return next;
}

holds(
  'a chain of exchanges never widens, and nothing of it survives its grant',
  [fc.subarray(NAMES, { minLength: 1 }), fc.array(hop(), { minLength: 1, maxLength: 4 })],
  async (scopes, hops) => {
    const { userId, first } = await begin(scopes);
    const made = [first];
    for (const each of hops) made.push(...[(await take(made, each)) ?? []].flat());
    const last = made.at(-1)!;
    expect((await callApi(site, last.token)).body).toMatchObject({ userId });
    await site.oauth.grants.revoke({ userId });
    for (const { token } of made) expect((await callApi(site, token)).status).toBe(401);
    const after = await exchange(site, others[0]!, last.token);
    expect(after.status).toBe(400);
  },
  CHAINS,
);
