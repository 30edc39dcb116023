import { beforeEach, describe, expect, test } from '@jest/globals';
import request, { type Response } from 'supertest';

import {
  type ExtensionGrantRequest,
  type ExtensionGrantResult,
  type ExtensionGrantType,
  OAuthError,
} from '../../../lib/index.js';
import { postForm } from '../../support/person.js';
import { startLike } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, type Fields, refreshTokens, tokenRequest } from '../../support/tokens.js';

const GIFT_CARD = 'urn:example:grant-type:gift-card';
/** What the gift card grant does in the current test. */
let handle: (request: ExtensionGrantRequest) => ExtensionGrantResult | Promise<ExtensionGrantResult>;

const giftCard: ExtensionGrantType = {
  grantType: GIFT_CARD,
  parameters: ['card', 'pin'],
  handle: (sent) => handle(sent),
};
const voucher: ExtensionGrantType = {
  grantType: 'print-shop_voucher.v1',
  parameters: [],
  handle: () => ({ userId: 'of the voucher' }),
};

const site = siteFor({ grantTypes: ['authorization_code', 'refresh_token', giftCard, voucher] });
const client = fixture(() => site.client());
beforeEach(() => {
  handle = ({ parameters: { card } }) => ({ userId: `owner of ${String(card)}` });
});

function giftCardRequest(fields: Fields = {}, as = client) {
  return tokenRequest(site, as, { grant_type: GIFT_CARD, card: '4711', ...fields });
}

function expectError(response: Response, status: number, error: string): void {
  expect(response.status).toBe(status);
  expect(response.body.error).toBe(error);
  expect(response.body).not.toHaveProperty('access_token');
}

describe('§4.5 a grant type of the host', () => {
  test('§4.5 a grant type of the host is named by an absolute URI [A.10-1]', async () => {
    const response = await giftCardRequest();
    expect(response.status).toBe(200);
    expect((await callApi(site, response.body.access_token)).body).toMatchObject({
      userId: 'owner of 4711',
      clientId: client.clientId,
    });
  });

  test('§4.5 a grant type of the host is named by a name [A.10-1]', async () => {
    const { body } = await tokenRequest(site, client, { grant_type: 'print-shop_voucher.v1' });
    expect((await callApi(site, body.access_token)).body.userId).toBe('of the voucher');
  });

  test('§4.5 a grant type of the host is in the metadata', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    expect(body.grant_types_supported).toEqual([
      'authorization_code',
      'refresh_token',
      GIFT_CARD,
      'print-shop_voucher.v1',
    ]);
  });

  test('§4.5 a grant type of the host is told the client, the scope and its own parameters, nothing else', async () => {
    let seen: ExtensionGrantRequest | undefined;
    handle = (sent) => {
      seen = sent;
      return {};
    };
    await giftCardRequest({ scope: 'profile', code: 'x', unknown: 'y' });
    expect(seen?.client).toEqual({ clientId: client.clientId, name: client.name, type: 'confidential' });
    expect(seen?.scopes).toEqual(['profile']);
    expect({ ...seen?.parameters }).toEqual({ card: '4711', pin: undefined });
  });
});

describe('§4.5 what it decides', () => {
  test('§3.3 an extension grant may narrow the scope, and the response says so [3.3-1] [5.1-4]', async () => {
    handle = () => ({ userId: 'ada', scopes: ['profile'] });
    const { body } = await giftCardRequest({ scope: 'profile photos:read' });
    expect(body.scope).toBe('profile');
    expect((await callApi(site, body.access_token, '/api/photos')).status).toBe(403);
  });

  test('§3.3 an extension grant cannot widen the scope', async () => {
    handle = () => ({ userId: 'ada', scopes: ['profile', 'photos:write'] });
    expectError(await giftCardRequest({ scope: 'profile' }), 500, 'server_error');
  });

  test('§4.5 an extension grant may give a refresh token, to clients that are registered for it', async () => {
    handle = () => ({ userId: 'ada', refreshToken: true });
    const { body } = await giftCardRequest();
    expect((await refreshTokens(site, client, body.refresh_token)).status).toBe(200);
    const without = await site.client({ grantTypes: [GIFT_CARD], redirectUris: [] });
    expect((await giftCardRequest({}, without)).body).not.toHaveProperty('refresh_token');
  });

  test('§4.5 an extension grant may have nobody behind the client', async () => {
    handle = () => ({});
    const { body } = await giftCardRequest();
    expect((await callApi(site, body.access_token)).body).not.toHaveProperty('userId');
    expect(body).not.toHaveProperty('refresh_token');
  });

  test('§4.5 an extension grant may tell guarded routes more', async () => {
    handle = () => ({ userId: 'ada', extra: { card: 4711, shop: { name: 'Ink' } } });
    const { body } = await giftCardRequest();
    expect((await callApi(site, body.access_token)).body.extra).toEqual({
      card: 4711,
      shop: { name: 'Ink' },
    });
  });
});

describe('§4.5 what is checked before', () => {
  test('§3.2 a parameter of an extension grant comes once [3.2-7]', async () => {
    expectError(await giftCardRequest({ card: ['4711', '4712'] }), 400, 'invalid_request');
  });

  test('§3.2 an empty parameter of an extension grant counts as left out [3.2-5]', async () => {
    let seen: ExtensionGrantRequest | undefined;
    handle = (sent) => {
      seen = sent;
      return {};
    };
    await giftCardRequest({ pin: '' });
    expect(seen?.parameters.pin).toBeUndefined();
  });

  test('§2.3.1 a parameter of an extension grant is not taken from the URI', async () => {
    const response = await postForm(request(site.server), '/oauth/token?card=4711', {
      grant_type: GIFT_CARD,
      client_id: client.clientId,
      client_secret: client.clientSecret,
    });
    expectError(response, 400, 'invalid_request');
  });

  test('§3.3 the scope is one of the client', async () => {
    expectError(await giftCardRequest({ scope: 'albums' }), 400, 'invalid_scope');
  });

  test.each([
    'urn:example:grant-type:other',
    'urn:example:grant-type:gift-card/',
    'URN:example:grant-type:gift-card',
    '__proto__',
    'toString',
  ])('§5.2 grant_type=%s is not this one', async (grantType) => {
    expectError(await giftCardRequest({ grant_type: grantType }), 400, 'unsupported_grant_type');
  });
});

describe('§8.5 its errors', () => {
  test('§8.5 an error of its own gets the code that it names', async () => {
    handle = () => {
      throw new OAuthError('gift_card_used', 'the gift card was used already', { detail: 'on Monday' });
    };
    const response = await giftCardRequest();
    expectError(response, 400, 'gift_card_used');
    expect(response.body.error_description).toBe('the gift card was used already');
    expect(response.text).not.toContain('Monday');
    expect(site.errors.at(-1)).toMatchObject({ error: 'gift_card_used', detail: 'on Monday' });
  });

  test('§8.5 characters that the RFC does not allow in an error never reach the client [8.5-2] [5.2-3] [5.2-4] [A.7-1] [A.8-1]', async () => {
    handle = () => {
      throw new OAuthError('gift "card" \\ é\n', 'no "such" card \\ é 🖼️\r\nX: y');
    };
    const { status, body } = await giftCardRequest();
    expect(status).toBe(400);
    for (const name of ['error', 'error_description'])
      expect(body[name]).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  test('§5.2 a mistake in it is server_error, and what failed stays here', async () => {
    handle = () => {
      throw new Error('secret of the host');
    };
    const response = await giftCardRequest();
    expectError(response, 500, 'server_error');
    expect(response.text).not.toContain('secret');
  });
});

describe('§4.5 how it is named', () => {
  const start =
    (...grantTypes: unknown[]) =>
    () =>
      startLike(site, { grantTypes });

  test.each(['gift card', '', 'gift/card', 'gift+card', '/gift-card', 'gïft'])(
    '§4.5 a grant type cannot be named %j [A.10-1]',
    (grantType) => {
      expect(start({ ...giftCard, grantType })).toThrow(/absolute URI nor a name/);
    },
  );

  test('§4.5 a grant type cannot be named as one of the RFC, nor twice', () => {
    expect(start({ ...giftCard, grantType: 'password' })).toThrow(/built in/);
    expect(start(giftCard, giftCard)).toThrow(/twice/);
  });
});
