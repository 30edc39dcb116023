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

describe('§4.5 extension grants', () => {
  test('§4.5 an extension grant may be named by an absolute URI [A.10-1]', async () => {
    const response = await giftCardRequest();
    expect(response.status).toBe(200);
    expect((await callApi(site, response.body.access_token)).body).toMatchObject({
      userId: 'owner of 4711',
      clientId: client.clientId,
    });
  });

  test('§4.5 an extension grant may have a plain name [A.10-1]', async () => {
    const { body } = await tokenRequest(site, client, { grant_type: 'print-shop_voucher.v1' });
    expect((await callApi(site, body.access_token)).body.userId).toBe('of the voucher');
  });

  test('§4.5 extension grants are in the metadata', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    expect(body.grant_types_supported).toEqual([
      'authorization_code',
      'refresh_token',
      GIFT_CARD,
      'print-shop_voucher.v1',
    ]);
  });

  test('§4.5 an extension grant gets the client, the scopes and only its declared parameters', async () => {
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

describe('§4.5 results of an extension grant', () => {
  test('§3.3 an extension grant may narrow the scope, and the response has the narrowed scope [3.3-1] [5.1-4]', async () => {
    handle = () => ({ userId: 'ada', scopes: ['profile'] });
    const { body } = await giftCardRequest({ scope: 'profile photos:read' });
    expect(body.scope).toBe('profile');
    expect((await callApi(site, body.access_token, '/api/photos')).status).toBe(403);
  });

  test('§3.3 an extension grant cannot widen the scope', async () => {
    handle = () => ({ userId: 'ada', scopes: ['profile', 'photos:write'] });
    expectError(await giftCardRequest({ scope: 'profile' }), 500, 'server_error');
  });

  test('§4.5 an extension grant may issue a refresh token to a client with the refresh token grant', async () => {
    handle = () => ({ userId: 'ada', refreshToken: true });
    const { body } = await giftCardRequest();
    expect((await refreshTokens(site, client, body.refresh_token)).status).toBe(200);
    const without = await site.client({ grantTypes: [GIFT_CARD], redirectUris: [] });
    expect((await giftCardRequest({}, without)).body).not.toHaveProperty('refresh_token');
  });

  test('§4.5 an extension grant may issue a token without a person', async () => {
    handle = () => ({});
    const { body } = await giftCardRequest();
    expect((await callApi(site, body.access_token)).body).not.toHaveProperty('userId');
    expect(body).not.toHaveProperty('refresh_token');
  });

  test('§4.5 an extension grant may pass extra data to guarded routes', async () => {
    handle = () => ({ userId: 'ada', extra: { card: 4711, shop: { name: 'Ink' } } });
    const { body } = await giftCardRequest();
    expect((await callApi(site, body.access_token)).body.extra).toEqual({
      card: 4711,
      shop: { name: 'Ink' },
    });
  });
});

describe('§4.5 checks before an extension grant', () => {
  test('§3.2 a repeated parameter of an extension grant is refused [3.2-7]', async () => {
    expectError(await giftCardRequest({ card: ['4711', '4712'] }), 400, 'invalid_request');
  });

  test('§3.2 an empty parameter of an extension grant counts as omitted [3.2-5]', async () => {
    let seen: ExtensionGrantRequest | undefined;
    handle = (sent) => {
      seen = sent;
      return {};
    };
    await giftCardRequest({ pin: '' });
    expect(seen?.parameters.pin).toBeUndefined();
  });

  test('§2.3.1 a parameter of an extension grant in the URI is refused', async () => {
    const response = await postForm(request(site.server), '/oauth/token?card=4711', {
      grant_type: GIFT_CARD,
      client_id: client.clientId,
      client_secret: client.clientSecret,
    });
    expectError(response, 400, 'invalid_request');
  });

  test('§3.3 an unknown scope is refused for an extension grant', async () => {
    expectError(await giftCardRequest({ scope: 'albums' }), 400, 'invalid_scope');
  });

  test.each([
    'urn:example:grant-type:other',
    'urn:example:grant-type:gift-card/',
    'URN:example:grant-type:gift-card',
    '__proto__',
    'toString',
  ])('§5.2 the unknown grant_type %s is refused', async (grantType) => {
    expectError(await giftCardRequest({ grant_type: grantType }), 400, 'unsupported_grant_type');
  });
});

describe('§8.5 errors of an extension grant', () => {
  test('§8.5 an extension grant may answer with an error code of the site', async () => {
    handle = () => {
      throw new OAuthError('gift_card_used', 'the gift card was used already', { detail: 'on Monday' });
    };
    const response = await giftCardRequest();
    expectError(response, 400, 'gift_card_used');
    expect(response.body.error_description).toBe('the gift card was used already');
    expect(response.text).not.toContain('Monday');
    expect(site.errors.at(-1)).toMatchObject({ error: 'gift_card_used', detail: 'on Monday' });
  });

  test('§8.5 an error of an extension grant has only characters that the RFC allows [8.5-2] [5.2-3] [5.2-4] [A.7-1] [A.8-1]', async () => {
    handle = () => {
      throw new OAuthError('gift "card" \\ é\n', 'no "such" card \\ é 🖼️\r\nX: y');
    };
    const { status, body } = await giftCardRequest();
    expect(status).toBe(400);
    for (const name of ['error', 'error_description'])
      expect(body[name]).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  test('§5.2 an exception in an extension grant is answered server_error without details', async () => {
    handle = () => {
      throw new Error('secret of the host');
    };
    const response = await giftCardRequest();
    expectError(response, 500, 'server_error');
    expect(response.text).not.toContain('secret');
  });
});

describe('§4.5 names of extension grants', () => {
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

  test('§4.5 a grant type cannot have a built-in or repeated name', () => {
    expect(start({ ...giftCard, grantType: 'password' })).toThrow(/built in/);
    expect(start(giftCard, giftCard)).toThrow(/twice/);
  });
});
