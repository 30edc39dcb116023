import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import request, { type Response } from 'supertest';

import { carryText, peekCarriedText } from '../../lib/core/http/carried-text.js';
import { answerLogout, isLoggedIn, openLogout, signIn } from '../support/logout.js';
import { parameterNames } from '../support/parameter-names.js';
import {
  createPerson,
  formatQuery,
  hiddenFields,
  pendingRequestOf,
  type Person,
  postForm,
  type Query,
  tickedScopes,
} from '../support/person.js';
import { holds } from '../support/properties.js';
import {
  address,
  AFTER_LOGOUT,
  type Circumstances,
  count,
  elsewhere,
  expectLeads,
  expectReached,
  isOnSite,
  type Kind,
  KINDS,
  leadsOf,
  logIn,
  mostly,
  openWorlds,
  pkce,
  rarely,
  REGISTERED,
  spoofed,
  type Target,
  UNVERIFIED,
  type World,
} from '../support/redirects.js';
import { type Route, routesOf } from '../support/routes.js';
import type { Site } from '../support/site.js';
import { fixture } from '../support/site-for.js';
import { NAVIGATION } from '../support/visitor.js';

/**
 * Every redirect of a page, whatever an attacker writes into the request: it leads to this site, or to a registered URI
 * of the client, and only to a client to which the user may go without a click. The test states this rule once more,
 * apart from the code. (RFC 9700 §4.1.3, §4.11)
 */

const stage = fixture(openWorlds);

const authorizationRequest = fc.record({
  world: fc.nat(1),
  isLoggedIn: fc.boolean(),
  kind: fc.constantFrom(...KINDS),
  address: address(REGISTERED),
  second: rarely(elsewhere(REGISTERED)),
  prompt: mostly<string | undefined>(undefined, 'none', 'none', 'login', 'consent', 'none login', 'x'),
  responseType: mostly<string | undefined>('code', 'token', 'id_token', 'x', undefined),
  scope: mostly<string | undefined>('photos:read', 'openid photos:read', 'everything', undefined),
  responseMode: mostly<string | undefined>(undefined, 'query', 'fragment', 'form_post', 'x'),
  hasChallenge: mostly(true, false),
  state: fc.oneof(fc.constant('xyz'), elsewhere(REGISTERED)),
  delivery: fc.constantFrom('query', 'query', 'form', 'pushed'),
  headers: spoofed(),
  decision: fc.constantFrom('allow', 'deny'),
  tampered: rarely(elsewhere(REGISTERED)),
});
type AuthorizationRequest = typeof authorizationRequest extends fc.Arbitrary<infer Value> ? Value : never;

/** Where an unverified client gets its answer by a link, or directly: in each world, logged in and not. */
const unverifiedRequests = [0, 1].flatMap((world) =>
  [true, false].flatMap((isLoggedIn) =>
    ([undefined, 'none', 'x'] as const).map((prompt): [AuthorizationRequest] => [
      {
        world,
        isLoggedIn,
        kind: 'self-registered',
        address: REGISTERED,
        second: undefined,
        prompt,
        responseType: 'code',
        scope: 'photos:read',
        responseMode: undefined,
        hasChallenge: true,
        state: 'xyz',
        delivery: 'query',
        headers: {},
        decision: 'deny',
        tampered: undefined,
      },
    ]),
  ),
);

function queryOf({ redirectUri, clientId }: Target, given: AuthorizationRequest): Query {
  const { address: named, prompt, responseType, scope, responseMode, hasChallenge, state } = given;
  return {
    client_id: clientId,
    redirect_uri: named === REGISTERED ? redirectUri : named,
    response_type: responseType,
    response_mode: responseMode,
    nonce: 'n',
    scope,
    prompt,
    state,
    ...(hasChallenge && pkce.challenge),
  };
}

/** The first answer of the authorization endpoint; a form and a pushed request lead to a GET. */
async function openRequest(
  { site }: World,
  { agent }: Person,
  { query, given }: { readonly query: Query; readonly given: AuthorizationRequest },
): Promise<readonly Response[]> {
  const { delivery, headers, second } = given;
  const again = second === undefined ? '' : `&${formatQuery({ redirect_uri: second })}`;
  if (delivery === 'form') {
    const sent = await agent
      .post('/oauth/authorize')
      .set(headers)
      .type('form')
      .send(`${formatQuery(query)}${again}`);
    const { location } = sent.headers as { location?: string };
    return location?.startsWith('/oauth/') === true ? [sent, await agent.get(location).set(headers)] : [sent];
  }
  if (delivery === 'query')
    return [await agent.get(`/oauth/authorize?${formatQuery(query)}${again}`).set(headers)];
  const pushed = await postForm(request(site.server), '/oauth/par', `${formatQuery(query)}${again}`);
  const { request_uri: requestUri } = pushed.body as { request_uri?: string };
  if (requestUri === undefined) return [pushed];
  // RFC 9126 §4: only the pushed parameters count
  const link = { client_id: query.client_id, request_uri: requestUri, redirect_uri: second };
  return [await agent.get(`/oauth/authorize?${formatQuery(link)}`).set(headers)];
}

/** Answers a consent page, with another request in the place of its request. */
async function answerPage(
  { agent }: Person,
  page: Response,
  { decision, tampered, headers }: AuthorizationRequest,
): Promise<readonly Response[]> {
  const fields = hiddenFields(page);
  const changed = new URLSearchParams(pendingRequestOf(page));
  if (tampered !== undefined) changed.set('redirect_uri', tampered);
  const sent = await agent
    .post('/oauth/authorize')
    .set(headers)
    .type('form')
    .send({
      ...fields,
      authorization_request: carryText(changed.toString()),
      ...(tampered !== undefined && { redirect_uri: tampered, return_to: tampered }),
      granted_scope: tickedScopes(page),
      decision,
    });
  const { location } = sent.headers as { location?: string };
  return location?.startsWith('/oauth/') === true ? [sent, await agent.get(location).set(headers)] : [sent];
}

describe('the authorization endpoint', () => {
  holds<[AuthorizationRequest]>(
    'the authorization endpoint redirects to this site or a registered URI, without a click only if allowed',
    [authorizationRequest],
    expectRightLeads,
    undefined,
    unverifiedRequests,
  );

  async function expectRightLeads(given: AuthorizationRequest): Promise<void> {
    const world = stage.worlds[given.world]!;
    const target = world.targets[given.kind];
    const person = given.isLoggedIn ? world.ada : world.nobody;
    const query = queryOf(target, given);
    const circumstances: Circumstances = {
      kind: given.kind,
      registered: target.redirectUri,
      // RFC 9700 §4.11.2: an anonymous visitor first logs in, unless the request is silent
      isDue:
        (given.isLoggedIn || given.prompt?.split(' ').includes('none') === true) && given.kind !== 'pending',
      isAllowed: false,
    };
    const opened = await openRequest(world, person, { query, given });
    for (const response of opened) {
      // a stored consent gives a code without a click
      const isAllowed = /[?&#](code|access_token|id_token)=/.test(response.headers.location ?? '');
      expectLeads(world, response, {
        ...circumstances,
        isAllowed: isAllowed || /name="code"/.test(response.text ?? ''),
      });
    }
    const page = opened.at(-1)!;
    if (!(page.text ?? '').includes('id="consent-form"')) return;
    count('consent');
    for (const response of await answerPage(person, page, given))
      expectLeads(world, response, { ...circumstances, isAllowed: given.decision === 'allow' });
  }

  test('the run reached authorization redirects to both kinds of clients, direct and by a link', () =>
    expectReached('consent', 'by itself, vouched for', 'by itself, unverified', 'by link, unverified'));
});

const logoutRequest = fc.record({
  world: fc.nat(1),
  isLoggedIn: fc.boolean(),
  kind: fc.constantFrom(...KINDS),
  address: fc.oneof(
    { weight: 6, arbitrary: fc.constant<string | undefined>(AFTER_LOGOUT) },
    { weight: 2, arbitrary: elsewhere(AFTER_LOGOUT) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ),
  hint: mostly<'own' | 'none' | 'made up' | Kind>('own', 'none', 'none', 'made up', 'trusted'),
  namesClient: fc.boolean(),
  state: rarely(elsewhere(AFTER_LOGOUT)),
  method: fc.constantFrom('get', 'get', 'post'),
  answer: mostly('yes', 'no'),
  headers: spoofed(),
  tampered: rarely(elsewhere(AFTER_LOGOUT)),
});
type LogoutRequest = typeof logoutRequest extends fc.Arbitrary<infer Value> ? Value : never;

/** Where a page links to the client after a logout: in each world, logged in and not, with each answer. */
const linkedLogouts = [0, 1].flatMap((world) =>
  [true, false].flatMap((isLoggedIn) =>
    (['yes', 'no'] as const).map((answer): [LogoutRequest] => [
      {
        world,
        isLoggedIn,
        kind: 'trusted',
        address: AFTER_LOGOUT,
        hint: 'none',
        namesClient: true,
        state: undefined,
        method: 'get',
        answer,
        headers: {},
        tampered: undefined,
      },
    ]),
  ),
);

function logoutQueryOf({ targets }: World, given: LogoutRequest): Query {
  const { kind, hint, namesClient, address: named, state } = given;
  const hinted = hint === 'own' ? kind : hint;
  return {
    post_logout_redirect_uri: named,
    state,
    ...(namesClient && { client_id: targets[kind].clientId }),
    ...(hinted === 'made up'
      ? { id_token_hint: 'eyJhbGciOiJub25lIn0.eyJhdWQiOiJ4In0.' }
      : hinted !== 'none' && { id_token_hint: targets[hinted].idToken }),
  };
}

describe('the logout endpoint', () => {
  const people = new Map<World, Person>();
  /** The same user as before, unless logged out. */
  async function personLoggedIn(world: World): Promise<Person> {
    const before = people.get(world);
    const person = before !== undefined && (await isLoggedIn(before)) ? before : await logIn(world.site);
    people.set(world, person);
    return person;
  }

  holds<[LogoutRequest]>(
    'the logout endpoint redirects to this site or a registered URI, without a click only if allowed',
    [logoutRequest],
    async (given) => {
      const world = stage.worlds[given.world]!;
      const { agent } = given.isLoggedIn ? await personLoggedIn(world) : createPerson(world.site);
      const query = logoutQueryOf(world, given);
      // the user of the ID token decides, otherwise the session
      const kind = given.hint !== 'own' && given.hint in world.targets ? (given.hint as Kind) : given.kind;
      const circumstances = { kind, registered: AFTER_LOGOUT, isDue: false, isAllowed: false };
      const isHinted = query.id_token_hint !== undefined;
      const follow = async (sent: Response) => {
        const { location } = sent.headers as { location?: string };
        return location?.startsWith('/oauth/') === true ? agent.get(location).set(given.headers) : sent;
      };
      const opened =
        given.method === 'get'
          ? await agent.get(`/oauth/end_session?${formatQuery(query)}`).set(given.headers)
          : await follow(await agent.post('/oauth/end_session').set(given.headers).type('form').send(query));
      // RP-Initiated Logout §3, RFC 9700 §4.11.2
      const isUnprompted = isHinted && !given.isLoggedIn && !UNVERIFIED.includes(kind);
      expectLeads(world, opened, { ...circumstances, isDue: isUnprompted });
      if (!(opened.text ?? '').includes('name="logout_request"')) return;
      count('logout asks');
      const { logout_request: carried = '', ...fields } = hiddenFields(opened);
      const changed = new URLSearchParams(peekCarriedText(carried) ?? '');
      if (given.tampered !== undefined) changed.set('post_logout_redirect_uri', given.tampered);
      const sent = await agent
        .post('/oauth/end_session')
        .set(given.headers)
        .type('form')
        .send({ ...fields, logout_request: carryText(changed.toString()), logout: given.answer });
      expectLeads(world, sent, circumstances);
      const isDue = isHinted || given.answer === 'yes';
      // the user has answered on a page with the client's name; with the option, another click has to follow
      expectLeads(world, await follow(sent), { ...circumstances, isDue });
    },
    undefined,
    linkedLogouts,
  );

  test('the run reached logout redirects to both kinds of clients, direct and by a link', () =>
    expectReached(
      'logout asks',
      'by itself, vouched for',
      'by itself, unverified',
      'by link, vouched for',
      'by link, unverified',
    ));

  test('the logout page loads no frame of a blocked client, even one blocked after the sign-in', async () => {
    const { site } = stage.worlds[0]!;
    const person = await logIn(site);
    const uris = ['good', 'bad'].map((name) => `https://print.example/${name}`);
    const [good, bad] = await Promise.all(
      uris.map((frontchannelLogoutUri) =>
        site.client({ redirectUris: [REGISTERED], frontchannelLogoutUri, trusted: true }),
      ),
    );
    for (const client of [good!, bad!]) await signIn(site, person, client, { redirect_uri: REGISTERED });
    await site.oauth.clients.block(bad!.clientId);
    const page = await answerLogout(person, await openLogout(person));
    expect(page.text).toContain(`<iframe src="${uris[0]!}?`);
    expect(page.text).not.toContain(uris[1]);
  });
});

/** All other pages and forms of the server, and those around it, as their routers have them. */
function otherRoutes({ oauth }: Site): readonly Pick<Route, 'method' | 'path'>[] {
  const own = routesOf(oauth).filter(
    ({ endpoint }) => endpoint !== 'authorize' && endpoint !== 'end_session',
  );
  const around = ['/login', '/logout', '/oauth/language', '/', '/oauth'].flatMap((path) =>
    (['get', 'post'] as const).map((method) => ({ method, path })),
  );
  // as often as all others together
  return [...Array.from({ length: 5 }, () => around).flat(), ...own];
}

/** Usual names for the next address in frameworks, beside the parameters of this server. */
const NEXT = ['return_to', 'returnTo', 'next', 'url', 'redirect', 'redirect_to', 'continue', 'Location'];

const otherRequest = fc.record({
  world: fc.nat(1),
  isLoggedIn: fc.boolean(),
  route: fc.nat(),
  ending: rarely(elsewhere('https://print.example/callback')),
  fields: fc.dictionary(
    fc.oneof(fc.constantFrom(...NEXT), fc.constantFrom(...parameterNames())),
    elsewhere(REGISTERED),
    { minKeys: 1, maxKeys: 4 },
  ),
  returnTo: elsewhere(REGISTERED),
  hasToken: mostly(true, false),
  isInQuery: fc.boolean(),
  wayBack: rarely(elsewhere(REGISTERED)),
  headers: spoofed(),
});
type OtherRequest = typeof otherRequest extends fc.Arbitrary<infer Value> ? Value : never;

/** Each page around the server, with a login and a valid form. */
const rightRequests = Array.from({ length: 10 }, (_, route): [OtherRequest] => [
  {
    world: 0,
    isLoggedIn: true,
    route,
    ending: undefined,
    fields: { next: 'https://evil.example/' },
    returnTo: 'https://evil.example/',
    hasToken: true,
    isInQuery: false,
    wayBack: undefined,
    headers: {},
  },
]);

describe('every other page and form, with those of the login', () => {
  holds<[OtherRequest]>(
    'other pages redirect to this site alone',
    [otherRequest],
    expectOnSite,
    undefined,
    rightRequests,
  );

  async function expectOnSite(given: OtherRequest): Promise<void> {
    const world = stage.worlds[given.world]!;
    const { site } = world;
    const routes = otherRoutes(site);
    const { method, path } = routes[given.route % routes.length]!;
    const person = await personFor(world, path, given);
    const fields = {
      return_to: given.returnTo,
      ...given.fields,
      ...(await rightFields(world, path, given, person)),
    };
    const address = `${await addressOf(site, path)}${encodeURI((given.ending ?? '').replace(/\p{Cs}/gu, ''))}`;
    const query = given.isInQuery || method === 'get' ? `?${new URLSearchParams(fields).toString()}` : '';
    const sent = person.agent[method](`${address}${query}`).set({ ...NAVIGATION, ...given.headers });
    if (given.wayBack !== undefined) void sent.set('Cookie', wayBackTo(given.wayBack));
    const response = await (method === 'post' ? sent.type('form').send(fields) : sent);
    for (const { to } of leadsOf(response)) {
      if (!isOnSite(site, to)) throw new Error(`${method} ${path} leads to ${to}: ${JSON.stringify(given)}`);
      count(`from ${path}`);
      if (path.startsWith('/oauth/applications')) count('from an application');
    }
  }

  test('the run reached redirects by the login, the choice of a language and the applications', () =>
    expectReached('from /login', 'from /oauth/language', 'from an application'));
});

/** Logins and logouts do not use the session of the other runs. */
function personFor(world: World, path: string, { isLoggedIn }: OtherRequest): Person | Promise<Person> {
  if (path !== '/login' && path !== '/logout') return isLoggedIn ? world.ada : world.nobody;
  return isLoggedIn && path === '/logout' ? logIn(world.site) : createPerson(world.site);
}

/** The valid fields of a form, so that more than its first check is reached. */
async function rightFields(
  { csrfToken }: World,
  path: string,
  { hasToken }: OtherRequest,
  { agent }: Person,
): Promise<Readonly<Record<string, string>>> {
  if (!hasToken) return {};
  if (path !== '/login') return { csrf_token: csrfToken };
  const { csrf_token: token = '' } = hiddenFields(await agent.get('/login'));
  return { csrf_token: token, username: 'ada', password: 'password of ada' };
}

async function addressOf(site: Site, path: string): Promise<string> {
  if (!path.includes('/:')) return path;
  // of this user alone, because the form may delete it
  const { clientId } = await site.client({ ownerId: 'ada', redirectUris: [REGISTERED] });
  return path.replace('/:id', `/${clientId}`).replace(/:\w+/g, 'ada');
}

const wayBackTo = (path: string): string =>
  `oauth-way-back=${Math.floor(Date.now() / 1000) + 300}.${path.replace(/[^\x21-\x7e]|[",;]/g, '')}`;
