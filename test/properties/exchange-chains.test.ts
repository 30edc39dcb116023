import { afterAll, beforeAll, expect } from '@jest/globals';
import fc from 'fast-check';
import { decodeJwt } from 'jose';

import type { ClientWithSecret } from '../../lib/index.js';
import { DETAIL_TYPES } from '../support/authorization-details.js';
import { IS_LONG, reportProgress } from '../support/long-run.js';
import { holds } from '../support/properties.js';
import { SCOPES } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { exchange, exchanger, handingOn } from '../support/token-exchange.js';
import { callApi } from '../support/tokens.js';

const NAMES = Object.keys(SCOPES);
const ACTIONS = ['list', 'balances', 'transactions'];
/** Undefined: the API of the site. */
const RESOURCES = [undefined, 'https://albums.example', 'https://prints.example'];
const MAX_DEPTH = 3;
const AT_ONCE = 10;
/** Each is a dozen requests. */
const CHAINS = Number(process.env.CHAINS ?? (IS_LONG ? 10_000 : 60));
const seen = { chains: 0, deepest: 0, exchanged: 0, refused: 0 };

let others: ClientWithSecret[];
let photos: ClientWithSecret;

const site = siteFor({
  tokenExchange: true,
  tokens: { accessTokenFormat: 'jwt' },
  security: { rateLimits: false },
  authorizationDetails: { accounts: DETAIL_TYPES.accounts, budget: DETAIL_TYPES.budget },
  resources: { 'https://albums.example': {}, 'https://prints.example': {} },
});
beforeAll(async () => {
  others = await Promise.all(['Print', 'Binder', 'Courier'].map((name) => exchanger(site, { name })));
  photos = await handingOn(site, others);
});
const stopTelling = reportProgress(() => JSON.stringify(seen));
afterAll(() => {
  stopTelling();
  if (IS_LONG) console.info(JSON.stringify(seen));
  // most exchanges succeed, or nothing would be tested
  expect(seen.exchanged).toBeGreaterThan(seen.refused);
});

interface Detail {
  readonly type: string;
  readonly actions?: readonly string[];
  readonly upTo?: number;
}

/** The rights of a token. */
interface Extent {
  readonly scopes: readonly string[];
  readonly details: readonly Detail[];
  readonly resource: string | undefined;
}

/** The parameters of an exchange; undefined: absent. */
interface Desired {
  readonly scopes: readonly string[] | undefined;
  readonly details: readonly Detail[] | undefined;
  readonly resource: string | undefined;
}

interface Hop extends Desired {
  /** The index of the token to exchange. */
  readonly of: number;
  readonly by: number;
  /** Whether it asks for no more than the rights of the token. */
  readonly isWithin: boolean;
}

interface Made extends Extent {
  readonly token: string;
  readonly expiresAt: number;
  readonly depth: number;
  readonly actors: readonly string[];
}

const scopes = () => fc.subarray(NAMES, { minLength: 1 });
const detail = (): fc.Arbitrary<Detail> =>
  fc.oneof(
    fc.subarray(ACTIONS, { minLength: 1 }).map((actions) => ({ type: 'accounts', actions })),
    fc.integer({ min: 1, max: 4 }).map((upTo) => ({ type: 'budget', upTo })),
  );
const details = (minLength: number) =>
  fc.uniqueArray(detail(), { minLength, maxLength: 2, selector: ({ type }) => type });
const extent = (): fc.Arbitrary<Extent> =>
  fc.record({ scopes: scopes(), details: details(0), resource: fc.constantFrom(...RESOURCES) });
const hop = (): fc.Arbitrary<Hop> =>
  fc.record({
    of: fc.nat(5),
    by: fc.nat(2),
    isWithin: fc.integer({ min: 1, max: 6 }).map((die) => die < 6),
    scopes: fc.option(scopes(), { nil: undefined }),
    details: fc.option(details(1), { nil: undefined }),
    resource: fc.constantFrom(undefined, ...RESOURCES),
  });

let people = 0;

/** A grant of a new user, with its first token. */
async function begin({
  scopes: granted,
  details: authorizationDetails,
  resource,
}: Extent): Promise<{ readonly userId: string; readonly first: Made }> {
  people += 1;
  const userId = `person ${people}`;
  const { accessToken: token } = await site.oauth.grants.create({
    clientId: photos.clientId,
    userId,
    scopes: [...granted],
    ...(resource !== undefined && { resource }),
    ...(authorizationDetails.length > 0 && { authorizationDetails }),
  });
  const first = describeToken(token, 0);
  expect(first).toMatchObject({ resource, details: authorizationDetails });
  return { userId, first };
}

function describeToken(token: string, depth: number): Made {
  const claims = decodeJwt<{ scope?: string; act?: object; authorization_details?: readonly Detail[] }>(
    token,
  );
  const { scope = '', exp = 0, aud, act, authorization_details: given = [] } = claims;
  const [audience] = [aud ?? []].flat();
  return {
    token,
    scopes: scope.split(' '),
    details: given,
    resource: audience === site.url ? undefined : audience,
    expiresAt: exp,
    depth,
    actors: actorsIn(act),
  };
}

function actorsIn(act: unknown): string[] {
  if (act === undefined) return [];
  const { sub, act: next } = act as { readonly sub: string; readonly act?: unknown };
  return [sub, ...actorsIn(next)];
}

/** Whether a detail equals one of the others, or is less. */
function isWithin({ type, actions = [], upTo = 0 }: Detail, others: readonly Detail[]): boolean {
  return others.some(
    (other) =>
      other.type === type &&
      actions.every((action) => other.actions?.includes(action)) &&
      upTo <= (other.upTo ?? 0),
  );
}

/** The part of it within the rights of the token. */
function narrowed({ scopes: named, details: requested, resource }: Desired, from: Made): Desired {
  const left = named?.filter((scope) => from.scopes.includes(scope)) ?? [];
  const less = requested?.flatMap((each) => withinOf(each, from.details)) ?? [];
  return {
    scopes: left.length > 0 ? left : undefined,
    details: less.length > 0 ? less : undefined,
    resource: resource && from.resource,
  };
}

function withinOf({ type, actions = [], upTo = 0 }: Detail, others: readonly Detail[]): readonly Detail[] {
  const other = others.find((each) => each.type === type);
  if (other === undefined) return [];
  if (other.upTo !== undefined) return [{ type, upTo: Math.min(upTo, other.upTo) }];
  const left = actions.filter((action) => other.actions?.includes(action));
  return left.length > 0 ? [{ type, actions: left }] : [other];
}

function isPossible({ scopes: named, details: requested, resource }: Desired, from: Made): boolean {
  return (
    from.depth < MAX_DEPTH &&
    named?.every((scope) => from.scopes.includes(scope)) !== false &&
    requested?.every((each) => isWithin(each, from.details)) !== false &&
    (resource === undefined || resource === from.resource)
  );
}

async function take(made: readonly Made[], given: Hop): Promise<Made | undefined> {
  const from = made[given.of % made.length]!;
  const client = others[given.by]!;
  const desired = given.isWithin ? narrowed(given, from) : given;
  const response = await exchange(site, client, from.token, {
    scope: desired.scopes?.join(' '),
    resource: desired.resource,
    ...(desired.details && { authorization_details: JSON.stringify(desired.details) }),
  });
  const possible = isPossible(desired, from);
  expect([response.status, response.body.error ?? '']).toEqual([
    possible ? 200 : 400,
    possible ? '' : expect.stringMatching(/^invalid_(request|scope|target|authorization_details)$/),
  ]);
  if (!possible) return undefined;
  const next = describeToken((response.body as { access_token: string }).access_token, from.depth + 1);
  expect(next.scopes.every((scope) => from.scopes.includes(scope))).toBe(true);
  expect(next.details.every((each) => isWithin(each, from.details))).toBe(true);
  expect(next.details).toEqual(desired.details ?? from.details);
  expect(next.resource).toBe(from.resource);
  expect(next.expiresAt).toBeLessThanOrEqual(from.expiresAt);
  // a client that narrows its token is not named twice
  const actors = from.actors[0] === client.clientId ? from.actors : [client.clientId, ...from.actors];
  expect(next.actors).toEqual(actors);
  return next;
}

const chain = (): fc.Arbitrary<readonly [Extent, readonly Hop[]]> =>
  fc.tuple(extent(), fc.array(hop(), { minLength: 1, maxLength: 6 }));
/** Chains of several users at once, as in a site. */
const chains = () => fc.tuple(...Array.from({ length: AT_ONCE }, chain));

async function follow([granted, hops]: readonly [Extent, readonly Hop[]]): Promise<void> {
  const { userId, first } = await begin(granted);
  const made = [first];
  for (const each of hops) made.push(...[(await take(made, each)) ?? []].flat());
  for (const { token, resource } of made.slice(-1))
    if (resource === undefined) expect((await callApi(site, token)).body).toMatchObject({ userId });
  await site.oauth.grants.revoke({ userId });
  await Promise.all(made.map(expectDead));
  seen.chains += 1;
  seen.deepest += Number(made.some(({ depth }) => depth === MAX_DEPTH));
  seen.exchanged += made.length - 1;
  seen.refused += hops.length + 1 - made.length;
}

async function expectDead({ token, resource }: Made): Promise<void> {
  if (resource === undefined) expect((await callApi(site, token)).status).toBe(401);
  expect((await exchange(site, others[0]!, token)).status).toBe(400);
}

holds(
  'a chain of exchanges never widens scopes, details, resource or time, and ends with its grant',
  [chains()],
  async (all) => {
    await Promise.all(all.map(follow));
  },
  CHAINS / AT_ONCE,
);
