import { describe, expect, test } from '@jest/globals';
import { Router } from 'express';
import request from 'supertest';

import { assemble } from '../../lib/authorization-server.js';
import type { ClientAuthenticationMethod } from '../../lib/core/client-authentication/method.js';
import type { ClientField } from '../../lib/core/clients/client-field.js';
import { textSchema } from '../../lib/core/clients/validation/schemas.js';
import type { GrantType } from '../../lib/core/grant-types/grant-type.js';
import { issueGrant } from '../../lib/core/grants/issue-grant.js';
import { BUILT_IN, type BuiltIn } from '../../lib/features.js';
import { en, type MessageKey } from '../../lib/messages/en.js';
import type { Endpoint, Feature } from '../../lib/server/server.js';
import { runCli } from '../support/cli.js';
import { openFolder } from '../support/folder.js';
import { codeQuery, hiddenFields, locationOf, logInPerson } from '../support/person.js';
import { openSite, REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { callApi, postToken, tokenRequest } from '../support/tokens.js';

// Each part below is the content of one file; EXTENDED is its line in the list of built-in parts.

const COUPON = 'urn:example:grant-type:coupon';
const COUPON_42 = { grant_type: COUPON, coupon: '42' };

/** The `audience` that the grant type received, as in RFC 8693. */
const audiences: unknown[] = [];

const coupon: GrantType = {
  name: COUPON,
  texts: { en: { label: 'Redeem coupons', meaning: 'Access for whoever holds a coupon.' } },
  parameters: ['coupon', 'scope'],
  repeatable: ['audience'],
  create: (dependencies) => (context) => {
    audiences.push(context.repeated.audience);
    return issueGrant(dependencies, context, {
      grantType: COUPON,
      authorization: {
        userId: `holder of ${String(context.parameters.coupon)}`,
        scopes: dependencies.resolveScopes(context.client, context.parameters.scope),
        resources: context.resources,
      },
      withRefreshToken: false,
    });
  },
};

const clientSecretHeader: ClientAuthenticationMethod = {
  name: 'client_secret_example',
  credential: 'secret',
  parameters: [],
  create: ({ verifySecret }) => ({
    read({ authorization }) {
      const [, clientId, clientSecret] = /^Example (\S+) (\S+)$/.exec(authorization ?? '') ?? [];
      return clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret };
    },
    verify: async (client, { clientSecret = '' }, act) =>
      (await verifySecret(clientSecret, client.secrets, act)) !== undefined,
  }),
};

/** Without a secret: the client sends the id of a registered key. */
const exampleKey: ClientAuthenticationMethod = {
  name: 'example_key',
  credential: 'keys',
  requiresExplicitRegistration: true,
  parameters: ['example_key'],
  create: () => ({
    read: ({ parameters: { client_id: clientId, example_key: displayed } }) =>
      clientId === undefined || displayed === undefined ? null : { clientId, clientSecret: displayed },
    verify: ({ jwks }, { clientSecret: displayed }) =>
      Promise.resolve(jwks?.keys.some(({ kid }) => kid === displayed) === true),
  }),
};
const KEY_SET = {
  keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kid: 'first' }],
};

const ping: Endpoint = {
  name: 'ping',
  create: ({ settings }) =>
    Router().get('/', (_req, res) => {
      res.json({ pong: settings.issuer });
    }),
  metadata: (_server, url) => ({ ping_endpoint: url }),
};

const pong: Endpoint = {
  name: 'pong',
  create: () =>
    Router().get('/', (_req, res) => {
      res.json({});
    }),
  metadata: (_server, url) => ({ pong_endpoint: url }),
};
/** On if the host sets its option, like built-in features; here with the name of the site. */
const echo: Feature = {
  name: 'echo',
  isOn: ({ siteName }) => siteName === 'Echo',
  endpoints: [pong],
  metadata: (_settings, { pong_endpoint: url }) => ({ echo_of: url }),
  metadataPaths: ['/.well-known/echo-configuration'],
  resourceMetadata: () => ({ echo_supported: true }),
  rootAliases: { pong: ({ method }) => method === 'GET' },
  prompts: () => ['create'],
  isPushingRequired: (_settings, { name }) => name === 'Pushing',
  isSigningRequired: (_settings, { name }) => name === 'Signing',
  createBinding:
    () =>
    ({ client: { name } }) =>
      name === 'Bound' ? { jkt: 'echo' } : undefined,
};

const plan: ClientField = {
  name: 'plan',
  shape: textSchema,
  stored: { type: String },
  wire: { name: 'example_plan' },
  isOwners: true,
  flag: { flags: '--plan <plan>', description: 'what it has paid for' },
  printed: { label: 'plan' },
  label: { en: 'Plan', nl: 'Abonnement' },
};

/** A page with a new text; TypeScript knows the names in `lib/messages/en.ts`. */
const GREETING = 'visits.greeting';
const VIEW = `<%- include('partials/top', { title, layout: 'narrow' }) %>
<h1><%= text('${GREETING}', { user }) %></h1>
<p><%- markup('${GREETING}', { user }, 'strong') %></p>
<%- include('partials/bottom', { person: '' }) %>`;

const visits: Endpoint = {
  name: 'visits',
  isPage: true,
  create: ({ rendering }) =>
    Router().get('/', (req, res) =>
      rendering.renderPage(req, res, {
        view: 'visits',
        locals: ({ text }) => ({
          title: text(GREETING as MessageKey, { user: '<you>' }),
          user: '<Ada> {user}',
        }),
      }),
    ),
};

const english = { ...en, [GREETING]: 'Welcome, {user}' };
const nl: Record<keyof typeof english, string> = {
  ...english,
  'consent.allow': 'Toestaan',
  [GREETING]: 'Welkom, {user}',
};

const EXTENDED: BuiltIn = {
  ...BUILT_IN,
  grantTypes: [...BUILT_IN.grantTypes, coupon],
  clientAuthenticationMethods: [...BUILT_IN.clientAuthenticationMethods, clientSecretHeader, exampleKey],
  endpoints: [...BUILT_IN.endpoints, ping, visits],
  features: [...BUILT_IN.features, echo],
  clientFields: [...BUILT_IN.clientFields, plan],
  languages: { ...BUILT_IN.languages, en: english, nl },
};

describe('a part is one file, and one line in the list of built-in parts', () => {
  /** In the place of the folder `views` of the package. */
  const views = fixture(() => openFolder({ 'visits.ejs': VIEW }));
  const site = siteFor(() => ({
    pages: { views: views.path },
    builtIn: EXTENDED,
    grantTypes: ['authorization_code', 'refresh_token', COUPON] as never,
    registration: { open: true },
    applications: { grantTypes: ['authorization_code', COUPON] },
    siteName: 'Echo',
  }));
  const metadata = fixture(
    async () => (await request(site.server).get('/.well-known/oauth-authorization-server')).body,
  );

  const client = (overrides = {}) =>
    site.client({ grantTypes: ['authorization_code', COUPON], plan: 'large', ...overrides } as never);

  const start = (builtIn: BuiltIn, options: object) => () => {
    const { connection } = site.database;
    const defaultValue = { issuer: site.url, connection, scopes: {}, login: '/login' };
    return assemble({ ...defaultValue, ...options }, builtIn);
  };

  describe('a grant type', () => {
    test('an added grant type is in the metadata', () => {
      expect(metadata.grant_types_supported).toContain(COUPON);
    });

    test('an added grant type is an option, and in the error for an unknown name', () => {
      expect(start(EXTENDED, { grantTypes: ['coupon'] })).toThrow(COUPON);
      expect(start(BUILT_IN, { grantTypes: [COUPON] })).toThrow('is unknown');
    });

    test('an added grant type gives tokens that the guard accepts', async () => {
      const { body } = await tokenRequest(site, await client(), COUPON_42).expect(200);
      expect((await callApi(site, body.access_token as string)).body.userId).toBe('holder of 42');
    });

    test('an added grant type gets its parameters, and the repeatable ones as lists', async () => {
      const by = await client();
      audiences.length = 0;
      await tokenRequest(site, by, { ...COUPON_42, audience: ['a', '', 'b'] }).expect(200);
      await tokenRequest(site, by, COUPON_42).expect(200);
      expect(audiences).toEqual([['a', 'b'], undefined]);
      await tokenRequest(site, by, { ...COUPON_42, coupon: ['42', '43'] }).expect(400, /invalid_request/);
    });

    test('an added grant type is set for a client by the command line', async () => {
      const args = ['clients', 'create', '--name', 'By hand', '--grant-types', COUPON, '--json'];
      const created = await runCli(args, { uri: site.database.uri, builtIn: EXTENDED });
      expect(JSON.parse(created.stdout)).toMatchObject({ grantTypes: [COUPON] });
    });

    test('an added grant type is on the application form, in words', async () => {
      const ada = await logInPerson(site);
      const form = await ada.agent.get('/oauth/applications/new');
      expect(form.text).toContain(`value="${COUPON}"`);
      expect(form.text).toContain('Redeem coupons');
      expect(form.text).toContain('Access for whoever holds a coupon.');
    });
  });

  describe('a client authentication method', () => {
    test('an added client authentication method is in the metadata of each endpoint with clients', () => {
      for (const endpoint of ['token', 'revocation', 'introspection'])
        expect(metadata[`${endpoint}_endpoint_auth_methods_supported`]).toContain('client_secret_example');
    });

    test('an added client authentication method accepts the right secret only', async () => {
      const secret = 'asecretoftheexample,longenough';
      const { clientId } = await site.client({ clientSecret: secret, grantTypes: [COUPON] });
      const call = (displayed: string) =>
        postToken(site, { grant_type: COUPON, coupon: '1' }).set(
          'Authorization',
          `Example ${clientId} ${displayed}`,
        );
      expect((await call(secret)).status).toBe(200);
      expect((await call('wrong')).body.error).toBe('invalid_client');
    });

    test('an added client authentication method can be registered for a client', async () => {
      const { tokenEndpointAuthMethod } = await client({ tokenEndpointAuthMethod: 'client_secret_example' });
      expect(tokenEndpointAuthMethod).toBe('client_secret_example');
    });
  });

  describe('a client authentication method without a secret', () => {
    const byKey = { tokenEndpointAuthMethod: 'example_key', jwks: KEY_SET };

    test('an added method without a secret is in the metadata', () => {
      expect(metadata.token_endpoint_auth_methods_supported).toContain('example_key');
    });

    test('an added method without a secret authenticates clients', async () => {
      const { clientId } = await client(byKey);
      const call = (displayed: string) =>
        postToken(site, { grant_type: COUPON, coupon: '1', client_id: clientId, example_key: displayed });
      expect((await call('first')).status).toBe(200);
      expect((await call('second')).body.error).toBe('invalid_client');
    });

    test('an added method without a secret makes oauth.clients require keys', async () => {
      const created = await client(byKey);
      expect(created).toMatchObject({ tokenEndpointAuthMethod: 'example_key', secrets: [] });
      expect(created).not.toHaveProperty('clientSecret');
      await expect(site.oauth.clients.rotateSecret(created.clientId)).rejects.toThrow('has no secret');
      await expect(client({ ...byKey, jwks: undefined })).rejects.toThrow(
        'example_key needs the public keys',
      );
    });

    test('an added method without a secret can be chosen by clients that register themselves', async () => {
      const register = (more: object) =>
        request(site.server)
          .post('/oauth/register')
          .send({ redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'example_key', ...more });
      const registered = await register({ jwks: KEY_SET });
      expect(registered.status).toBe(201);
      expect(registered.body).toMatchObject({ token_endpoint_auth_method: 'example_key' });
      expect(registered.body).not.toHaveProperty('client_secret');
      expect((await register({})).body.error_description).toBe('example_key needs jwks or jwks_uri');
    });

    test('an added method without a secret can be set by the command line', async () => {
      const file = await views.write('jwks.json', JSON.stringify(KEY_SET));
      const args = ['clients', 'create', '--name', 'By hand', '--redirect-uri', REDIRECT_URI, '--json'];
      const method = ['--token-endpoint-auth-method', 'example_key', '--jwks', file];
      const options = { uri: site.database.uri, builtIn: EXTENDED };
      const created = JSON.parse((await runCli([...args, ...method], options)).stdout) as object;
      expect(created).toMatchObject({ tokenEndpointAuthMethod: 'example_key', jwks: KEY_SET, secrets: [] });
      expect(created).not.toHaveProperty('clientSecret');
    });

    test("an added method without a secret is on an application's page, without secrets", async () => {
      const { clientId } = await client({ ...byKey, ownerId: 'ada' });
      const ada = await logInPerson(site);
      const { text: page } = await ada.agent.get(`/oauth/applications/${clientId}`);
      expect(page).toContain('<dd>public keys <code>example_key</code></dd>');
      expect(page).not.toContain('application-rotate');
      expect((await ada.agent.get('/oauth/applications/new')).text).toContain('name="jwks"');
    });
  });

  describe('an endpoint', () => {
    test('an added endpoint answers below the base path, and is in the metadata', async () => {
      expect(metadata.ping_endpoint).toBe(`${site.url}/oauth/ping`);
      expect((await request(site.server).get('/oauth/ping')).body).toEqual({ pong: site.url });
    });

    test('an added endpoint can be moved by the option advanced.paths', async () => {
      const advanced = { paths: { ping: '/are-you-there' } };
      const elsewhere = await openSite({ builtIn: EXTENDED, advanced });
      expect((await request(elsewhere.server).get('/are-you-there')).status).toBe(200);
      await elsewhere.close();
      expect(start(BUILT_IN, { advanced: { paths: { ping: '/ping' } } })).toThrow(
        "there is no endpoint 'ping'",
      );
    });
  });

  describe('a feature', () => {
    test('an added feature that is on has its endpoint and its metadata', async () => {
      expect(metadata.pong_endpoint).toBe(`${site.url}/oauth/pong`);
      expect((await request(site.server).get('/oauth/pong')).status).toBe(200);
    });

    test('an added feature adds to the metadata of the server and of resources', async () => {
      expect(metadata.echo_of).toBe(metadata.pong_endpoint);
      const { body } = await request(site.server).get('/.well-known/oauth-protected-resource');
      expect(body).toMatchObject({ resource: site.url, echo_supported: true });
    });

    test('an added feature has its metadata at another path, and its endpoint at the root', async () => {
      expect((await request(site.server).get('/.well-known/echo-configuration')).body).toEqual(metadata);
      expect((await request(site.server).get('/pong')).status).toBe(200);
      expect((await request(site.server).post('/pong')).status).toBe(404);
    });

    test.each([
      ['Pushing', 'pushed'],
      ['Signing', 'sign'],
    ])('an added feature makes the client %s send its requests in its way', async (name, word) => {
      const ada = await logInPerson(site);
      const { clientId } = await client({ name });
      const { searchParams } = locationOf(
        await ada.openAuthorize({ response_type: 'code', client_id: clientId }),
      );
      expect(searchParams.get('error')).toBe('invalid_request');
      expect(searchParams.get('error_description')).toContain(word);
    });

    test('an added feature binds tokens', async () => {
      const typeFor = async (more: object) =>
        (await tokenRequest(site, await client(more), COUPON_42)).body.token_type;
      expect([await typeFor({ name: 'Bound' }), await typeFor({})]).toEqual(['DPoP', 'Bearer']);
    });

    test('an added feature that is off has no endpoint and no metadata', async () => {
      await using off = await openSite({ builtIn: EXTENDED });
      const { body } = await request(off.server).get('/.well-known/oauth-authorization-server');
      expect(body).not.toHaveProperty('pong_endpoint');
      expect(body).not.toHaveProperty('echo_of');
      for (const path of ['/oauth/pong', '/pong', '/.well-known/echo-configuration'])
        expect((await request(off.server).get(path)).status).toBe(404);
    });
  });

  describe('a client field', () => {
    test('an added client field is stored, updated and checked by oauth.clients', async () => {
      const { clientId } = await client();
      expect(await site.oauth.clients.find(clientId)).toMatchObject({ plan: 'large' });
      await site.oauth.clients.update(clientId, { plan: 'small' } as never);
      expect(await site.oauth.clients.find(clientId)).toMatchObject({ plan: 'small' });
      await expect(client({ plan: 7 })).rejects.toThrow('plan must be text');
      await expect(client({ plam: 'x' })).rejects.toThrow("did you mean 'plan'?");
    });

    test('an added client field is accepted from clients that register themselves', async () => {
      const { body } = await request(site.server)
        .post('/oauth/register')
        .send({ redirect_uris: [REDIRECT_URI], example_plan: 'medium' });
      expect(body).toMatchObject({ example_plan: 'medium' });
    });

    test('an added client field is a flag of the command line, and a line of its output', async () => {
      const options = { uri: site.database.uri, builtIn: EXTENDED };
      const args = [
        'clients',
        'create',
        '--name',
        'By hand',
        '--plan',
        'tiny',
        '--id',
        'by-hand',
        '--redirect-uri',
        REDIRECT_URI,
      ];
      expect((await runCli(args, options)).code).toBe(0);
      expect((await runCli(['clients', 'show', 'by-hand'], options)).stdout).toMatch(/plan +tiny/);
      expect(await site.oauth.clients.find('by-hand')).toMatchObject({ plan: 'tiny' });
    });

    test("an added client field is on an application's page, in the language of the page", async () => {
      const { clientId } = await client({ ownerId: 'ada' });
      const ada = await logInPerson(site);
      const page = (language: string) =>
        ada.agent.get(`/oauth/applications/${clientId}`).set('Accept-Language', language);
      expect((await page('en')).text).toContain('<dt>Plan</dt><dd>large</dd>');
      expect((await page('nl')).text).toContain('<dt>Abonnement</dt><dd>large</dd>');
    });
  });

  test('an added language is on the pages and in the metadata', async () => {
    expect(metadata.ui_locales_supported).toContain('nl');
    const { clientId } = await client();
    const ada = await logInPerson(site);
    const page = await ada.agent
      .get('/oauth/authorize')
      .query(codeQuery(clientId))
      .set('Accept-Language', 'nl');
    expect(page.text).toContain('<html lang="nl"');
    expect(page.text).toContain('Toestaan');
    expect(hiddenFields(page)).toHaveProperty('csrf_token');
  });

  test.each([
    ['en', 'Welcome'],
    ['nl', 'Welkom'],
  ])('an added text is in its view in the language of the page, %s', async (language, word) => {
    const { text: page } = await request(site.server).get('/oauth/visits').set('Accept-Language', language);
    expect(page).toContain(`<title>${word}, &lt;you&gt;`);
    // values are inserted as text, and a value is not searched for further placeholders
    expect(page).toContain(`<h1>${word}, &lt;Ada&gt; {user}</h1>`);
    expect(page).toContain(`<p>${word}, <strong><bdi>&lt;Ada&gt; {user}</bdi></strong></p>`);
  });
});
