import { describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import type { ClientWithSecret, NewClient } from '../../../lib/index.js';
import { clientIdIn, registerApplication } from '../../support/applications.js';
import {
  codeQuery,
  fragmentOf,
  locationOf,
  logInPerson,
  type Person,
  type Query,
  tickedScopes,
} from '../../support/person.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { createPkce, obtainTokens, redeem } from '../../support/tokens.js';

const site = siteFor({ grantTypes: ['authorization_code', 'refresh_token', 'implicit'] });
const ada = fixture(() => logInPerson(site));

const requestOf = ({ clientId }: ClientWithSecret, more: Query = {}): Query =>
  codeQuery(clientId, { state: 'xyz', ...more });
const isConsentPage = (response: Response) =>
  response.status === 200 && response.text.includes('id="consent-form"');

/** Opens the authorization endpoint; returns whether the person is asked. */
async function isRequested(person: Person, query: Query): Promise<boolean> {
  return isConsentPage(await person.openAuthorize(query));
}

describe('§10.2 the consent page', () => {
  test('§10.2 the consent page shows the client, the scopes, the account and the redirect host [10.2-3] [10.12-3]', async () => {
    const client = await site.client({ name: 'Ink & Paper' });
    const { text } = await ada.openAuthorize(requestOf(client, { scope: 'photos:read profile' }));
    expect(text).toContain('Ink &amp; Paper');
    expect(text).toContain('See your photos');
    expect(text).toContain('See your name');
    const [can = '', cannot] = text.split('It will not be able to:');
    expect(can).not.toContain('Add and delete photos');
    expect(cannot).toContain('Add and delete photos');
    expect(text).toContain('Name of ada');
    expect(text).toContain('print.example');
  });
});

describe('§3.3 the choice of scopes', () => {
  test('§3.3 a deselected scope is not granted, and the response has the granted scopes [3.3-1] [5.1-4]', async () => {
    const client = await site.client();
    const location = await ada.authorize(requestOf(client, { scope: 'photos:read photos:write profile' }), {
      scopes: ['photos:read', 'profile'],
    });
    const { body } = await redeem(site, client, location.searchParams.get('code') ?? '');
    expect(body.scope.split(' ').sort()).toEqual(['photos:read', 'profile']);
  });

  test('§4.2.2 the implicit grant does not grant a deselected scope [3.3-1] [4.2.2-4]', async () => {
    const client = await site.client();
    const location = await ada.authorize(
      requestOf(client, { response_type: 'token', scope: 'photos:read profile' }),
      { scopes: ['profile'] },
    );
    expect(fragmentOf(location).get('scope')).toBe('profile');
  });

  test('§3.3 a scope that was not requested cannot be granted by the form [10.12-3]', async () => {
    const client = await site.client();
    const location = await ada.authorize(requestOf(client, { scope: 'profile' }), {
      scopes: ['profile', 'photos:write'],
    });
    const { body } = await redeem(site, client, location.searchParams.get('code') ?? '');
    expect(body.scope).toBe('profile');
  });

  test('§4.1.2.1 a form with all scopes deselected is answered access_denied', async () => {
    const location = await ada.authorize(requestOf(await site.client()), { scopes: [] });
    expect(location.searchParams.get('error')).toBe('access_denied');
  });

  test('§4.1.2.1 a denial grants nothing, and the person is asked again next time [10.12-3]', async () => {
    const query = requestOf(await site.client());
    const location = await ada.authorize(query, { decision: 'deny' });
    expect(location.searchParams.get('error')).toBe('access_denied');
    expect(location.searchParams.has('code')).toBe(false);
    expect(await isRequested(ada, query)).toBe(true);
  });
});

describe('§10.2 consent is remembered', () => {
  test('§10.2 a person who has allowed a client is not asked for the same scopes again [10.2-4]', async () => {
    const client = await site.client();
    await ada.authorize(requestOf(client));
    const again = await ada.openAuthorize(requestOf(client));
    expect(locationOf(again).searchParams.get('code')).toMatch(/./);
  });

  test('consent is remembered until the client requests more scopes', async () => {
    const client = await site.client();
    await ada.authorize(requestOf(client, { scope: 'photos:read profile' }));
    expect(await isRequested(ada, requestOf(client, { scope: 'profile' }))).toBe(false);
    expect(await isRequested(ada, requestOf(client, { scope: 'photos:read photos:write' }))).toBe(true);
    // later consent adds scopes
    await ada.authorize(requestOf(client, { scope: 'photos:write' }));
    expect(await isRequested(ada, requestOf(client, { scope: 'photos:read photos:write profile' }))).toBe(
      false,
    );
  });

  test('a deselected scope is requested again and preselected', async () => {
    const client = await site.client();
    const query = requestOf(client, { scope: 'photos:read photos:write' });
    await ada.authorize(query, { scopes: ['photos:read'] });
    const page = await ada.openAuthorize(query);
    expect(isConsentPage(page)).toBe(true);
    // the new scope first
    expect(tickedScopes(page)).toEqual(['photos:write', 'photos:read']);
  });

  describe('the last decision is remembered', () => {
    const asking = (client: ClientWithSecret, scope: string | undefined, more: Query = {}) =>
      requestOf(client, { scope, prompt: 'consent', ...more });
    const allowed = async (client: ClientWithSecret) =>
      (await site.database.collection('oauth_consents').findOne({ clientId: client.clientId }))
        ?.scopes as unknown;

    test('a scope that was allowed and later deselected is not granted silently', async () => {
      const client = await site.client();
      await ada.authorize(requestOf(client));
      await ada.authorize(asking(client, 'photos:read photos:write'), { scopes: ['photos:read'] });
      expect(await allowed(client)).toEqual(['profile', 'photos:read']);
      expect(await isRequested(ada, requestOf(client, { scope: 'photos:read photos:write' }))).toBe(true);
      expect(await isRequested(ada, requestOf(client, { scope: 'photos:read profile' }))).toBe(false);
      const silent = await ada.openAuthorize(requestOf(client, { prompt: 'none' }));
      expect(locationOf(silent).searchParams.get('error')).toBe('consent_required');
    });

    test('a scope that was allowed and later denied is not granted silently, while other scopes stay allowed', async () => {
      const client = await site.client();
      await ada.authorize(requestOf(client));
      await ada.authorize(asking(client, 'photos:write'), { decision: 'deny' });
      expect(await isRequested(ada, requestOf(client, { scope: 'photos:write' }))).toBe(true);
      expect(await isRequested(ada, requestOf(client, { scope: 'photos:read profile' }))).toBe(false);
    });

    test('a denial of all scopes deletes the consent', async () => {
      const client = await site.client();
      await ada.authorize(requestOf(client));
      await ada.authorize(asking(client, undefined), { decision: 'deny' });
      expect(await allowed(client)).toBeUndefined();
      const silent = await ada.openAuthorize(requestOf(client, { prompt: 'none' }));
      expect(locationOf(silent).searchParams.get('error')).toBe('login_required');
    });

    test('two concurrent decisions keep only scopes that neither has deselected', async () => {
      const client = await site.client();
      await ada.authorize(requestOf(client));
      const pages = await Promise.all([
        ada.openAuthorize(asking(client, 'photos:read photos:write')),
        ada.openAuthorize(asking(client, 'photos:write profile')),
      ]);
      await Promise.all(
        [['photos:read'], ['profile']].map((scopes, index) =>
          ada.choose(pages[index] as Response, { scopes }),
        ),
      );
      expect([...((await allowed(client)) as string[])].sort()).toEqual(['photos:read', 'profile']);
    });
  });

  test('consent is remembered for this person only', async () => {
    const client = await site.client();
    await ada.authorize(requestOf(client));
    const grace = await logInPerson(site, 'grace');
    expect(await isRequested(grace, requestOf(client))).toBe(true);
  });

  test('consent is remembered for this client only', async () => {
    await ada.authorize(requestOf(await site.client()));
    expect(await isRequested(ada, requestOf(await site.client()))).toBe(true);
  });
});

describe('trusted clients and clients on a device', () => {
  test('a trusted client gets a code without a consent page', async () => {
    const client = await site.client({ trusted: true });
    expect(locationOf(await ada.openAuthorize(requestOf(client))).searchParams.get('code')).toMatch(/./);
    expect((await obtainTokens(site, client)).scope.split(' ')).toHaveLength(3);
  });

  test('a developer cannot make an application trusted by the form [10.12-3]', async () => {
    const page = await registerApplication(ada.agent, { trusted: 'true' });
    expect(await site.oauth.clients.find(clientIdIn(page))).toMatchObject({ trusted: false });
  });

  const onDevice: readonly [string, Partial<NewClient>][] = [
    ['on loopback', { redirectUris: ['http://127.0.0.1/callback'] }],
    ['at a private-use scheme', { redirectUris: ['com.example.print:/callback'] }],
  ];

  test.each(onDevice)(
    '§10.2 a public client %s needs consent each time, because any program could take its place [2.3-1] [10.2-4] [10.1-3]',
    async (_where, options) => {
      const client = await site.client({ type: 'public', ...options });
      const query = requestOf(client, { redirect_uri: options.redirectUris?.[0], ...createPkce().challenge });
      expect((await ada.authorize(query)).searchParams.get('code')).toMatch(/./);
      expect(await isRequested(ada, query)).toBe(true);
    },
  );

  test('§10.2 a trusted public client on loopback needs consent [2.3-1] [10.2-4]', async () => {
    const client = await site.client({
      type: 'public',
      trusted: true,
      redirectUris: ['http://127.0.0.1/callback'],
    });
    expect(
      await isRequested(
        ada,
        requestOf(client, { redirect_uri: 'http://127.0.0.1:51004/callback', ...createPkce().challenge }),
      ),
    ).toBe(true);
  });

  test('§10.2 a confidential client with the implicit grant on loopback needs consent each time [10.2-4]', async () => {
    const client = await site.client({ redirectUris: ['http://127.0.0.1/callback'] });
    const query = requestOf(client, {
      response_type: 'token',
      redirect_uri: 'http://127.0.0.1:51004/callback',
    });
    await ada.authorize(query);
    expect(await isRequested(ada, query)).toBe(true);
  });

  test('§10.2 a public client at an https: address needs consent once [10.1-3] [10.2-4]', async () => {
    const client = await site.client({ type: 'public' });
    const query = requestOf(client, createPkce().challenge);
    await ada.authorize(query);
    expect(await isRequested(ada, query)).toBe(false);
  });
});
