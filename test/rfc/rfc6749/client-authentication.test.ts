import { describe, expect, test } from '@jest/globals';
import request, { type Response } from 'supertest';

import type { ClientWithSecret } from '../../../lib/index.js';
import { postForm } from '../../support/person.js';
import { fixture, siteFor } from '../../support/site-for.js';
import {
  basic,
  clientRequest,
  createPkce,
  type Fields,
  obtainCode,
  obtainTokens,
  postToken,
  redeem,
  refreshTokens,
} from '../../support/tokens.js';

/** Characters of RFC 6749 Appendix A.1 and A.2 that a form encodes or that a decoder could misread. */
const STRANGE_ID = 'shop:1+1%41&a=b/?#~';
const STRANGE_SECRET = 'gX1f Bat%3bV+:&="\\/?#%zz~';

const site = siteFor({ security: { rateLimits: false } });
const confidential = fixture(() => site.client());
const other = fixture(() => site.client());
const publicClient = fixture(() => site.client({ type: 'public' }));
const strange = fixture(() => site.client({ clientId: STRANGE_ID, clientSecret: STRANGE_SECRET }));

/** RFC 6749 Appendix B */
function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function withHeader(authorization: string, fields: Fields = {}) {
  return postToken(site, { grant_type: 'client_credentials', ...fields }).set('Authorization', authorization);
}

function rawBasic(userAndPassword: string): string {
  return `Basic ${Buffer.from(userAndPassword).toString('base64')}`;
}

function expectInvalidClient(response: Response): void {
  expect(response.status).toBe(401);
  expect(response.body.error).toBe('invalid_client');
  expect(response.headers['www-authenticate']).toMatch(/^Basic realm="/);
  expect(response.body).not.toHaveProperty('access_token');
}

async function publicRefreshToken(client = publicClient): Promise<string> {
  const { code_verifier, challenge } = createPkce();
  const response = await redeem(site, client, await obtainCode(site, client, { query: challenge }), {
    code_verifier,
  });
  return response.body.refresh_token;
}

describe('§2.3.1 HTTP Basic', () => {
  test('§2.3.1 client_id and secret in HTTP Basic are form-urlencoded, with + or %20 for a space [2.3.1-1] [10.2-1] [A.1-1] [A.2-1]', async () => {
    for (const encode of [formEncode, encodeURIComponent])
      expect((await withHeader(rawBasic(`${encode(STRANGE_ID)}:${encode(STRANGE_SECRET)}`))).status).toBe(
        200,
      );
  });

  test('§2.3.1 the scheme Basic is accepted in any case and with several spaces [2.3.1-1]', async () => {
    const [, encoded = ''] = basic(confidential.clientId, confidential.clientSecret ?? '').split(' ');
    for (const scheme of ['basic', 'BASIC', 'bAsIc '])
      expect((await withHeader(`${scheme} ${encoded}`)).status).toBe(200);
  });

  test('§2.3.1 a wrong secret in the header is refused [2.2-1] [5.2-2]', async () => {
    expectInvalidClient(await withHeader(basic(confidential.clientId, 'wrong')));
    expectInvalidClient(await withHeader(basic(confidential.clientId, other.clientSecret ?? '')));
    expectInvalidClient(await withHeader(basic(STRANGE_ID, STRANGE_SECRET.replace('+', ' '))));
    expectInvalidClient(await withHeader(basic(STRANGE_ID, `${STRANGE_SECRET} `)));
  });

  test('§2.3.1 an unknown client gets the same error as a wrong secret [5.2-2]', async () => {
    const unknown = await withHeader(basic('nobody', 'wrong'));
    expectInvalidClient(unknown);
    expect(unknown.body).toEqual((await withHeader(basic(confidential.clientId, 'wrong'))).body);
  });

  test.each([
    ['text that is not base64', 'Basic §$%'],
    ['nothing behind the scheme', 'Basic'],
    ['only a space behind the scheme', 'Basic '],
    ['no colon', rawBasic('client')],
    ['no client', rawBasic(':secret')],
    ['a broken percent-encoding', rawBasic('client%4:secret')],
    ['bytes that are no UTF-8', rawBasic('client:%ff%fe')],
    ['a NUL', rawBasic('client%00:secret')],
  ])('§2.3.1 a header with %s is refused [5.2-2]', async (_what, authorization) => {
    // the HTTP client sends latin-1 only
    expectInvalidClient(await withHeader(Buffer.from(authorization).toString('latin1')));
  });

  test('§5.2 another authentication scheme is answered with a Basic challenge [5.2-2]', async () => {
    expectInvalidClient(await withHeader('Bearer token'));
    expectInvalidClient(await withHeader('Digest username="client"'));
  });
});

describe('§2.3.1 credentials in the body', () => {
  test('§2.3.1 client_id and client_secret in the body authenticate [2.3.1-2] [2.3.1-3]', async () => {
    for (const { clientId, clientSecret } of [confidential, strange]) {
      expect(
        (
          await postToken(site, {
            grant_type: 'client_credentials',
            client_id: clientId,
            client_secret: clientSecret ?? STRANGE_SECRET,
          })
        ).status,
      ).toBe(200);
    }
  });

  test('§2.3.1 a secret without a client_id is refused [2.3.1-2]', async () => {
    expectInvalidClient(
      await postToken(site, { grant_type: 'client_credentials', client_secret: confidential.clientSecret }),
    );
  });

  test('§2.3.1 credentials in the URI are refused, even if valid [2.3.1-4]', async () => {
    const query = new URLSearchParams({
      client_id: confidential.clientId,
      client_secret: confidential.clientSecret ?? '',
    }).toString();
    const response = await postForm(request(site.server), `/oauth/token?${query}`, {
      grant_type: 'client_credentials',
    });
    expect(response.status).toBe(400);
    expect(response.body.error).toBe('invalid_request');
  });

  test('§2.3.1 a secret in the URI is refused beside valid credentials in the header [2.3.1-4]', async () => {
    const response = await clientRequest(site, confidential, '/oauth/token?client_secret=x', {
      grant_type: 'client_credentials',
    });
    expect(response.body.error).toBe('invalid_request');
  });
});

describe('§2.3.1 empty and omitted secrets', () => {
  test('§2.3.1 a public client with the method none may send an empty secret in the header', async () => {
    const client = await site.client({
      type: 'public',
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['authorization_code', 'refresh_token'],
    });
    const refresh = { grant_type: 'refresh_token', refresh_token: await publicRefreshToken(client) };
    expectInvalidClient(await postToken(site, refresh).set('Authorization', basic(client.clientId, 'x')));
    const response = await postToken(site, refresh).set('Authorization', basic(client.clientId, ''));
    expect(response.status).toBe(200);
  });

  test('§2.3.1 a client that registers with an empty secret is public, and may send or omit the empty secret [2.3.1-3]', async () => {
    const client = await site.client({
      clientSecret: '',
      grantTypes: ['authorization_code', 'refresh_token'],
    });
    expect(client).toMatchObject({ type: 'public', secrets: [] });
    expect(client).not.toHaveProperty('clientSecret');
    const { clientId: client_id } = client;
    const refresh = (token: string) => ({ grant_type: 'refresh_token', refresh_token: token });
    const left = await postToken(site, { ...refresh(await publicRefreshToken(client)), client_id });
    expect(left.status).toBe(200);
    const inBody = await postToken(site, {
      ...refresh(left.body.refresh_token),
      client_id,
      client_secret: '',
    });
    expect(inBody.status).toBe(200);
    const inHeader = await postToken(site, refresh(inBody.body.refresh_token)).set(
      'Authorization',
      basic(client_id, ''),
    );
    expect(inHeader.status).toBe(200);
    expectInvalidClient(
      await postToken(site, refresh(inHeader.body.refresh_token)).set('Authorization', basic(client_id, 'x')),
    );
  });

  test('§2.3.1 a public client that sends a secret is refused', async () => {
    const refresh = { grant_type: 'refresh_token', refresh_token: await publicRefreshToken() };
    expectInvalidClient(
      await postToken(site, { ...refresh, client_id: publicClient.clientId, client_secret: 'x' }),
    );
    expectInvalidClient(
      await postToken(site, refresh).set('Authorization', basic(publicClient.clientId, 'x')),
    );
  });

  test.each(['generated', 'chosen'])(
    '§3.2.1 a confidential client is refused without its %s secret [2.2-1] [3.2.1-1] [10.2-1]',
    async (kind) => {
      const { clientId } = kind === 'generated' ? confidential : strange;
      expectInvalidClient(await postToken(site, { grant_type: 'client_credentials', client_id: clientId }));
      expectInvalidClient(
        await postToken(site, { grant_type: 'client_credentials', client_id: clientId, client_secret: '' }),
      );
      expectInvalidClient(await withHeader(basic(clientId, '')));
      expectInvalidClient(await withHeader(basic(clientId, ' ')));
    },
  );

  test('§3.2.1 a confidential client cannot redeem a code or a refresh token without its secret [3.2.1-1] [10.2-1]', async () => {
    const { refresh_token: refreshToken } = await obtainTokens(site, confidential);
    expectInvalidClient(
      await postToken(site, {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: confidential.clientId,
      }),
    );
    const unauthenticated = { clientId: confidential.clientId } as ClientWithSecret;
    const code = await obtainCode(site, confidential);
    expectInvalidClient(await redeem(site, unauthenticated, code));
    // a refused request does not use up the code or the token
    expect((await redeem(site, confidential, code)).status).toBe(200);
    expect((await refreshTokens(site, confidential, refreshToken)).status).toBe(200);
  });

  test('§2.3.1 a confidential client cannot be registered with an empty secret', async () => {
    await expect(site.client({ type: 'confidential', clientSecret: '' })).rejects.toMatchObject({
      error: 'invalid_client_metadata',
    });
  });

  test.each(['tab\there', 'ümlaut', 'line\nbreak', 'nul\0'].map((text) => `${text} in what is long enough`))(
    '§2.3.1 %j cannot be a secret [A.2-1]',
    async (clientSecret) => {
      await expect(site.client({ clientSecret })).rejects.toThrow(/printable ASCII/);
    },
  );
});

describe('§2.3 one method per request', () => {
  test('§2.3 different secrets in the header and the body are refused, even if one is valid [2.3-2]', async () => {
    const { clientId, clientSecret = '' } = confidential;
    const response = await withHeader(basic(clientId, clientSecret), {
      client_id: clientId,
      client_secret: other.clientSecret,
    });
    expect(response.status).toBe(400);
    expect(response.body.error).toBe('invalid_request');
  });

  test('§3.2.1 client_id in the body may repeat the client of the header', async () => {
    const { clientId, clientSecret = '' } = confidential;
    expect((await withHeader(basic(clientId, clientSecret), { client_id: clientId })).status).toBe(200);
  });

  test('§2.3 client_id in the body may not differ from the header [2.3-2]', async () => {
    const { clientId, clientSecret = '' } = confidential;
    const response = await withHeader(basic(clientId, clientSecret), { client_id: other.clientId });
    expect(response.status).toBe(400);
    expect(response.body.error).toBe('invalid_request');
  });
});

describe('§2.3 public clients', () => {
  test('§3.2.1 a public client needs its client_id to redeem an authorization code [3.2.1-2] [4.1.3-4]', async () => {
    const { code_verifier, challenge } = createPkce();
    const code = await obtainCode(site, publicClient, { query: challenge });
    expectInvalidClient(await redeem(site, publicClient, code, { code_verifier, client_id: undefined }));
    expect((await redeem(site, publicClient, code, { code_verifier })).status).toBe(200);
  });
});
