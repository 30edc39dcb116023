import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, exportPKCS8, generateKeyPair, SignJWT } from 'jose';
import type { Response } from 'supertest';

import {
  clientIdIn,
  editApplication,
  openNewApplication,
  registerApplication,
  ROOT,
  secretIn,
} from '../support/applications.js';
import { createTestKey } from '../support/assertions.js';
import { hiddenFields, logInPerson, pageAfter, postForm, unescapeHtml } from '../support/person.js';
import { openSite } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';

const FIELDS = {
  name: 'Archive',
  grant_type: ['authorization_code', 'refresh_token', 'client_credentials'],
};
let jwk: object;
let privateKey: string;
/** In this package, so that the copied code resolves the client libraries. */
let folder: string;
const site = siteFor({
  security: { rateLimits: false },
  applications: { grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'] },
});
const ada = fixture(() => logInPerson(site));

beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  jwk = { ...(await exportJWK(pair.publicKey)), kid: 'first', alg: 'ES256' };
  privateKey = await exportPKCS8(pair.privateKey);
  folder = await mkdtemp(join(process.cwd(), 'test-artifacts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const register = (fields = {}) => registerApplication(ada.agent, { ...FIELDS, ...fields });
const edit = (clientId: string, fields: object) =>
  editApplication(ada.agent, clientId, { ...FIELDS, ...fields });
const snippetIn = ({ text }: Response, id: string) =>
  unescapeHtml(new RegExp(`<pre id="snippet-${id}"[^>]*><code>([^]*?)</code>`).exec(text)?.[1] ?? '');
const token = (clientId: string, secret: string) =>
  postForm(ada.agent, '/oauth/token', { grant_type: 'client_credentials' }).auth(clientId, secret);

describe('an application with keys instead of a secret', () => {
  it('an application with a key set gets no secret, and its page lists the keys', async () => {
    const answer = await register({ authentication: 'jwks', jwks: JSON.stringify({ keys: [jwk] }) });
    expect(answer.status).toBe(201);
    expect(secretIn(answer)).toBeUndefined();
    expect(answer.text).toContain('<code>first</code>');
    expect(answer.text).not.toContain('application-rotate');
    expect(await site.oauth.clients.find(clientIdIn(answer))).toMatchObject({
      jwks: { keys: [jwk] },
      tokenEndpointAuthMethod: 'private_key_jwt',
      secrets: [],
    });
  });

  it('a single key becomes a set of one', async () => {
    const answer = await register({ authentication: 'jwks', jwks: JSON.stringify(jwk) });
    expect(await site.oauth.clients.find(clientIdIn(answer))).toMatchObject({ jwks: { keys: [jwk] } });
  });

  it('an application can have the address of its keys', async () => {
    const answer = await register({
      authentication: 'jwks_uri',
      jwks_uri: ' https://archive.example/jwks.json ',
    });
    expect(answer.status).toBe(201);
    expect(await site.oauth.clients.find(clientIdIn(answer))).toMatchObject({
      jwksUri: 'https://archive.example/jwks.json',
      tokenEndpointAuthMethod: 'private_key_jwt',
    });
  });

  it.each([
    ['empty keys', { authentication: 'jwks', jwks: ' ' }, 'Enter the public keys.'],
    ['invalid JSON', { authentication: 'jwks', jwks: '{' }, 'The keys are not valid JSON.'],
    ['a list', { authentication: 'jwks', jwks: '[]' }, 'This is no key set.'],
    ['null', { authentication: 'jwks', jwks: 'null' }, 'This is no key set.'],
    ['an empty set', { authentication: 'jwks', jwks: '{"keys":[]}' }, 'The set has 0 keys.'],
    [
      'a private key',
      { authentication: 'jwks', jwks: '{"keys":[{"kty":"EC","d":"x"}]}' },
      'This is a private or secret key',
    ],
    [
      'an unknown type of key',
      { authentication: 'jwks', jwks: '{"keys":[{"kty":"<script>"}]}' },
      'other than RSA, EC and OKP',
    ],
    ['no address', { authentication: 'jwks_uri', jwks_uri: '' }, 'Enter the address of the public keys.'],
    [
      'an address without TLS',
      { authentication: 'jwks_uri', jwks_uri: 'http://archive.example/' },
      'must begin with https://.',
    ],
    [
      'javascript:',
      { authentication: 'jwks_uri', jwks_uri: 'javascript:alert(1)' },
      'must begin with https://.',
    ],
    ['an unknown method', { authentication: 'trust' }, 'Choose how it authenticates.'],
  ])('%s of an application is refused at the field, and nothing is stored', async (_what, fields, reason) => {
    const before = await site.database.collection('oauth_clients').countDocuments();
    const answer = await pageAfter(ada.agent, await register(fields));
    expect(answer.status).toBe(422);
    expect(unescapeHtml(answer.text)).toContain(reason);
    expect(await site.database.collection('oauth_clients').countDocuments()).toBe(before);
  });

  it('a change from a secret to keys and back ends the old secret and shows a new one', async () => {
    const made = await register();
    const [clientId, old] = [clientIdIn(made), secretIn(made) ?? ''];
    expect((await token(clientId, old)).status).toBe(200);
    expect((await edit(clientId, { authentication: 'jwks', jwks: JSON.stringify(jwk) })).status).toBe(303);
    expect((await token(clientId, old)).status).toBe(401);
    const back = await edit(clientId, { authentication: 'secret' });
    expect(back.status).toBe(200);
    expect(await site.oauth.clients.find(clientId)).not.toHaveProperty('jwks');
    expect((await token(clientId, old)).status).toBe(401);
    expect((await token(clientId, secretIn(back) ?? '')).status).toBe(200);
  });

  it('a change of the name leaves the keys', async () => {
    const clientId = clientIdIn(
      await register({ authentication: 'jwks_uri', jwks_uri: 'https://archive.example/jwks.json' }),
    );
    const page = await ada.agent.get(`${ROOT}/${clientId}/edit`);
    expect(page.text).toMatch(/value="jwks_uri" checked/);
    await edit(clientId, {
      name: 'Archive 2',
      authentication: 'jwks_uri',
      jwks_uri: 'https://archive.example/jwks.json',
    });
    expect(await site.oauth.clients.find(clientId)).toMatchObject({
      name: 'Archive 2',
      jwksUri: 'https://archive.example/jwks.json',
    });
  });
});

describe('redirect URIs', () => {
  it('each refused redirect URI is listed with its line and its reason', async () => {
    const sent = await register({
      redirect_uris: 'https://ok.example/\r\n\r\nhttp://print.example/\r\n<script>alert(1)</script>',
    });
    const { text } = await pageAfter(ada.agent, sent);
    const refused = [
      ...text.matchAll(
        /<li><span class="eas-refused-line"><span class="eas-badge">(.*?)<\/span> <code dir="ltr">(.*?)<\/code><\/span> <span>(.*?)<\/span><\/li>/g,
      ),
    ].map(([, line, uri, reason]) => [line, unescapeHtml(uri ?? ''), reason]);
    expect(refused).toEqual([
      [
        'Line 3',
        'http://print.example/',
        'Without TLS only this device is possible: localhost, *.localhost, 127.0.0.0/8 and [::1]. Use https: for every other host.',
      ],
      [
        'Line 4',
        '<script>alert(1)</script>',
        'It has a space or another character that must be percent-encoded.',
      ],
    ]);
    expect(text).not.toContain('<script>alert');
  });

  it('the reason for a refused redirect URI is in the person’s language', async () => {
    const send = await openNewApplication(ada.agent, { redirect_uris: 'https://*.example/' });
    const { text } = await send().set('Accept-Language', 'de').redirects(1);
    expect(text).toContain('Zeile 1');
    expect(text).toContain('Platzhalter sind nicht möglich');
  });
});

describe('the old secret', () => {
  it('the old secret can be ended early, and a second click changes nothing', async () => {
    const made = await register();
    const [clientId, old] = [clientIdIn(made), secretIn(made) ?? ''];
    const path = `${ROOT}/${clientId}`;
    expect(made.text).not.toContain('application-end-old');
    const rotated = await postForm(ada.agent, `${path}/rotate-secret`, hiddenFields(made));
    expect(rotated.text).toContain('id="application-end-old"');
    expect((await token(clientId, old)).status).toBe(200);
    const form = hiddenFields(rotated);
    for (let click = 0; click < 2; click += 1) {
      const answer = await postForm(ada.agent, `${path}/end-old-secret`, form);
      expect(answer.headers.location).toBe(path);
      expect((await pageAfter(ada.agent, answer)).text).toContain('The old secret has ended.');
    }
    expect((await token(clientId, old)).status).toBe(401);
    expect((await token(clientId, secretIn(rotated) ?? '')).status).toBe(200);
  });

  it('a form from before a rotation does not end the old secret', async () => {
    const made = await register();
    const clientId = clientIdIn(made);
    await site.oauth.clients.rotateSecret(clientId);
    const answer = await postForm(ada.agent, `${ROOT}/${clientId}/end-old-secret`, hiddenFields(made));
    expect((await pageAfter(ada.agent, answer)).text).toContain('so nothing was done');
    expect((await site.oauth.clients.find(clientId))?.secrets).toHaveLength(2);
  });
});

describe('deleting', () => {
  it('only the name or the client id confirms a deletion', async () => {
    const clientId = clientIdIn(await register({ name: 'Ada’s  Archive' }));
    const send = async (confirmation?: string) =>
      postForm(ada.agent, `${ROOT}/${clientId}/delete`, {
        ...hiddenFields(await ada.agent.get(`${ROOT}/${clientId}/delete`)),
        confirmation,
      });
    for (const wrong of [undefined, '', 'ada’s archive', 'Archive', ROOT]) {
      const answer = await pageAfter(ada.agent, await send(wrong));
      expect(answer.status).toBe(422);
      expect(answer.text).toContain('That is not its name');
    }
    expect(await site.oauth.clients.find(clientId)).not.toBeNull();
    const deleted = await pageAfter(ada.agent, await send(' Ada’s Archive '));
    expect(deleted.text).toContain('The application is deleted');
    expect(await site.oauth.clients.find(clientId)).toBeNull();
  });

  it('a second deletion is harmless', async () => {
    const clientId = clientIdIn(await register());
    const form = {
      ...hiddenFields(await ada.agent.get(`${ROOT}/${clientId}/delete`)),
      confirmation: clientId,
    };
    const click = () => postForm(ada.agent, `${ROOT}/${clientId}/delete`, form).expect(303);
    await click();
    expect((await ada.agent.get((await click()).headers.location!)).text).toContain('which did no harm');
  });
});

describe('code to copy', () => {
  /** Runs a snippet as a separate module, and returns its exports. */
  async function load<T>(code: string, environment: Readonly<Record<string, string>> = {}): Promise<T> {
    const file = join(folder, `${Math.random().toString(36).slice(2)}.mjs`);
    await writeFile(file, code);
    Object.assign(process.env, environment);
    return (await import(pathToFileURL(file).href)) as T;
  }
  interface CodeFlow {
    readonly begin: () => Promise<{ address: string }> | { address: string };
    readonly finish: (address: string, stored: object) => Promise<{ access_token: string }>;
  }
  async function runCodeFlow(code: string, environment = {}): Promise<void> {
    const { begin, finish } = await load<CodeFlow>(code, environment);
    const stored = await begin();
    const page = await ada.openAuthorize(new URL(stored.address).search.slice(1));
    const answer = page.status === 200 ? await ada.choose(page) : page;
    const tokens = await finish(answer.headers.location ?? '', stored);
    await ada.agent.get('/api/photos').set('Authorization', `Bearer ${tokens.access_token}`).expect(200);
  }

  it.each(['openid-client', 'simple-oauth2'])(
    'the code for %s works unchanged, with the secret from the environment',
    async (library) => {
      const made = await register();
      const environment = { CLIENT_SECRET: secretIn(made) ?? '' };
      expect(snippetIn(made, `authorization_code-${library}`)).not.toContain('eas_cs_');
      await runCodeFlow(snippetIn(made, `authorization_code-${library}`), environment);
      const itself = await load<{ tokens?: { access_token: string }; token?: { access_token: string } }>(
        snippetIn(made, `client_credentials-${library}`),
        environment,
      );
      expect((itself.tokens ?? itself.token)?.access_token).toMatch(/^eas_at_/);
    },
  );

  it.each(['openid-client', 'simple-oauth2'])(
    'the code for %s works for a public application, with PKCE and without a secret',
    async (library) => {
      const made = await register({ type: 'public', grant_type: ['authorization_code'] });
      const code = snippetIn(made, `authorization_code-${library}`);
      expect(code).not.toContain('CLIENT_SECRET');
      await runCodeFlow(code);
    },
  );

  it('an application with keys has code for openid-client, and none for simple-oauth2', async () => {
    const made = await register({ authentication: 'jwks', jwks: JSON.stringify(jwk) });
    expect(snippetIn(made, 'authorization_code-simple-oauth2')).toBe('');
    await runCodeFlow(snippetIn(made, 'authorization_code-openid-client'), {
      CLIENT_PRIVATE_KEY: privateKey,
    });
  });

  it.each([{ tokenEndpointAuthMethod: 'tls_client_auth', tlsClientAuthSubjectDn: 'CN=shop' }])(
    'the code of a client with $tokenEndpointAuthMethod sends its certificate',
    async (fields) => {
      await using tls = await openSite({
        mutualTls: { endpointAliases: 'https://mtls.photos.example' },
      });
      const person = await logInPerson(tls);
      const { clientId } = await tls.client({ ownerId: 'ada', ...fields });
      const page = await person.agent.get(`${ROOT}/${clientId}`).expect(200);
      const curl = snippetIn(page, 'authorization_code-curl');
      expect(curl).toContain('# CLIENT_CERTIFICATE and CLIENT_KEY come from the environment');
      expect(curl).toContain("curl 'https://mtls.photos.example/oauth/token'");
      expect(curl).toContain('--cert "$CLIENT_CERTIFICATE" --key "$CLIENT_KEY"');
      expect(curl).toContain(`client_id=${clientId}`);
      const code = snippetIn(page, 'authorization_code-openid-client');
      expect(code).toContain('client.TlsClientAuth()');
      expect(code).toContain('{ use_mtls_endpoint_aliases: true }');
      for (const displayed of [curl, code])
        expect(displayed).not.toMatch(/assertion|PRIVATE_KEY|CLIENT_SECRET/i);
    },
  );

  it('the code of a SPIFFE client takes the JWT-SVID from the environment', async () => {
    const key = await createTestKey();
    await using attested = await openSite({
      spiffe: { 'photos.example': { jwks: { keys: [key.publicJwk] } } },
    });
    const person = await logInPerson(attested);
    const sub = 'spiffe://photos.example/publisher';
    const { clientId } = await attested.client({
      ownerId: 'ada',
      grantTypes: ['client_credentials'],
      redirectUris: [],
      spiffeId: sub,
    });
    const page = await person.agent.get(`${ROOT}/${clientId}`).expect(200);
    expect(page.text).toContain(`<dt>SPIFFE ID</dt><dd>${sub}</dd>`);
    expect(page.text).toContain('attested by its platform');
    const curl = snippetIn(page, 'client_credentials-curl');
    expect(curl).toContain('# JWT_SVID comes from the environment');
    expect(curl).toContain('client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-spiffe');
    expect(curl).toContain('"client_assertion=$JWT_SVID"');
    const JWT_SVID = await new SignJWT({ sub, aud: attested.url })
      .setProtectedHeader({ alg: key.alg, kid: String(key.publicJwk.kid) })
      .setExpirationTime('1m')
      .sign(key.privateKey);
    const code = snippetIn(page, 'client_credentials-openid-client');
    expect(code).not.toMatch(/PRIVATE_KEY|CLIENT_SECRET/);
    const { tokens } = await load<{ tokens: { access_token: string } }>(code, { JWT_SVID });
    expect(tokens.access_token).toMatch(/^eas_at_/);
  });

  it('curl commands are safe for the shell whatever the values are, and contain no secret', async () => {
    const client = await site.client({
      ownerId: 'ada',
      clientId: `a'b";$(touch${'$'}{IFS}x)`,
      redirectUris: [`https://print.example/'$(id)&x=1`],
      grantTypes: ['authorization_code', 'client_credentials'],
    });
    const page = await ada.agent.get(`${ROOT}/${encodeURIComponent(client.clientId)}`).expect(200);
    // curl becomes a function that prints its arguments
    const run = (id: string) =>
      execFileSync('bash', ['-c', `curl() { printf '%s\\n' "$@"; }\n${snippetIn(page, id)}`], {
        env: { ...process.env, CLIENT_SECRET: 'of the test' },
        encoding: 'utf8',
      });
    const terms = run('authorization_code-curl');
    expect(terms).toContain(`redirect_uri=https://print.example/'$(id)&x=1\n`);
    expect(terms).toContain(`${encodeURIComponent(client.clientId)}:of the test\n`);
    expect(terms).toMatch(/state=[0-9a-f]{32}&code_challenge=[\w-]{43}&code_challenge_method=S256/);
    expect(run('client_credentials-curl')).toContain('scope=photos:read photos:write profile\n');
  });
});
