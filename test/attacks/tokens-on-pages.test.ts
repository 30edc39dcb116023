import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import request from 'supertest';

import { allEndpoints, BUILT_IN } from '../../lib/features.js';
import { DEVICE_GRANT_TYPES } from '../support/device.js';
import { hiddenFields, logInPerson } from '../support/person.js';
import { holds } from '../support/properties.js';
import { type Route, routesOf } from '../support/routes.js';
import { mountDefaultLogin, SCOPES } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { NAVIGATION } from '../support/visitor.js';

/**
 * A holder of a personal access token or a service token wants more than its rights: to make, widen or list tokens, or
 * to allow an app something. The site makes it easy: a custom strategy takes a token for its user on any page.
 */

const PAGES = allEndpoints(BUILT_IN).flatMap(({ name, isPage }) => (isPage === true ? [name] : []));
let routes: readonly Route[];
let tokens: readonly string[];
let csrfToken: string;
let ids: Readonly<Record<string, string>>;
const strangers: string[] = [];

const site = siteFor({
  personalAccessTokens: { serviceTokens: true },
  openid: { claims: (userId) => Promise.resolve({ name: userId }) },
  audit: { ttl: 86_400 },
  grantTypes: DEVICE_GRANT_TYPES,
  security: { rateLimits: false },
  mountLogin(app, passport) {
    mountDefaultLogin(app, passport);
    app.use((req, _res, next) => {
      const token = tokenIn(req.headers.authorization);
      if (req.user !== undefined || token === undefined) return next();
      site.oauth.verify(token).then(
        ({ userId: id = '' }) => {
          req.user = { id, name: `Name of ${id}` };
          strangers.push(id);
          next();
        },
        () => next(),
      );
    });
  },
});
const ada = fixture(() => logInPerson(site));
beforeAll(async () => {
  const scopes = Object.keys(SCOPES);
  const { personalAccessTokens: made } = site.oauth;
  const personal = await made.create({ userId: 'ada', name: 'Backup of Ada', scopes });
  const service = await made.create({ owners: ['ada'], name: 'Deployment', scopes });
  tokens = [personal.token, service.token];
  const { clientId } = await site.client({ ownerId: 'ada' });
  await site.oauth.grants.create({ clientId, userId: 'ada', scopes: ['profile'] });
  ids = { clientId, id: personal.id };
  routes = routesOf(site.oauth).filter(({ endpoint }) => PAGES.includes(endpoint));
  ({ csrf_token: csrfToken = '' } = hiddenFields(await ada.agent.get('/oauth/access-tokens/new')));
});

/** As strategies of hosts read a token. */
function tokenIn(authorization = ''): string | undefined {
  const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(authorization) ?? [];
  const plain = /^basic$/i.test(scheme)
    ? Buffer.from(value, 'base64')
        .toString()
        .replace(/^[^:]*:/, '')
    : value;
  return plain === '' ? undefined : plain.replace(/^token=/, '');
}

const SPELLINGS: Readonly<Record<string, (token: string) => string>> = {
  bearer: (token) => `Bearer ${token}`,
  'another case': (token) => `bEARER ${token}`,
  'two spaces': (token) => `Bearer  ${token}`,
  'RFC 8959': (token) => `Bearer secret-token:${token}`,
  'RFC 8959 in capitals': (token) => `Bearer SECRET-TOKEN:${token}`,
  dpop: (token) => `DPoP ${token}`,
  'a scheme of GitHub': (token) => `token ${token}`,
  'a scheme with a name': (token) => `Token token=${token}`,
  'Basic, as password': (token) => `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
  'Basic, as user': (token) => `Basic ${Buffer.from(`${token}:`).toString('base64')}`,
  'no scheme': (token) => token,
};

const attempt = fc.record({
  route: fc.nat(),
  spelling: fc.constantFrom(...Object.keys(SPELLINGS)),
  token: fc.nat(1),
  isLoggedIn: fc.boolean(),
  fields: fc.dictionary(
    fc.constantFrom('scope', 'name', 'granted_scope', 'decision', 'user_code'),
    fc.string(),
    {
      maxKeys: 3,
    },
  ),
});
type Attempt = typeof attempt extends fc.Arbitrary<infer Value> ? Value : never;

/** Each route, with each token, in each spelling. */
const examples = Array.from({ length: 60 * Object.keys(SPELLINGS).length }, (_, index): [Attempt] => [
  {
    route: Math.floor(index / Object.keys(SPELLINGS).length),
    spelling: Object.keys(SPELLINGS)[index % Object.keys(SPELLINGS).length]!,
    token: index % 2,
    isLoggedIn: index % 3 > 0,
    fields: {},
  },
]);

const stored = async () => ({
  grants: await site.database.collection('oauth_grants').countDocuments(),
  live: await site.database.collection('oauth_grants').countDocuments({ revokedAt: { $exists: false } }),
  clients: await site.database.collection('oauth_clients').countDocuments(),
});

function send(
  { method, path }: Route,
  { isLoggedIn, fields }: Omit<Attempt, 'route' | 'spelling' | 'token'>,
) {
  const agent = isLoggedIn ? ada.agent : request(site.server);
  const address = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? 'ada');
  const sent = agent[method](address).set(NAVIGATION);
  return method === 'post' ? sent.type('form').send({ csrf_token: csrfToken, ...fields }) : sent;
}

describe('every page for people', () => {
  test('the routes of the test include every page for users', () => {
    expect(new Set(routes.map(({ endpoint }) => endpoint))).toEqual(new Set(PAGES));
    expect(routes.length).toBeLessThanOrEqual(60);
    expect(routes.length).toBeGreaterThan(30);
  });

  holds<[Attempt]>(
    'a page refuses a request with a token, whoever is logged in, and says so',
    [attempt],
    async (given) => {
      const route = routes[given.route % routes.length]!;
      const before = await stored();
      const { status, text } = await send(route, given).set(
        'Authorization',
        SPELLINGS[given.spelling]!(tokens[given.token]!),
      );
      if (status !== 403 || !text.includes('A program with an access token cannot use it.'))
        throw new Error(`${route.method} ${route.path} answered ${status}: ${JSON.stringify(given)}`);
      expect(text).not.toMatch(/Backup of Ada|Deployment|eas_[ps]at_/);
      expect(await stored()).toEqual(before);
    },
    undefined,
    examples,
  );

  test('a page refuses a token in the query', async () => {
    for (const route of routes.filter(({ method }) => method === 'get')) {
      const sent = send(route, { isLoggedIn: true, fields: {} }).query({ access_token: tokens[0] });
      expect((await sent).status).toBe(403);
    }
  });

  test('a page works behind a proxy that sends a token or a password', async () => {
    for (const authorization of [
      'Bearer of-the-proxy',
      `Basic ${Buffer.from('site:secret').toString('base64')}`,
    ]) {
      for (const path of ['/oauth/authorizations', '/oauth/applications', '/oauth/device']) {
        const { status } = await ada.agent.get(path).set('Authorization', authorization);
        expect([path, status]).toEqual([path, 200]);
      }
    }
  });

  test("the run had requests that the site's strategy took for the token's user", () =>
    expect(strangers).toContain('ada'));
});
