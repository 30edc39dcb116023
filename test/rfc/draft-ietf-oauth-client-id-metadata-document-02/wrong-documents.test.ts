import type { ServerResponse } from 'node:http';

import { describe, expect, test } from '@jest/globals';

import { createTestKey } from '../../support/assertions.js';
import { DEVICE_URI, openDocumentServer } from '../../support/client-documents.js';
import { letPass, stopClock } from '../../support/clock.js';
import { logInPerson, type Person } from '../../support/person.js';
import { push } from '../../support/pushed-requests.js';
import { openSite, type Site, type SiteOptions } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, introspectAs, postToken } from '../../support/tokens.js';
import { withoutDetail } from '../../support/without-detail.js';

let count = 0;

const logInAt = async (where: Site): Promise<Person> => {
  const person = await logInPerson(where);
  return person;
};
const documents = fixture(() => openDocumentServer());
const site = siteFor({
  clientIdMetadataDocuments: { allowLoopback: true },
  pushedRequests: true,
  security: { rateLimits: false },
});
const ada = fixture(() => logInAt(site));

const nextPath = () => `/wrong-${(count += 1)}.json`;
const queryFor = (clientId: string, redirectUri = DEVICE_URI) => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: redirectUri,
  state: 'xyz',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
});
/** The refusal as the page shows it. Fails if the client was stored. */
const refusal = async (clientId: string, { at = site, by = ada, redirectUri = DEVICE_URI } = {}) => {
  const page = await by.openAuthorize(queryFor(clientId, redirectUri));
  expect(page.headers.location).toBeUndefined();
  expect(
    await at.database.collection<{ _id: string }>('oauth_clients').findOne({ _id: clientId }),
  ).toBeNull();
  return { status: page.status, text: page.text };
};
const withSite = async (options: SiteOptions, use: (other: Site, person: Person) => Promise<void>) => {
  await using other = await openSite(options);
  await use(other, await logInAt(other));
};

describe('§3 invalid Client Identifier URLs', () => {
  test.each([
    ['with a user name', 'https://ada@client.example/doc', 'has a user name'],
    ['with a user name and a password', 'https://a:b@client.example/doc', 'has a user name'],
    ['without a path', 'https://client.example', 'has no path'],
    ['without a path and with a query', 'https://client.example?a=b', 'has no path'],
    ['with . in its path', 'https://client.example/a/./doc', 'has . or .. in its path'],
    ['with .. in its path', 'https://client.example/a/../doc', 'has . or .. in its path'],
    ['with an encoded .. in its path', 'https://client.example/a/%2E%2e/doc', 'has . or .. in its path'],
    ['with a fragment', 'https://client.example/doc#a', 'has a fragment'],
    ['with a space', 'https://client.example/do c', 'is not a URL'],
    ['with a backslash', 'https://client.example\\@evil.example/doc', 'is not a URL'],
    ['with a line break', 'https://client.example/doc\n', 'is not a URL'],
    ['with a letter of another alphabet', 'https://clіent.example/doc', 'is not a URL'],
    ['without a host', 'https:///doc', 'is not a URL that names its host'],
    ['with a number for a host', 'https://2130706433/doc', 'is not a URL that names its host'],
    ['too long', `https://client.example/${'a'.repeat(500)}`, 'is longer than 512 characters'],
  ])('§3 a client_id %s is refused [3-2] [3-3] [3-4] [3-6]', async (_name, clientId, problem) => {
    const before = documents.requests.length;
    const { status, text } = await refusal(clientId);
    expect([status, text]).toEqual([400, expect.stringContaining(`the client_id ${problem}`)]);
    expect(documents.requests).toHaveLength(before);
  });

  test('§3 a client_id with the scheme http: is refused [3-1]', async () => {
    const { status } = await refusal('http://client.example/doc');
    expect(status).toBe(400);
  });
});

describe('§4 invalid documents', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['§4, §3 with another client_id', { client_id: 'https://claude.example/doc' }, 'another client_id'],
    ['§4 without a client_id', { client_id: undefined }, 'another client_id'],
    ['§4.1 with a secret', { client_secret: 'a secret' }, 'has a client_secret'],
    ['§4.1 with the expiry of a secret', { client_secret_expires_at: 0 }, 'has a client_secret_expires_at'],
    [
      '§4.1 with client_secret_basic',
      { token_endpoint_auth_method: 'client_secret_basic' },
      'needs a secret',
    ],
    ['§4.1 with client_secret_post', { token_endpoint_auth_method: 'client_secret_post' }, 'needs a secret'],
    ['§4.1 with client_secret_jwt', { token_endpoint_auth_method: 'client_secret_jwt' }, 'needs a secret'],
    ['with an unknown method', { token_endpoint_auth_method: 'magic' }, 'must be one of'],
    [
      'with private_key_jwt and without keys',
      { token_endpoint_auth_method: 'private_key_jwt' },
      'needs jwks or jwks_uri',
    ],
    ['without a redirect URI', { redirect_uris: [] }, 'redirect URI is needed'],
    ['with a javascript: redirect URI', { redirect_uris: ['javascript:alert(1)'] }, 'cannot be used here'],
    [
      'with a wildcard in a redirect URI',
      { redirect_uris: ['http://127.0.0.1/*'] },
      'wildcards are not possible',
    ],
    [
      '§8.1 with a redirect URI at another host',
      { redirect_uris: ['https://evil.example/cb'] },
      'at another host',
    ],
    [
      'with no grant type that the site allows',
      { grant_types: ['client_credentials'] },
      'grant_types must have',
    ],
  ])('%s, a client document is refused [4-1] [3-8] [4.1-1] [4.1-2]', async (_name, given, problem) => {
    const { status, text } = await refusal(documents.publish(nextPath(), given));
    expect([status, text]).toEqual([400, expect.stringContaining(problem)]);
  });

  test('a client document with a client_name that is no string is accepted, and the page shows the host', async () => {
    const clientId = documents.publish(nextPath(), { client_name: { a: 1 } });
    const { status, text } = await ada.openAuthorize(queryFor(clientId));
    expect([status, text.includes('[object Object]')]).toEqual([200, false]);
    expect(text).toContain(new URL(clientId).hostname);
  });

  test('§4.1 a client document with a private key is refused, and the page does not show the key [4.1-3]', async () => {
    const { publicJwk } = await createTestKey();
    const jwks = { keys: [{ ...publicJwk, d: 'c2VjcmV0' }] };
    const clientId = documents.publish(nextPath(), { token_endpoint_auth_method: 'private_key_jwt', jwks });
    const { status, text } = await refusal(clientId);
    expect([status, text.includes('c2VjcmV0')]).toEqual([400, false]);
  });

  test.each<[string, string, string]>([
    ['that is no JSON', 'application/json', '<html>'],
    ['that is a list', 'application/json', '[]'],
    ['that is null', 'application/json', 'null'],
    ['that is a string', 'application/json', '"a"'],
    ['that is empty', 'application/json', ''],
  ])('a client document %s is refused', async (_name, type, body) => {
    const clientId = documents.answer(nextPath(), (_req, res) =>
      res.writeHead(200, { 'content-type': type }).end(body),
    );
    expect((await refusal(clientId)).status).toBe(400);
  });

  test.each([
    ['the JSON type', 'application/json; charset=utf-8', 200],
    ['a +json type', 'application/client+json', 200],
    ['the HTML type', 'text/html', 400],
    ['a type that begins like JSON', 'application/jsonp', 400],
  ])('§4 a client document with %s (%s) leads to status %i [4-3]', async (_name, type, status) => {
    const clientId = documents.publish(nextPath(), {}, { headers: { 'content-type': type } });
    expect((await ada.openAuthorize(queryFor(clientId))).status).toBe(status);
  });

  test.each([201, 204, 302, 307, 404, 410, 500, 503])(
    '§4, §5 a client document with status %i is refused [4-2] [5-4] [5-5]',
    async (status) => {
      const path = nextPath();
      const target = documents.publish(nextPath());
      const clientId = documents.publish(path, {}, { status, headers: { location: target } });
      const before = documents.requests.length;
      expect(await refusal(clientId)).toEqual({
        status: 400,
        text: expect.stringContaining('could not be fetched'),
      });
      // §5: a redirect is not followed
      expect(documents.requests.slice(before)).toEqual([path]);
    },
  );

  test.each<[string, (res: ServerResponse) => void]>([
    ['that never arrives', () => undefined],
    ['that arrives too slowly', (res) => void setInterval(() => res.write(' '), 50).unref()],
    ['that breaks off', (res) => res.write('{"client_id":', () => res.destroy())],
  ])('a client document %s counts as not fetched', async (_name, answer) => {
    const clientId = documents.answer(nextPath(), (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      answer(res);
    });
    expect(await refusal(clientId)).toEqual({
      status: 400,
      text: expect.stringContaining('could not be fetched'),
    });
  });

  test('§8.7 a client document longer than 5 kilobytes is refused [8.7-1]', async () => {
    const clientId = documents.publish(nextPath(), { padding: 'a'.repeat(5200) });
    expect((await refusal(clientId)).status).toBe(400);
    const fits = documents.publish(nextPath(), { padding: 'a'.repeat(4000) });
    expect((await ada.openAuthorize(queryFor(fits))).status).toBe(200);
  });

  test('the reason for a failed fetch is reported to the site, not to the person', async () => {
    const path = nextPath();
    await refusal(documents.publish(path, {}, { status: 418 }));
    expect(site.errors.at(-1)?.detail).toContain(`${path} answered with status 418`);
    const { text } = await refusal(documents.publish(path, {}, { status: 418 }));
    expect(withoutDetail(text)).not.toContain('status 418');
  });

  test('the token and PAR endpoints answer an invalid client document with invalid_client', async () => {
    const clientId = documents.publish(nextPath(), { client_id: 'https://other.example/doc' });
    const token = await postToken(site, {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: 'x',
    });
    expect([token.status, token.body.error]).toEqual([400, 'invalid_client']);
    const pushed = await push(site, { clientId } as Parameters<typeof push>[1], { redirect_uri: DEVICE_URI });
    expect([pushed.status, pushed.body.error]).toEqual([400, 'invalid_client']);
  });
});

describe('§8.6 addresses that the server does not contact', () => {
  test.each([
    'https://127.0.0.1/doc',
    'https://localhost/doc',
    'https://[::1]/doc',
    'https://10.0.0.1/doc',
    'https://169.254.169.254/latest/meta-data/',
    'https://192.168.1.1/doc',
    'https://[fd00::1]/doc',
  ])('§8.6 a client document at the non-public address %s is not fetched [8.6-1]', async (clientId) => {
    await withSite({ issuer: 'https://photos.example', clientIdMetadataDocuments: true }, async (at, by) => {
      expect((await refusal(clientId, { at, by })).status).toBe(400);
      expect(at.errors.at(-1)?.detail).toContain('is not on the public internet');
    });
  });

  test('§8.6 a site with a public issuer does not start with allowLoopback [8.6-2] [8.6-3]', async () => {
    await expect(
      openSite({ issuer: 'https://photos.example', clientIdMetadataDocuments: { allowLoopback: true } }),
    ).rejects.toThrow('clientIdMetadataDocuments.allowLoopback');
  });

  test('§8.6 a client document on loopback is not fetched without allowLoopback [8.6-2]', async () => {
    await withSite({ clientIdMetadataDocuments: true }, async (at, by) => {
      const before = documents.requests.length;
      await refusal(documents.publish(nextPath()), { at, by });
      expect(documents.requests).toHaveLength(before);
    });
  });

  test('a failed client document is fetched again after five seconds, and at most ten times a minute', async () => {
    await withSite({ clientIdMetadataDocuments: { allowLoopback: true } }, async (at, by) => {
      const path = nextPath();
      const clientId = documents.publish(path, {}, { status: 500 });
      const requested = () => documents.requests.filter((each) => each === path).length;
      stopClock();
      for (let tries = 1; tries <= 10; tries += 1) {
        expect([(await refusal(clientId, { at, by })).status, requested()]).toEqual([400, tries]);
        // until five seconds have passed, the document is not fetched
        expect([(await refusal(clientId, { at, by })).status, requested()]).toEqual([503, tries]);
        letPass(5);
      }
      expect([(await refusal(clientId, { at, by })).status, requested()]).toEqual([429, 10]);
      documents.publish(path);
      letPass(60);
      expect((await by.openAuthorize(queryFor(clientId))).status).toBe(200);
    });
  });

  test('an invalid client document is not fetched again at once', async () => {
    await withSite({ clientIdMetadataDocuments: { allowLoopback: true } }, async (at, by) => {
      const clientId = documents.publish(nextPath(), { redirect_uris: [] });
      const before = documents.requests.length;
      for (const status of [400, 503, 503]) expect((await refusal(clientId, { at, by })).status).toBe(status);
      expect(documents.requests).toHaveLength(before + 1);
    });
  });
});

describe('a host with many failed documents', () => {
  test('failed client documents of a host do not lock out an allowed client of that host', async () => {
    await withSite({ clientIdMetadataDocuments: { allowLoopback: true } }, async (_at, by) => {
      const path = nextPath();
      const clientId = documents.publish(path);
      await by.authorize(queryFor(clientId));
      letPass(400);
      await by.logIn();
      const none = () => by.openAuthorize(queryFor(documents.url(`/none-${(count += 1)}`)));
      for (let tries = 0; tries < 60; tries += 1) await none();
      expect((await none()).status).toBe(429);
      expect((await by.openAuthorize(queryFor(clientId))).status).toBe(200);
    });
  });
});

describe('§8.9 trusted and blocked hosts', () => {
  const at = (trust: object) => ({ clientIdMetadataDocuments: { allowLoopback: true, trust } });

  test('a client document of a blocked host is not fetched, and the page says why', async () => {
    await withSite(at({ block: ['127.0.0.1'] }), async (other, person) => {
      const before = documents.requests.length;
      const { text } = await refusal(documents.publish(nextPath()), { at: other, by: person });
      expect(text).toContain('does not let in applications of 127.0.0.1');
      expect(documents.requests).toHaveLength(before);
    });
  });

  test('a client at a host outside trust.allow is refused', async () => {
    await withSite(at({ allow: ['localhost', '*.example.com'] }), async (other, person) => {
      await refusal(documents.publish(nextPath()), { at: other, by: person });
      const let_in = documents.publish(nextPath(), {}, { host: 'localhost' });
      expect((await person.openAuthorize(queryFor(let_in))).status).toBe(200);
    });
  });

  test('an authorization code of a client is refused once its host is blocked', async () => {
    await withSite(at({}), async (other, person) => {
      const clientId = documents.publish(nextPath());
      const code = (await person.authorize(queryFor(clientId))).searchParams.get('code') ?? '';
      await using later = await openSite({
        ...at({ block: ['127.0.0.1'] }),
        database: other.database,
        issuer: other.url,
      });
      const answer = await postToken(later, {
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        redirect_uri: DEVICE_URI,
        code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      });
      expect(answer.body.error).toBe('invalid_client');
    });
  });

  test('access tokens of a client are inactive once its host is blocked', async () => {
    await withSite(at({}), async (other, person) => {
      const clientId = documents.publish(nextPath());
      const url = await person.authorize(queryFor(clientId));
      const { body } = await postToken(other, {
        grant_type: 'authorization_code',
        client_id: clientId,
        code: url.searchParams.get('code') ?? '',
        redirect_uri: DEVICE_URI,
        code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      });
      const token = (body as { access_token: string }).access_token;
      expect((await callApi(other, token)).status).toBe(200);
      await using later = await openSite({
        ...at({ block: ['127.0.0.1'] }),
        database: other.database,
        issuer: other.url,
      });
      expect((await callApi(later, token)).status).toBe(401);
      const api = await later.client({ introspection: true });
      expect(await introspectAs(later, api, token)).toEqual({ active: false });
    });
  });

  test('a registered client whose client_id is at a blocked host is refused', async () => {
    await withSite(at({ block: ['127.0.0.1'] }), async (other, person) => {
      const clientId = documents.url('/by-hand.json');
      await other.client({ clientId, type: 'public', redirectUris: [DEVICE_URI] });
      expect((await person.openAuthorize(queryFor(clientId))).status).toBe(400);
    });
  });

  test('a client_id with a dot at the end of its host is refused', async () => {
    await withSite(
      { issuer: 'https://photos.example', clientIdMetadataDocuments: true },
      async (other, by) => {
        for (const clientId of ['https://evil.example./doc', 'https://evil.example.:443/doc'])
          expect((await refusal(clientId, { at: other, by })).text).toContain('dot at the end of its host');
      },
    );
  });

  test('a client at a host outside trust.allow is refused if applications need approval', async () => {
    const options = (trust: object) => ({ ...at(trust), applications: { approval: true } });
    await withSite(options({}), async (other, person) => {
      const { text } = await refusal(documents.publish(nextPath()), { at: other, by: person });
      expect(text).toContain('does not let in applications of 127.0.0.1');
    });
    await withSite(options({ allow: ['127.0.0.1'] }), async (_other, person) => {
      expect((await person.openAuthorize(queryFor(documents.publish(nextPath())))).status).toBe(200);
    });
  });

  test('a redirect URI at another host is refused, while others of the client document work', async () => {
    const elsewhere = 'https://evil.example/cb';
    const clientId = documents.publish(nextPath(), {
      redirect_uris: [elsewhere, DEVICE_URI],
      client_uri: 'https://evil.example/',
    });
    const { status, text } = await refusal(clientId, { redirectUri: elsewhere });
    expect([status, text.includes('redirect')]).toEqual([400, true]);
    expect((await ada.openAuthorize(queryFor(clientId))).status).toBe(200);
  });

  test('a redirect URI at another host is accepted with anyRedirectHost', async () => {
    const options = { clientIdMetadataDocuments: { allowLoopback: true, anyRedirectHost: true } };
    await withSite(options, async (_other, person) => {
      const redirectUri = 'https://elsewhere.example/cb';
      const clientId = documents.publish(nextPath(), { redirect_uris: [redirectUri] });
      expect((await person.openAuthorize(queryFor(clientId, redirectUri))).status).toBe(200);
    });
  });

  test.each<[object, string]>([
    [{ trust: { verified: ['https://claude.ai'] } }, 'a host in lower case'],
    [{ trust: { verified: ['https://claude.ai/a/../b'] } }, 'or a whole client id'],
    [{ trust: { verified: ['http://claude.ai/client.json'] } }, 'or a whole client id'],
    [{ trust: { verified: ['https://eve@claude.ai/client.json'] } }, 'or a whole client id'],
    [{ trust: { block: ['https://claude.ai/client.json'] } }, 'a host in lower case'],
    [{ trust: { verify: ['claude.ai'] } }, 'there are allow, block, verified'],
    [{ grantTypes: ['implicit'] }, "'implicit' is not among grantTypes"],
    [{ scopes: ['photos:delete'] }, "'photos:delete' is not among scopes"],
  ])('the server does not start with %j', async (given, problem) => {
    await expect(openSite({ clientIdMetadataDocuments: given })).rejects.toThrow(problem);
  });
});

describe('impersonation', () => {
  test('the consent page does not show the name of the site as the client_name of an unverified client', async () => {
    const clientId = documents.publish(nextPath(), { client_name: 'Photo Site' });
    const { text } = await ada.openAuthorize(queryFor(clientId));
    expect(text).not.toContain('Photo Site');
  });

  test('a host is not verified by a part of its name or a wildcard for its subdomains', async () => {
    const options = {
      clientIdMetadataDocuments: {
        allowLoopback: true,
        trust: { verified: ['calhost', '*.calhost', '*.localhost'] },
      },
    };
    await withSite(options, async (_other, person) => {
      const clientId = documents.publish(nextPath(), {}, { host: 'localhost' });
      expect((await person.openAuthorize(queryFor(clientId))).text).toContain('id="client-unverified"');
    });
  });

  test('the consent page shows markup in a client_id as text', async () => {
    const clientId = `${documents.url('/a')}?x='onload=alert(1)'`;
    documents.answer('/a?x=%27onload=alert(1)%27', (_req, res) =>
      res.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          client_id: clientId,
          redirect_uris: [DEVICE_URI],
          token_endpoint_auth_method: 'none',
        }),
      ),
    );
    const { status, text } = await ada.openAuthorize(queryFor(clientId));
    expect([status, text.includes(`'onload=alert(1)'`)]).toEqual([200, false]);
  });
});
