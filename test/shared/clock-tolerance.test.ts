import { beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { createTestKey, now, signAssertion } from '../support/assertions.js';
import { createProofKey, prove } from '../support/dpop.js';
import { type Site, startLike } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { postToken } from '../support/tokens.js';

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
let clients: Map<Site, ClientWithSecret>;

const key = fixture(() => createTestKey('ES256', 'one'));
const proofKey = fixture(() => createProofKey());
const defaultValue = siteFor({ dpop: true, security: { rateLimits: false } });
const strict = siteFor({ dpop: true, security: { rateLimits: false, clockTolerance: 0 } });
beforeAll(async () => {
  const create = (site: Site) => site.client({ jwks: { keys: [key.publicJwk] } });
  clients = new Map([
    [defaultValue, await create(defaultValue)],
    [strict, await create(strict)],
  ]);
});

const statusOf = async (
  site: Site,
  { claims = {}, proof = {} }: { readonly claims?: object; readonly proof?: object },
) => {
  const { clientId } = clients.get(site) as ClientWithSecret;
  const assertion = await signAssertion(site, clientId, key, { claims: { ...claims } });
  const header = await prove(proofKey, 'POST', `${site.url}/oauth/token`, { claims: { ...proof } });
  const { status } = await postToken(site, {
    grant_type: 'client_credentials',
    client_assertion_type: TYPE,
    client_assertion: assertion,
  }).set('DPoP', header);
  return status;
};
const detailOf = (site: Site) => site.errors.at(-1)?.detail;

describe('differing clocks', () => {
  test.each([
    [
      'an assertion that is made ahead',
      { claims: { iat: 20 } },
      { claims: { iat: 45 } },
      /^iat is 4\d seconds ahead/,
    ],
    [
      'an expired assertion',
      { claims: { exp: -20 } },
      { claims: { exp: -45 } },
      /^exp is 4\d seconds behind/,
    ],
    [
      'an assertion before its nbf',
      { claims: { nbf: 20 } },
      { claims: { nbf: 45 } },
      /^nbf is 4\d seconds ahead/,
    ],
    [
      'a proof that is made ahead',
      { proof: { iat: 20 } },
      { proof: { iat: 45 } },
      /^iat is 4\d seconds ahead/,
    ],
    ['an old proof', { proof: { iat: -80 } }, { proof: { iat: -100 } }, /^iat is 1\d\d seconds behind/],
  ] as const)(
    '%s is accepted up to thirty seconds, and the detail says the difference',
    async (_what, near, far, terms) => {
      const at = (shifts: object) =>
        Object.fromEntries(
          Object.entries(shifts).map(([of, claims]) => [
            of,
            Object.fromEntries(
              Object.entries(claims as Record<string, number>).map(([name, by]) => [name, now() + by]),
            ),
          ]),
        );
      expect(await statusOf(defaultValue, at(near))).toBe(200);
      expect(await statusOf(defaultValue, at(far))).not.toBe(200);
      expect(detailOf(defaultValue)).toMatch(terms);
      expect(detailOf(defaultValue)).toContain('which tolerates 30 (clockTolerance)');
      expect(await statusOf(strict, at(near))).not.toBe(200);
      expect(detailOf(strict)).toContain('which tolerates 0 (clockTolerance)');
    },
  );

  test('clockTolerance is at most a minute (FAPI 2.0 Security Profile §5.3.2.1)', async () => {
    for (const clockTolerance of [61, -1, 1.5])
      expect(() => startLike(defaultValue, { security: { clockTolerance } })).toThrow(/clockTolerance/);
    expect((await request(defaultValue.server).get('/.well-known/oauth-authorization-server')).status).toBe(
      200,
    );
  });
});
