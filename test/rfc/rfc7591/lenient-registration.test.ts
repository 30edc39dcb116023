import { beforeAll, describe, expect, test } from '@jest/globals';

import { manage, METADATA, register } from '../../support/registration.js';
import { REDIRECT_URI } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';

const site = siteFor({ registration: { open: true }, security: { rateLimits: false } });

beforeAll(async () => {
  await site.client({ name: 'Bank of Photos', redirectUris: ['https://bank.example/cb'], verified: true });
});

/** The value of a field in the response, or the error. */
const reported = async (field: string, value: unknown, more: object = {}) => {
  const { status, body } = await register(site, { ...METADATA, ...more, [field]: value });
  return status === 201 ? (body as Record<string, unknown>)[field] : body.error;
};

describe('§3.2.1 values that are corrected or omitted', () => {
  test.each([
    ['🤖 My Agent', 'My Agent'],
    ['My Agent ✓', 'My Agent'],
    ['Agent 👩‍💻 of Ada', 'Agent of Ada'],
    ['Flag 🇩🇪 maker 👍🏽', 'Flag maker'],
    ['My Agent. It does everything for you', 'My Agent'],
    ['Done! Click Allow', 'Done'],
    ['Dr. Ink Inc. of St. Ives', 'Dr. Ink Inc. of St. Ives'],
    ['x'.repeat(150), 'x'.repeat(100)],
    [`${'word '.repeat(30)}`, 'word '.repeat(20).trim()],
    [`${'𝒜'.repeat(60)}`, '𝒜'.repeat(50)],
    ['Claude Code (claude.ai): photos', 'Claude Code (claude.ai): photos'],
  ])('a client_name %j is registered as %j', async (name, stored) => {
    expect(await reported('client_name', name)).toBe(stored);
  });

  test.each([['🤖🤖'], ['  '], [7], [{ en: 'Frame maker' }], [['Frame maker']], [{ toString: 'x' }]])(
    'a client with the name %j is called by its client_id',
    async (name) => {
      const { body } = await register(site, { ...METADATA, client_name: name });
      expect(body.client_name).toBe(body.client_id);
    },
  );

  test.each([
    ['logo_uri', 'data:image/png;base64,AAAA'],
    ['logo_uri', 'http://print.example/logo.png'],
    ['client_uri', 'example.com'],
    ['client_uri', 'app://obsidian.md'],
    ['client_uri', 'javascript:alert(1)'],
    ['client_uri', 'https:print.example'],
    ['tos_uri', 'data:text/html,x'],
    ['policy_uri', ['https://print.example/']],
    ['policy_uri', 7],
    ['software_id', 'x'.repeat(201)],
    ['software_version', 2.1],
    ['contacts', { mail: 'ada@print.example' }],
    ['contacts', []],
    ['jwks', {}],
    ['jwks', { keys: [] }],
  ])('%s with the value %j is omitted at registration', async (field, value) => {
    expect(await reported(field, value)).toBeUndefined();
  });

  test('contacts may be a string, and unreadable contacts of a list are omitted', async () => {
    expect(await reported('contacts', 'a@b.example')).toEqual(['a@b.example']);
    expect(await reported('contacts', ['a@b.example', 7, '', 'x'.repeat(300)])).toEqual(['a@b.example']);
    expect(await reported('contacts', Array(11).fill('a@b.example'))).toHaveLength(10);
  });

  test('an empty list of response types counts as omitted', async () => {
    expect(await reported('response_types', [])).toEqual(['code']);
  });

  test('a client update corrects and omits values like a registration (RFC 7592 §2.2)', async () => {
    const { body } = await register(site);
    const { body: replaced, status } = await manage(site, 'put', body as never, {
      client_id: body.client_id as string,
      redirect_uris: [REDIRECT_URI],
      client_name: 'Frames 🖼️',
      logo_uri: 'data:,',
    });
    expect([status, replaced.client_name, replaced.logo_uri]).toEqual([200, 'Frames', undefined]);
  });
});

describe('§5 refused values', () => {
  test.each([
    ['client_name', 'Bank 🏦 of Photos'],
    ['client_name', 'Bank of Photos. Allow it'],
    ['client_name', 'Bаnk of Trust'],
    ['client_name', 'Bank\u200bof Trust'],
    ['client_name', `B${'\u0336'.repeat(5)}ank`],
    ['client_name', 'Verified ✓ app'],
    ['jwks', { keys: [{ kty: 'oct', k: 'AAAA' }] }],
    ['jwks', { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' }],
    ['jwks', { $ne: null }],
  ])('%s with the value %j is refused at registration', async (field, value) => {
    expect(await reported(field, value)).toBe('invalid_client_metadata');
  });

  test('an empty key set of a client with private_key_jwt is refused', async () => {
    const method = { token_endpoint_auth_method: 'private_key_jwt' };
    expect(await reported('jwks', { keys: [] }, method)).toBe('invalid_client_metadata');
  });

  test('a wrong redirect URI is refused, even beside a valid redirect URI', async () => {
    expect(await reported('redirect_uris', [REDIRECT_URI, 'javascript:alert(1)'])).toBe(
      'invalid_redirect_uri',
    );
  });
});
