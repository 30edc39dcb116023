import { afterEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { authorizationServer } from '../../lib/index.js';
import { codeQuery, hiddenFields, locationOf, logInPerson, postForm } from '../support/person.js';
import { openSite, REDIRECT_URI, type Site, type SiteOptions } from '../support/site.js';

let site: Site;
const open = async (options: SiteOptions) => (site = await openSite(options));
afterEach(() => site.close());

const metadata = async (): Promise<Record<string, string>> =>
  (await request(site.server).get('/.well-known/oauth-authorization-server')).body;

/** A user allows a client at the endpoint of the metadata, and the client redeems its code at the other. */
async function wholeFlow(paths: { authorize: string; token: string }): Promise<void> {
  const client = await site.client();
  const ada = await logInPerson(site);
  const query = codeQuery(client);
  const page = await ada.agent.get(paths.authorize).query(query);
  const [, action = ''] = /<form[^>]*action="([^"]+)"/.exec(page.text) ?? [];
  expect(action).toBe(paths.authorize);
  const decided = await postForm(ada.agent, action, {
    ...hiddenFields(page),
    decision: 'allow',
    granted_scope: 'photos:read',
  });
  expect(decided.headers.location).toMatch(new RegExp(`^${paths.authorize}\\?`));
  const code = locationOf(await ada.agent.get(decided.headers.location!)).searchParams.get('code')!;
  const response = await postForm(request(site.server), paths.token, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    client_id: client.clientId,
    client_secret: client.clientSecret,
  });
  expect(response.status).toBe(200);
}

describe("basePath: '/'", () => {
  test('with basePath / the endpoints are at the root of the issuer, as the metadata say', async () => {
    await open({ basePath: '/', registration: { open: true } });
    expect(await metadata()).toMatchObject({
      authorization_endpoint: `${site.url}/authorize`,
      token_endpoint: `${site.url}/token`,
      registration_endpoint: `${site.url}/register`,
      jwks_uri: `${site.url}/jwks`,
    });
    await wholeFlow({ authorize: '/authorize', token: '/token' });
  });

  test('with basePath / the site keeps its paths', async () => {
    await open({ basePath: '/', before: (app) => app.get('/tokens', (_req, res) => res.send('own')) });
    expect((await request(site.server).get('/tokens')).text).toBe('own');
    expect((await request(site.server).get('/login')).status).toBe(200);
    expect((await request(site.server).get('/nowhere')).status).toBe(404);
  });

  test('with basePath / the pages find their stylesheet', async () => {
    await open({ basePath: '/' });
    const ada = await logInPerson(site);
    const { text } = await ada.agent.get('/applications');
    const [, stylesheet = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(text) ?? [];
    expect(stylesheet).toMatch(/^\/style-/);
    expect((await ada.agent.get(stylesheet)).status).toBe(200);
  });
});

describe('the option advanced.paths', () => {
  test('advanced.paths moves single endpoints, and leaves others below the base path', async () => {
    await open({ advanced: { paths: { authorize: '/authorize', token: '/auth/token.do' } } });
    expect(await metadata()).toMatchObject({
      authorization_endpoint: `${site.url}/authorize`,
      token_endpoint: `${site.url}/auth/token.do`,
      revocation_endpoint: `${site.url}/oauth/revoke`,
    });
    expect((await request(site.server).post('/oauth/token')).status).toBe(404);
    await wholeFlow({ authorize: '/authorize', token: '/auth/token.do' });
  });

  test('the return path of a login leads to a moved authorization endpoint', async () => {
    await open({ advanced: { paths: { authorize: '/sign-in/with' } } });
    const { clientId } = await site.client();
    const sent = await request(site.server).get('/sign-in/with').query(codeQuery(clientId));
    expect(new URL(sent.headers.location!, site.url).searchParams.get('return_to')).toMatch(
      /^\/sign-in\/with\?/,
    );
  });

  test.each([
    [{ tokn: '/token' }, "there is no endpoint 'tokn'"],
    [{ token: 'token' }, 'paths.token must be a path such as /token'],
    [{ token: '/x', revoke: '/x' }, "'/x' is that of token and of revoke"],
    [{ token: '/oauth/revoke' }, "'/oauth/revoke' is that of token and of revoke"],
    [{ token: '/:id' }, 'paths.token must be a path'],
  ])('the paths %j are refused at the start', async (paths, problem) => {
    await open({});
    const { connection } = site.database;
    const options = { issuer: site.url, connection, scopes: {}, login: '/login', advanced: { paths } };
    expect(() => authorizationServer(options as never)).toThrow(problem);
  });
});

test('a router of oauth.endpoints answers where a host mounts it', async () => {
  await open({ advanced: { paths: { token: '/t' } } });
  site.app.use('/by-hand', site.oauth.endpoints.token);
  expect((await postForm(request(site.server), '/by-hand', {})).body.error).toBe('invalid_request');
});
