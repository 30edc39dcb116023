import { describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import { registerApplication } from '../../support/applications.js';
import { letPass } from '../../support/clock.js';
import { codeQuery, logInPerson, pageAfter } from '../../support/person.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { basic, obtainTokens, postToken } from '../../support/tokens.js';

const site = siteFor({
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', 'implicit'],
  applications: { grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', 'implicit'] },
});
/** The developer who registers applications. */
const developer = fixture(() => logInPerson(site, 'grace'));

/** Fills in the registration form of the site. */
async function submitForm(fields: Record<string, unknown>): Promise<Response> {
  const grantTypes = ['authorization_code', 'client_credentials'];
  const sent = await registerApplication(developer.agent, { grant_type: grantTypes, ...fields });
  return pageAfter(developer.agent, sent);
}

function displayed(page: Response, id: string): string | undefined {
  return new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(page.text)?.[1];
}

describe('§2 registration by the form', () => {
  test('§2 a developer registers a client with the form and gets valid credentials [2-1] [10.1-3]', async () => {
    const page = await submitForm({});
    expect(page.status).toBe(201);
    const [clientId = '', clientSecret = ''] = [
      displayed(page, 'client-id'),
      displayed(page, 'client-secret'),
    ];
    const response = await postToken(site, { grant_type: 'client_credentials' }).set(
      'Authorization',
      basic(clientId, clientSecret),
    );
    expect(response.status).toBe(200);
    expect(response.body.scope).toBe('photos:read');
  });
});

describe('§2.1 client types', () => {
  test('§10.1 a public client has no secret, and cannot get a secret later [10.1-2]', async () => {
    const client = await site.client({ type: 'public' });
    expect(client).not.toHaveProperty('clientSecret');
    expect(client.secrets).toEqual([]);
    await expect(site.oauth.clients.rotateSecret(client.clientId)).rejects.toMatchObject({
      error: 'invalid_client_metadata',
    });
    await expect(site.client({ type: 'public', clientSecret: 'secret' })).rejects.toMatchObject({
      error: 'invalid_client_metadata',
    });
  });

  test('§2.1 a client has its registered type, whatever its redirect URIs [2.1-1]', async () => {
    const native = await site.client({
      type: 'confidential',
      redirectUris: ['http://127.0.0.1/callback', 'com.example.print:/callback'],
    });
    expect(native.type).toBe('confidential');
    const answer = await postToken(site, {
      grant_type: 'authorization_code',
      code: 'any',
      client_id: native.clientId,
    });
    expect(answer.body.error).toBe('invalid_client');
  });

  test('§2.1 the type of a client cannot be changed [2.1-1]', async () => {
    const { clientId } = await site.client({ grantTypes: ['authorization_code'] });
    await expect(site.oauth.clients.update(clientId, { type: 'public' })).rejects.toThrow(
      /type of a client cannot be changed/,
    );
    expect(await site.oauth.clients.find(clientId)).toMatchObject({ type: 'confidential' });
  });

  test('§4.4 a public client cannot be registered for client_credentials [4.4-1]', async () => {
    await expect(site.client({ type: 'public', grantTypes: ['client_credentials'] })).rejects.toMatchObject({
      error: 'invalid_client_metadata',
    });
  });
});

describe('§2.2 client identifier', () => {
  test('§2.2 a client_id cannot be registered twice', async () => {
    const { clientId } = await site.client();
    await expect(site.client({ clientId })).rejects.toMatchObject({ error: 'invalid_client_metadata' });
  });

  test.each(['', 'ümlaut', 'a b', 'a\nb', 'a\0b', 'x'.repeat(201)])(
    '§2.2 %j cannot be a client_id [A.1-1]',
    async (clientId) => {
      await expect(site.client({ clientId })).rejects.toMatchObject({ error: 'invalid_client_metadata' });
    },
  );
});

describe('§3.1.2.2 redirect URIs', () => {
  test.each([
    ['a public client', { type: 'public', grantTypes: ['authorization_code'] }],
    ['a public client with the implicit grant', { type: 'public', grantTypes: ['implicit'] }],
    ['a confidential client with the implicit grant', { grantTypes: ['implicit'] }],
    ['any other client of the authorization endpoint', { grantTypes: ['authorization_code'] }],
  ] as const)(
    '§3.1.2.2 %s needs redirect URIs [3.1.2.2-1] [3.1.2.2-2] [3.1.2.2-3] [10.2-2] [10.6-2]',
    async (_which, more) => {
      await expect(site.client({ redirectUris: [], ...more })).rejects.toMatchObject({
        error: 'invalid_redirect_uri',
      });
    },
  );

  test('§3.1.2.2 a client cannot lose all its redirect URIs [3.1.2.2-1] [3.1.2.2-2]', async () => {
    const { clientId } = await site.client();
    await expect(site.oauth.clients.update(clientId, { redirectUris: [] })).rejects.toMatchObject({
      error: 'invalid_redirect_uri',
    });
  });

  test('§3.1.2.2 a client without redirect URIs gets an error page at the authorization endpoint [3.1.2.2-3]', async () => {
    const { clientId } = await site.client({ redirectUris: [], grantTypes: ['client_credentials'] });
    const page = await developer.openAuthorize(codeQuery(clientId));
    expect(page.status).toBe(400);
    expect(page.headers.location).toBeUndefined();
  });
});

describe('the grant types of a registration', () => {
  test('§1.5 a client without the refresh token grant gets no refresh token', async () => {
    const client = await site.client({ grantTypes: ['authorization_code'] });
    expect(await obtainTokens(site, client)).not.toHaveProperty('refresh_token');
  });
});

describe('rotating a secret', () => {
  const works = async (clientId: string, clientSecret = '') =>
    (
      await postToken(site, { grant_type: 'client_credentials' }).set(
        'Authorization',
        basic(clientId, clientSecret),
      )
    ).status === 200;

  test('the old and the new secret work for a day after a rotation, then only the new secret', async () => {
    const { clientId, clientSecret: first } = await site.client();
    const { clientSecret: second } = (await site.oauth.clients.rotateSecret(clientId)) ?? {};
    expect(second).not.toBe(first);
    expect([await works(clientId, first), await works(clientId, second)]).toEqual([true, true]);
    letPass(86_401);
    expect([await works(clientId, first), await works(clientId, second)]).toEqual([false, true]);
  });

  test('a second rotation ends the oldest secret at once', async () => {
    const { clientId, clientSecret: first } = await site.client();
    await site.oauth.clients.rotateSecret(clientId);
    const { clientSecret: third } = (await site.oauth.clients.rotateSecret(clientId)) ?? {};
    expect(await works(clientId, first)).toBe(false);
    expect(await works(clientId, third)).toBe(true);
    expect((await site.oauth.clients.find(clientId))?.secrets).toHaveLength(2);
  });

  test.each([
    ['one letter', 'a', 'fewer than 16 characters'],
    ['fifteen characters', 'not long enough', 'fewer than 16 characters'],
    ['the client name', 'A shop with a long name', 'one of the first'],
    ['the client name in lower case', 'a shop with a long name', 'one of the first'],
    ['a secret of examples', 'Your-Client-Secret', 'one of the first'],
    ['a repeated word', 'secretsecretsecret', 'again and again'],
  ])('§10.10 a secret that can be guessed is refused: %s', async (_what, clientSecret, why) => {
    await expect(
      site.client({ clientId: 'guessed', name: 'A shop with a long name', clientSecret }),
    ).rejects.toMatchObject({ error: 'invalid_client_metadata', message: expect.stringContaining(why) });
    expect(await site.oauth.clients.find('guessed')).toBeNull();
  });

  test('a rotation adds a generated secret, and the chosen secret still works', async () => {
    const { clientId } = await site.client({ clientSecret: 'chosen by a person' });
    const { clientSecret: generated } = (await site.oauth.clients.rotateSecret(clientId)) ?? {};
    expect(await works(clientId, 'chosen by a person')).toBe(true);
    expect(await works(clientId, generated)).toBe(true);
  });
});
