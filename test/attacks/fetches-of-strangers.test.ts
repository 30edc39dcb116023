import { type AddressInfo, createServer, type Server } from 'node:net';

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import request from 'supertest';

import { PUBLIC_ADDRESSES } from '../../lib/core/clients/untrusted-fetch-limits.js';
import type { NewClient } from '../../lib/index.js';
import { createTestKey, postAssertion, signAssertion } from '../support/assertions.js';
import { DEVICE_URI, openDocumentServer } from '../support/client-documents.js';
import { letLimitEnd, letPass } from '../support/clock.js';
import { openJwksServer } from '../support/jwks-server.js';
import { IS_LONG } from '../support/long-run.js';
import { createPerson, locationOf, logInPerson, type Person } from '../support/person.js';
import { holds } from '../support/properties.js';
import { register } from '../support/registration.js';
import { signRequest } from '../support/request-objects.js';
import { openSite, type Site } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { createPkce, postToken } from '../support/tokens.js';
import { until } from '../support/until.js';

const OPENID = { claims: () => ({}), pairwiseSalt: 'a salt of the test site, long enough to be one' };
const logInAt = (site: Site, name = 'ada'): Promise<Person> => logInPerson(site, name);
const pkce = createPkce();
const queryFor = (clientId: string) => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: DEVICE_URI,
  ...pkce.challenge,
});

describe('strangers who request documents of clients', () => {
  const documents = fixture(openDocumentServer);
  const site = siteFor({ clientIdMetadataDocuments: { allowLoopback: true } });

  test('requests of strangers for documents leave stored and new agents of a host usable', async () => {
    const agent = documents.publish('/agent.json');
    const ada = await logInAt(site);
    const code = (await ada.authorize(queryFor(agent))).searchParams.get('code') ?? '';
    const fields = { client_id: agent, redirect_uri: DEVICE_URI, code_verifier: pkce.code_verifier };
    const { body } = await postToken(site, { grant_type: 'authorization_code', code, ...fields });
    letPass(90_000);
    documents.requests.splice(0);
    for (let each = 0; each < 70; each += 1) {
      const query = queryFor(documents.url(`/stranger-${each}`));
      const visit = await request(site.server).get('/oauth/authorize').query(query);
      expect(new URL(visit.headers.location ?? '', site.url).pathname).toBe('/login');
    }
    expect(documents.requests).toEqual([]);
    for (let each = 0; each < 15; each += 1) {
      const requested = { grant_type: 'refresh_token', refresh_token: 'x' };
      await postToken(site, { ...requested, client_id: documents.url(`/no-person-${each}`) });
    }
    expect(documents.requests).toHaveLength(10);
    const refresh = { grant_type: 'refresh_token', client_id: agent, refresh_token: body.refresh_token };
    expect((await postToken(site, refresh)).status).toBe(200);
    expect(documents.requests.at(-1)).toBe('/agent.json');
    const bob = await logInAt(site, 'bob');
    expect((await bob.openAuthorize(queryFor(documents.publish('/new.json')))).status).toBe(200);
  });

  test('a stranger has to log in before a document is fetched, and returns to the request', async () => {
    const clientId = documents.publish('/later.json');
    const eve = createPerson(site);
    const back = locationOf(await eve.openAuthorize(queryFor(clientId))).searchParams.get('return_to') ?? '';
    expect(documents.requests).not.toContain('/later.json');
    await eve.logIn('eve');
    expect((await eve.agent.get(back)).text).toContain('id="consent-form"');
  });

  test('a stranger with prompt=none gets a page without a fetch or a redirect', async () => {
    const clientId = documents.publish('/silent.json');
    const silent = await createPerson(site).openAuthorize({ ...queryFor(clientId), prompt: 'none' });
    expect([silent.status, silent.headers.location]).toEqual([400, undefined]);
    expect(silent.text).toContain('<code>login_required</code>');
    expect(documents.requests).not.toContain('/silent.json');
  });
});

describe("strangers who name a client's request object", () => {
  test('a stranger causes no fetch of a request object, and a user keeps nobody else from one', async () => {
    await using server = await openJwksServer();
    await using site = await openSite({
      signedRequests: { byReference: true },
      registration: { open: true },
      clientAuthentication: { allowPrivateAddresses: true },
    });
    const key = await createTestKey();
    const client = await site.client({
      jwks: { keys: [key.publicJwk] },
      requestUris: [server.url],
      trusted: true,
    });
    const query = { client_id: client.clientId, request_uri: server.url };
    for (let each = 0; each < 70; each += 1)
      await request(site.server).get('/oauth/authorize').query(query).expect(302);
    expect(server.requests).toEqual([]);
    const [eve, ada] = [await logInAt(site, 'eve'), await logInAt(site)];
    const granted: { end(text?: string): unknown }[] = [];
    server.answer((_req, res) => {
      granted.push(res.setHeader('content-type', 'application/oauth-authz-req+jwt'));
    });
    letLimitEnd(PUBLIC_ADDRESSES.timeout, 'by hand');
    const flood = Promise.all(Array.from({ length: 30 }, () => eve.openAuthorize(query)));
    await until(() => granted.length >= 5);
    // supertest sends nothing before somebody waits for it
    const own = Promise.resolve(ada.openAuthorize(query));
    await until(() => granted.length >= 6);
    granted.at(-1)?.end(await signRequest(site, client.clientId, key));
    expect(locationOf(await own).searchParams.get('code')).not.toBeNull();
    for (const res of granted.slice(0, 5)) res.end('');
    expect(new Set((await flood).map(({ status }) => status))).toEqual(new Set([400, 503]));
  });
});

/** Connections to this machine are counted, whatever they say; a public site lets its clients have servers there. */
describe('a private address from a client of a stranger', () => {
  let inside: Server;
  let port: number;
  let reached = 0;
  const key = fixture(() => createTestKey());
  beforeAll(async () => {
    inside = createServer((socket) => {
      reached += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => inside.listen(0, '::', resolve));
    port = (inside.address() as AddressInfo).port;
  });
  const site = siteFor({
    issuer: 'https://photos.example',
    clientIdMetadataDocuments: { trust: { verified: ['*.localhost', 'localhost'] } },
    clientAuthentication: { allowPrivateAddresses: true },
    registration: { open: true, maxClients: 100_000 },
    openid: OPENID,
    signedRequests: { byReference: true },
    security: { rateLimits: false },
  });
  const eve = fixture(() => logInAt(site, 'eve'));
  afterAll(() => void inside.close());
  beforeEach(() => void (reached = 0));

  const octet = fc.nat(255);
  const HOSTS = [
    ...['localhost', 'LOCALHOST', 'a.localhost', 'localhost.', '127.1', '0x7f000001', '2130706433'],
    ...['0177.0.0.1', '0.0.0.0', '[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]'],
    ...['[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::127.0.0.1]', '[2002:7f00:1::]', '[fe80::1]'],
    ...['[fd00::1]', '[fec0::1]'],
  ];
  const hosts = fc.oneof(
    fc.constantFrom(...HOSTS),
    fc.tuple(octet, octet, octet).map(([a, b, c]) => `127.${a}.${b}.${c}`),
    fc.tuple(octet, octet).map(([a, b]) => `[::ffff:127.0.${a}.${b}]`),
  );
  const paths = fc.webPath().map((path) => (path.startsWith('/') ? path : `/${path}`));
  const addresses = fc
    .tuple(fc.constantFrom('https', 'http', 'HTTPS'), hosts, paths)
    .map(([scheme, host, path]) => ({ scheme, host, path }));
  /** Every address of the list, of both kinds of clients, and some generated ones. */
  const EXAMPLES = HOSTS.flatMap((host) =>
    [true, false].map((isDevelopers): [Address, boolean] => [
      { scheme: 'https', host, path: '/' },
      isDevelopers,
    ]),
  );
  const RUNS = IS_LONG ? 20_000 : EXAMPLES.length + 20;
  type Address = { readonly scheme: string; readonly host: string; readonly path: string };
  const urlOf = ({ scheme, host, path }: Address) => `${scheme}://${host}:${port}${path}`;
  const byKeys = {
    token_endpoint_auth_method: 'private_key_jwt',
    redirect_uris: ['https://print.example/cb'],
  };
  const ofDeveloper = { ownerId: 'eve', tokenEndpointAuthMethod: 'private_key_jwt' };
  const assertAs = async (clientId: string) => {
    const claims = { aud: 'https://photos.example' };
    return postAssertion(site, await signAssertion(site, clientId, key, { claims }));
  };
  /** The id of the new client, unless its registration is refused: then nothing can connect there. */
  const registerAs = async (isDevelopers: boolean, options: Partial<NewClient>, metadata: object) =>
    isDevelopers
      ? (await site.client({ ...ofDeveloper, ...options }).catch(() => undefined))?.clientId
      : ((await register(site, { ...byKeys, ...metadata })).body.client_id as string | undefined);

  test('a private address of a client of the host is reached, so that the test would see it', async () => {
    const own = await site.client({
      jwksUri: `https://127.0.0.1:${port}/keys`,
      ...{ ...ofDeveloper, ownerId: undefined },
    });
    await assertAs(own.clientId);
    expect(reached).toBe(1);
  });

  const USES: Record<string, (uri: string, isDevelopers: boolean) => PromiseLike<unknown>> = {
    'a document': (uri) => eve.openAuthorize(queryFor(uri)),
    async keys(uri, isDevelopers) {
      const clientId = await registerAs(isDevelopers, { jwksUri: uri }, { jwks_uri: uri });
      return clientId === undefined ? undefined : assertAs(clientId);
    },
    'a sector': (uri, isDevelopers) =>
      registerAs(
        isDevelopers,
        {
          tokenEndpointAuthMethod: undefined,
          grantTypes: ['authorization_code'],
          subjectType: 'pairwise',
          sectorIdentifierUri: uri,
        },
        { token_endpoint_auth_method: undefined, subject_type: 'pairwise', sector_identifier_uri: uri },
      ),
    async 'a request object'(uri, isDevelopers) {
      const jwks = { keys: [key.publicJwk] };
      const registered = await registerAs(
        isDevelopers,
        { jwks, requestUris: [uri] },
        { jwks, request_uris: [uri] },
      );
      if (registered !== undefined)
        await eve.openAuthorize({ client_id: registered, response_type: 'code', request_uri: uri });
    },
  };
  for (const [what, use] of Object.entries(USES))
    holds<[Address, boolean]>(
      `a private address is not reached for ${what}`,
      [addresses, fc.boolean()],
      async (address, isDevelopers) => {
        await use(urlOf(address), isDevelopers);
        expect(reached).toBe(0);
      },
      RUNS,
      EXAMPLES,
    );
});
