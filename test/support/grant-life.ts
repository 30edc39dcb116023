import { expect } from '@jest/globals';
import fc from 'fast-check';
import request from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { letPass } from './clock.js';
import { createPerson, locationOf, type Person } from './person.js';
import { REDIRECT_URI, type Site } from './site.js';
import { basic, callApi, redeem, tokenRequest } from './tokens.js';

/** In seconds. Short, so that each of them is over within a few steps. */
export const LIVES = {
  lifetimes: { authorizationCode: 60, accessToken: 600, refreshToken: 7200 },
  advanced: { clientCacheTtl: 50 },
};
/** The number of access tokens of a grant; the oldest goes first. */
const MAX_ACCESS_TOKENS = 10;
const ALL = ['photos:read', 'profile'];
export const PEOPLE = ['ada', 'grace'] as const;

/** The real system: two servers of one site, on one database, and the users who are logged in at both. */
export interface Real {
  readonly sites: readonly [Site, Site];
  readonly people: Readonly<Record<string, readonly [Person, Person]>>;
  /** The clients of this run. */
  readonly clients: ClientWithSecret[];
  readonly deleted: ClientWithSecret[];
  /** Seconds since the run began. */
  now: number;
}

interface ModelToken {
  readonly token: string;
  readonly expiresAt: number;
}

/** A grant as the RFCs describe it. */
interface ModelGrant {
  readonly client: number;
  readonly clientId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly code: ModelToken;
  isCodeUsed: boolean;
  isRevoked: boolean;
  accessTokens: ModelToken[];
  /** All issued ones. */
  readonly everyAccessToken: string[];
  /** The last is the current one. */
  readonly refreshTokens: ModelToken[];
}

interface ModelClient {
  scopes: readonly string[];
  /** The place and time of its change, because another process may cache its earlier state for a while. */
  changed?: { readonly by: number; readonly at: number; readonly before: readonly string[] };
}

/** The expected state. */
export interface Model {
  readonly clients: ModelClient[];
  readonly grants: ModelGrant[];
  /** The consents of users, by `userId clientId`. */
  readonly consents: Map<string, Set<string>>;
}

type Step = fc.AsyncCommand<Model, Real>;
type Process = 0 | 1;

const PROCESSES = [0, 1] as const;

export async function openPeople(sites: Real['sites']): Promise<Real['people']> {
  const entries = PEOPLE.map(async (name) => {
    const agents = sites.map((site) => createPerson(site)) as unknown as readonly [Person, Person];
    for (const person of agents) await person.logIn(name);
    return [name, agents] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

export async function begin(
  sites: Real['sites'],
  people: Real['people'],
): Promise<{ model: Model; real: Real }> {
  // otherwise each step would see documents of earlier lives
  for (const name of ['oauth_grants', 'oauth_consents', 'oauth_clients'])
    await sites[0].database.collection(name).deleteMany({});
  const clients = [await sites[0].client({ scopes: ALL }), await sites[0].client({ scopes: ALL })];
  return {
    model: { clients: clients.map(() => ({ scopes: ALL })), grants: [], consents: new Map() },
    real: { sites, people, clients, deleted: [], now: 0 },
  };
}

/** A user lets a client in; `prompt=none` asks nobody, and depends on earlier consents. */
const give = (index: number, userId: string, by: Process, isSilent: boolean): Step => ({
  check: () => true,
  async run(model, real) {
    const { clientId } = at(real.clients, index);
    const { scopes } = at(model.clients, index);
    const person = at(real.people[userId] ?? [], by);
    const allowed = model.consents.get(`${userId} ${clientId}`) ?? new Set();
    const query = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      scope: scopes.join(' '),
    };
    if (isSilent && !scopes.every((scope) => allowed.has(scope))) {
      const location = locationOf(await person.openAuthorize({ ...query, prompt: 'none' }));
      // a client without a consent gets the same answer as for an anonymous visitor
      const expected = allowed.size === 0 ? 'login_required' : 'consent_required';
      expect(location.searchParams.get('error')).toBe(expected);
      return;
    }
    const location = isSilent
      ? locationOf(await person.openAuthorize({ ...query, prompt: 'none' }))
      : await person.authorize(query);
    const code = location.searchParams.get('code');
    if (code === null) throw new Error(`no code: ${location.href}`);
    model.consents.set(`${userId} ${clientId}`, new Set([...allowed, ...scopes]));
    model.grants.push({
      client: index % real.clients.length,
      clientId,
      userId,
      scopes,
      code: { token: code, expiresAt: real.now + LIVES.lifetimes.authorizationCode },
      isCodeUsed: false,
      isRevoked: false,
      accessTokens: [],
      everyAccessToken: [],
      refreshTokens: [],
    });
  },
  toString: () => `${userId} lets client ${index} in at ${by}${isSilent ? ', silently' : ''}`,
});

/** A step with one of the grants and its client, or that client's successor if it was deleted. */
const withGrant = (
  name: string,
  index: number,
  work: (grant: ModelGrant, client: ClientWithSecret, real: Real, model: Model) => Promise<void>,
): Step => ({
  check: ({ grants }) => grants.length > 0,
  async run(model, real) {
    const grant = at(model.grants, index);
    await work(grant, at(real.clients, grant.client), real, model);
  },
  toString: () => `${name} of grant ${index}`,
});

/** RFC 6749 §4.1.2: a code works once; a second use ends the tokens of the first. */
const redeemCode = (index: number, by: Process): Step =>
  withGrant(`code at ${by}`, index, async (grant, client, real) => {
    const { status, body } = await redeem(real.sites[by], client, grant.code.token);
    if (isRedeemable(grant, client, real.now)) {
      expect(status).toBe(200);
      grant.isCodeUsed = true;
      keep(grant, body as Tokens, real.now);
      return;
    }
    expect([status, (body as { error?: string }).error]).toEqual([400, 'invalid_grant']);
    if (client.clientId === grant.clientId && grant.isCodeUsed) grant.isRevoked = true;
  });

/** The same at both processes at once: only one succeeds, and once both have answered, none of its tokens is alive. */
const redeemAtOnce = (index: number): Step =>
  withGrant('code at both', index, async (grant, client, real) => {
    const answers = await Promise.all(real.sites.map((site) => redeem(site, client, grant.code.token)));
    const served = answers.filter(({ status }) => status === 200);
    expect(served).toHaveLength(isRedeemable(grant, client, real.now) ? 1 : 0);
    for (const { body } of served) keep(grant, body as Tokens, real.now);
    if (served.length > 0) grant.isCodeUsed = true;
    if (client.clientId === grant.clientId && grant.isCodeUsed) grant.isRevoked = true;
  });

/** RFC 6749 §6, RFC 9700 §4.14.2: the current one is replaced; an earlier one ends the grant. */
const refresh = (index: number, by: Process, age: number): Step =>
  withGrant(`refresh token ${age} before the last at ${by}`, index, async (grant, client, real, model) => {
    const refreshToken = grant.refreshTokens.at(-1 - (age % Math.max(grant.refreshTokens.length, 1)));
    if (refreshToken === undefined) return;
    const { status, body } = await postRefresh(real.sites[by], client, refreshToken.token);
    const isCurrent = refreshToken === grant.refreshTokens.at(-1);
    if (!isCurrent || !isRefreshable(grant, client, real.now)) {
      expect([status, (body as { error?: string }).error]).toEqual([400, 'invalid_grant']);
      if (client.clientId === grant.clientId && !isCurrent) grant.isRevoked = true;
      return;
    }
    const { scopes, changed } = at(model.clients, grant.client);
    const mayBeOld =
      changed !== undefined && changed.by !== by && real.now < changed.at + LIVES.advanced.clientCacheTtl;
    const possible = [scopes, ...(mayBeOld ? [changed.before] : [])].map((granted) =>
      grant.scopes.filter((scope) => granted.includes(scope)).join(' '),
    );
    expect(status).toBe(200);
    expect(possible).toContain((body as Tokens).scope);
    keep(grant, body as Tokens, real.now);
  });

const refreshAtOnce = (index: number): Step =>
  withGrant('refresh token at both', index, async (grant, client, real) => {
    const refreshToken = grant.refreshTokens.at(-1);
    if (refreshToken === undefined) return;
    const answers = await Promise.all(
      real.sites.map((site) => postRefresh(site, client, refreshToken.token)),
    );
    const served = answers.filter(({ status }) => status === 200);
    const isServed = isRefreshable(grant, client, real.now);
    expect(served).toHaveLength(isServed ? 1 : 0);
    for (const { body } of served) keep(grant, body as Tokens, real.now);
    if (isServed) grant.isRevoked = true;
  });

/** The client redeems its code, or its last refresh token, at the other process while the grant ends at this one. */
async function useBeside(
  grant: ModelGrant,
  client: ClientWithSecret,
  real: Real,
  by: Process,
): Promise<void> {
  const other = real.sites[by === 0 ? 1 : 0];
  const { status, body } = grant.isCodeUsed
    ? await postRefresh(other, client, grant.refreshTokens.at(-1)?.token ?? 'none')
    : await redeem(other, client, grant.code.token);
  if (status !== 200) return expect([400, 401]).toContain(status);
  grant.isCodeUsed = true;
  keep(grant, body as Tokens, real.now);
}

/** RFC 7009 §2.1: an access token ends alone, a refresh token with its grant. */
const revoke = (index: number, by: Process, which: number, isRefreshToken: boolean, isRaced: boolean): Step =>
  withGrant(
    `revocation of ${isRefreshToken ? 'refresh' : 'access'} token ${which} at ${by}${isRaced ? ', during a use' : ''}`,
    index,
    async (grant, client, real) => {
      const tokens = isRefreshToken ? grant.refreshTokens.map(({ token }) => token) : grant.everyAccessToken;
      if (tokens.length === 0) return;
      const token = at(tokens, which);
      const isOwn = client.clientId === grant.clientId;
      const [{ status }] = await Promise.all([
        postRevocation(real.sites[by], client, token),
        isRaced && isOwn && isRefreshToken && useBeside(grant, client, real, by),
      ]);
      expect(status).toBe(isOwn ? 200 : 400);
      if (!isOwn) return;
      if (isRefreshToken) grant.isRevoked = true;
      else grant.accessTokens = grant.accessTokens.filter((each) => each.token !== token);
    },
  );

/** The user disconnects the client, which may be asking for tokens at that very moment. */
const disconnect = (index: number, by: Process, isRaced: boolean): Step =>
  withGrant(
    `disconnection at ${by}${isRaced ? ', during a use' : ''}`,
    index,
    async (grant, client, real, model) => {
      const { userId, clientId } = grant;
      await Promise.all([
        real.sites[by].oauth.grants.revoke({ userId, clientId }),
        isRaced && useBeside(grant, client, real, by),
      ]);
      end(model, (each) => each.userId === userId && each.clientId === clientId);
      model.consents.delete(`${userId} ${clientId}`);
    },
  );

/** The client is deleted, perhaps while it uses its last grant, and another one takes its place. */
const deleteClient = (index: number, by: Process, isRaced: boolean): Step => ({
  check: () => true,
  async run(model, real) {
    const place = index % real.clients.length;
    const client = at(real.clients, place);
    const last = model.grants.filter(({ clientId }) => clientId === client.clientId).at(-1);
    const [isDeleted] = await Promise.all([
      real.sites[by].oauth.clients.delete(client.clientId),
      isRaced && last !== undefined && useBeside(last, client, real, by),
    ]);
    expect(isDeleted).toBe(true);
    end(model, ({ clientId }) => clientId === client.clientId);
    for (const userId of PEOPLE) model.consents.delete(`${userId} ${client.clientId}`);
    real.deleted.push(client);
    real.clients[place] = await real.sites[by].client({ scopes: ALL });
    model.clients[place] = { scopes: ALL };
  },
  toString: () => `client ${index} is deleted at ${by}`,
});

/** A deleted client comes back, with its secret and all its tokens. */
const comeBack = (index: number, by: Process): Step =>
  withGrant(`return of the deleted client at ${by}`, index, async (grant, _client, real) => {
    const client = real.deleted.find(({ clientId }) => clientId === grant.clientId);
    if (client === undefined) return;
    const refreshToken = grant.refreshTokens.at(-1)?.token ?? 'none';
    const answers = [
      await redeem(real.sites[by], client, grant.code.token),
      await postRefresh(real.sites[by], client, refreshToken),
      await tokenRequest(real.sites[by], client, { grant_type: 'client_credentials' }),
    ];
    for (const { status } of answers) expect([400, 401]).toContain(status);
  });

/** Another client has got hold of everything, and can neither use nor end it (RFC 6749 §4.1.3, §6, RFC 7009 §2.1). */
const tryAsAnother = (index: number, by: Process): Step =>
  withGrant(`another client at ${by}`, index, async (grant, _client, real) => {
    const other = real.clients.find(({ clientId }) => clientId !== grant.clientId);
    if (other === undefined) return;
    const refreshTokens = grant.refreshTokens.map(({ token }) => token);
    const answers = [
      await redeem(real.sites[by], other, grant.code.token),
      await postRefresh(real.sites[by], other, refreshTokens.at(-1) ?? 'none'),
    ];
    for (const token of [...refreshTokens, ...grant.everyAccessToken])
      answers.push(await postRevocation(real.sites[by], other, token));
    for (const { status, body } of answers)
      expect([status, (body as { error?: string }).error]).toEqual([400, 'invalid_grant']);
  });

/** The allowed scopes of the client become fewer, or more again. */
const changeScopes = (index: number, by: Process, isLess: boolean): Step => ({
  check: () => true,
  async run(model, real) {
    const scopes = isLess ? ['profile'] : ALL;
    const client = at(model.clients, index);
    await real.sites[by].oauth.clients.update(at(real.clients, index).clientId, { scopes });
    // after two changes within the life of cached clients, an older state may still be cached
    client.changed = { by, at: real.now, before: isLess ? ALL : client.scopes };
    client.scopes = scopes;
  },
  toString: () => `client ${index} may do ${isLess ? 'less' : 'all'}, said at ${by}`,
});

const pass = (seconds: number): Step => ({
  check: () => true,
  run(_model, real) {
    letPass(seconds);
    real.now += seconds;
    return Promise.resolve();
  },
  toString: () => `${seconds} s pass`,
});

/** A token is alive if and only if the model says so. */
const look = (index: number, by: Process): Step =>
  withGrant(`look at ${by}`, index, (grant, _client, real) => lookAt(grant, real, by));

async function lookAt(grant: ModelGrant, real: Real, by: Process): Promise<void> {
  for (const token of grant.everyAccessToken) {
    const { status } = await callApi(real.sites[by], token);
    const isLive =
      !grant.isRevoked &&
      grant.accessTokens.some((each) => each.token === token && each.expiresAt > real.now);
    expect(status).toBe(isLive ? 200 : 401);
  }
}

export async function lookAtAll(model: Model, real: Real): Promise<void> {
  for (const grant of model.grants) for (const by of PROCESSES) await lookAt(grant, real, by);
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

const at = <Value>(values: readonly Value[], index: number): Value => values[index % values.length] as Value;

const isRedeemable = (grant: ModelGrant, { clientId }: ClientWithSecret, now: number): boolean =>
  clientId === grant.clientId && !grant.isRevoked && !grant.isCodeUsed && grant.code.expiresAt > now;

const isRefreshable = (grant: ModelGrant, { clientId }: ClientWithSecret, now: number): boolean =>
  clientId === grant.clientId && !grant.isRevoked && (grant.refreshTokens.at(-1)?.expiresAt ?? 0) > now;

function keep(grant: ModelGrant, tokens: Tokens, now: number): void {
  const stored = [
    ...grant.accessTokens,
    { token: tokens.access_token, expiresAt: now + LIVES.lifetimes.accessToken },
  ];
  grant.accessTokens = stored.slice(-MAX_ACCESS_TOKENS);
  grant.everyAccessToken.push(tokens.access_token);
  grant.refreshTokens.push({ token: tokens.refresh_token, expiresAt: now + LIVES.lifetimes.refreshToken });
}

function end(model: Model, which: (grant: ModelGrant) => boolean): void {
  for (const grant of model.grants.filter(which)) grant.isRevoked = true;
}

const postRefresh = (site: Site, client: ClientWithSecret, refreshToken: string) =>
  tokenRequest(site, client, { grant_type: 'refresh_token', refresh_token: refreshToken });

const postRevocation = (site: Site, { clientId, clientSecret = '' }: ClientWithSecret, token: string) =>
  request(site.server)
    .post('/oauth/revoke')
    .set('Authorization', basic(clientId, clientSecret))
    .type('form')
    .send({ token });

const process = fc.constantFrom<Process>(...PROCESSES);
const index = fc.nat(3);

export const STEPS: readonly fc.Arbitrary<Step>[] = [
  fc.tuple(fc.nat(1), fc.constantFrom(...PEOPLE), process, fc.boolean()).map((values) => give(...values)),
  fc.tuple(index, process).map((values) => redeemCode(...values)),
  index.map(redeemAtOnce),
  fc.tuple(index, process, fc.constantFrom(0, 0, 0, 1, 2)).map((values) => refresh(...values)),
  index.map(refreshAtOnce),
  fc.tuple(index, process, fc.nat(3), fc.boolean(), fc.boolean()).map((values) => revoke(...values)),
  fc.tuple(index, process, fc.boolean()).map((values) => disconnect(...values)),
  fc.tuple(fc.nat(1), process, fc.boolean()).map((values) => deleteClient(...values)),
  fc.tuple(index, process).map((values) => comeBack(...values)),
  fc.tuple(index, process).map((values) => tryAsAnother(...values)),
  fc.tuple(fc.nat(1), process, fc.boolean()).map((values) => changeScopes(...values)),
  fc.constantFrom(1, 61, 601, 7201).map(pass),
  fc.tuple(index, process).map((values) => look(...values)),
];
