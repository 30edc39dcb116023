import { afterEach, describe, expect, test } from '@jest/globals';

import { authorizationServer } from '../../lib/index.js';
import { registerApplication } from '../support/applications.js';
import { mergeOptions } from '../support/merge-options.js';
import { locationOf, logInPerson, pageAfter } from '../support/person.js';
import { register } from '../support/registration.js';
import { openSite, SCOPES, type Site, type SiteOptions } from '../support/site.js';
import { createPkce, postToken } from '../support/tokens.js';

let site: Site;
const open = async (options: SiteOptions = {}) => {
  site = await openSite(
    mergeOptions({ security: { rateLimits: false }, registration: { open: true } }, options),
  );
};
afterEach(() => site.close());

const byCode = async (uri: string) => {
  try {
    return (await site.client({ redirectUris: [uri] })).redirectUris[0];
  } catch (error) {
    return (error as Error).message;
  }
};
const byStranger = async (uri: string) => {
  const { status, body } = await register(site, { redirect_uris: [uri], token_endpoint_auth_method: 'none' });
  return status === 201 ? uri : String(body.error_description);
};
/** The error of the applications page; the URI if it was registered. */
const byPage = async (uri: string) => {
  const ada = await logInPerson(site);
  const { text } = await pageAfter(ada.agent, await registerApplication(ada.agent, { redirect_uris: uri }));
  const [, problem] = /id="redirect-uris-problem[^>]*>([^<]*)</.exec(text) ?? [];
  return problem ?? (text.includes('id="client-secret"') ? uri : text);
};

const APPS = ['myapp://callback', 'workbuddy:/oauth', 'obsidian://cb?x=1'];
const LOOPBACK = ['http://app.localhost:3000/cb', 'http://a.b.localhost/cb', 'http://127.1.2.3:8080/cb'];
const INTRANET = ['http://wiki.intra.example/cb', 'http://192.168.1.20:8123/cb', 'http://app:3000/cb'];

describe('private-use schemes without a dot', () => {
  test('a private-use scheme without a dot is registered by code alone', async () => {
    await open();
    for (const uri of APPS) {
      expect(await byCode(uri)).toBe(uri);
      expect(await byStranger(uri)).toContain('has no dot');
      expect(await byPage(uri)).not.toBe(uri);
    }
  });

  test('a scheme in privateSchemes is registered by code, strangers and developers', async () => {
    await open({ security: { privateSchemes: ['myapp'] } });
    expect([await byCode('myapp://cb'), await byStranger('myapp://cb'), await byPage('myapp://cb')]).toEqual([
      'myapp://cb',
      'myapp://cb',
      'myapp://cb',
    ]);
    expect(await byStranger('workbuddy://cb')).toContain('workbuddy: has no dot');
  });

  test('a scheme that reaches no application is refused, even in privateSchemes', async () => {
    await open();
    for (const uri of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///x',
      'mailto:a@b.example',
      'intent://x',
    ])
      for (const by of [byCode, byStranger]) expect(await by(uri)).toContain('is not possible');
    for (const privateSchemes of [['javascript'], ['https'], ['http'], ['My App'], ['myapp:'], ['mailto']])
      expect(() =>
        authorizationServer({
          issuer: site.url,
          connection: site.database.connection,
          scopes: SCOPES,
          login: '/login',
          security: { privateSchemes },
        }),
      ).toThrow(/privateSchemes/);
  });

  test('a user consents each time to an app with a scheme without a dot (RFC 8252 §8.6)', async () => {
    await open();
    const app = await site.client({ type: 'public', redirectUris: ['myapp://callback'] });
    const { code_verifier, challenge } = createPkce();
    const ada = await logInPerson(site);
    const requested = {
      response_type: 'code',
      client_id: app.clientId,
      redirect_uri: 'myapp://callback',
      scope: 'photos:read',
      ...challenge,
    };
    const page = await ada.openAuthorize(requested);
    expect(page.headers['content-security-policy']).toContain('form-action');
    expect(page.headers['content-security-policy']).toContain('myapp:');
    const code = (await ada.authorize(requested)).searchParams.get('code');
    const redeemed = await postToken(site, {
      grant_type: 'authorization_code',
      client_id: app.clientId,
      redirect_uri: 'myapp://callback',
      code: String(code),
      code_verifier,
    });
    expect(redeemed.status).toBe(200);
    const silent = locationOf(await ada.openAuthorize({ ...requested, prompt: 'none' }));
    expect(silent.searchParams.get('error')).toMatch(/_required$/);
  });
});

describe('http: redirect URIs', () => {
  test('http: redirect URIs on loopback are registered by code, developers and strangers', async () => {
    await open();
    for (const uri of LOOPBACK)
      expect([await byCode(uri), await byPage(uri), await byStranger(uri)]).toEqual([uri, uri, uri]);
  });

  test('http: redirect URIs to another machine need dangerouslyAllowInsecureHttp', async () => {
    await open();
    for (const uri of INTRANET) {
      expect(await byCode(uri)).toContain('http: is possible on loopback only');
      expect(await byPage(uri)).toContain('Without TLS');
      expect(await byStranger(uri)).toContain('http: is possible on loopback only');
    }
  });

  test('with dangerouslyAllowInsecureHttp code and developers register http:, strangers cannot', async () => {
    await open({ security: { dangerouslyAllowInsecureHttp: true } });
    for (const uri of INTRANET) {
      expect([await byCode(uri), await byPage(uri)]).toEqual([uri, uri]);
      expect(await byStranger(uri)).toContain('http: is possible on loopback only');
    }
  });

  test('an issuer at a name below localhost needs no dangerouslyAllowInsecureHttp', async () => {
    await open();
    const at = (issuer: string) => () =>
      authorizationServer({
        issuer,
        connection: site.database.connection.useDb(`other_${issuer.length}`),
        scopes: SCOPES,
        login: '/login',
      });
    expect(at('http://app.localhost:3000')).not.toThrow();
    expect(at('http://app.localhost.evil.example:3000')).toThrow(/without TLS/);
  });
});

describe('each refusal says what is wrong', () => {
  test.each([
    ['com.example.my_app:/cb', 'its scheme has an underscore'],
    ['1app:/cb', 'its scheme has a 1'],
    ['app.example/cb', 'does not begin with a scheme'],
    ['localhost:3000/cb', 'write http:// or https:// before localhost:'],
    ['myapp://cb', 'the private-use scheme myapp: has no dot'],
    ['http://app.example/cb', 'http: is possible on'],
  ])('the refusal of redirect URI %s says: %s', async (uri, terms) => {
    await open();
    expect(await byStranger(uri)).toContain(terms);
  });

  test('the applications page explains a refused redirect URI in its language', async () => {
    await open();
    expect(await byPage('com.example.my_app:/cb')).toContain('Its scheme has _.');
  });
});
