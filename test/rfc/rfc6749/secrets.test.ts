import { describe, expect, test } from '@jest/globals';

import { fixture, siteFor } from '../../support/site-for.js';
import { obtainCode, obtainTokens, refreshTokens, tokenRequest } from '../../support/tokens.js';

const site = siteFor();
const client = fixture(() => site.client());

/** The secret part of a token, after the prefix and the id of the grant. */
const secretOf = (token: string) => token.slice('eas_at_'.length + 22);

describe('§10.3, §10.4 secrets in storage', () => {
  test('§10.10 a chosen client secret is stored as a salted slow hash [10.10-3]', async () => {
    const secrets = await Promise.all(
      [1, 2].map(async () => {
        const { clientId } = await site.client({ clientSecret: 'chosen by a person' });
        const stored = await site.database.find('oauth_clients', clientId);
        return stored?.secrets[0].hash as string;
      }),
    );
    for (const hash of secrets) expect(hash).toMatch(/^\$2[aby]\$1\d\$/);
    expect(secrets[0]).not.toBe(secrets[1]);
  });
});

describe('§10.10 guessing', () => {
  const SAMPLES = 24;
  /** The length of the random end of a token: 256 bits. */
  const OWN_LENGTH = 43;

  /** Positions at which the values differ; each is one of 64 characters, so 6 bits. */
  function randomBits(values: readonly string[]): number {
    const [first = ''] = values;
    expect(new Set(values.map(({ length }) => length))).toEqual(new Set([first.length]));
    return (
      6 * [...first].filter((character, index) => values.some((value) => value[index] !== character)).length
    );
  }

  const GENERATED: readonly [string, () => Promise<string>][] = [
    [
      'access tokens',
      async () => (await tokenRequest(site, client, { grant_type: 'client_credentials' })).body.access_token,
    ],
    ['authorization codes', () => obtainCode(site, client)],
    ['refresh tokens', async () => (await obtainTokens(site, client)).refresh_token],
    ['client secrets', async () => (await site.client()).clientSecret ?? ''],
  ];

  test.each(GENERATED)(
    '§10.10 %s have more than 160 random bits [10.10-1] [10.10-2] [10.3-4] [10.4-6]',
    async (what, generate) => {
      const values = await Promise.all(Array.from({ length: SAMPLES }, generate));
      expect(new Set(values).size).toBe(SAMPLES);
      const secrets = what === 'client secrets' ? values : values.map(secretOf);
      expect(randomBits(secrets)).toBeGreaterThan(160);
    },
  );

  test('§10.10 the tokens of one grant share only the id of the grant [10.10-2]', async () => {
    const first = await obtainTokens(site, client);
    const { body: second } = await refreshTokens(site, client, first.refresh_token);
    const secrets = [first.access_token, first.refresh_token, second.access_token, second.refresh_token].map(
      (token) => secretOf(token).slice(-OWN_LENGTH),
    );
    expect(randomBits(secrets)).toBeGreaterThan(160);
  });
});
