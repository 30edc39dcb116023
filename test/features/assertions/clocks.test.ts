import { afterEach, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../../lib/index.js';
import { JWT_BEARER_GRANT, openIssuer, presentAs, type TestIssuer } from '../../support/issuer.js';
import { openSite, type Site } from '../../support/site.js';

let corp: TestIssuer;
let site: Site;
let agent: ClientWithSecret;
afterEach(async () => {
  await site.close();
  await corp.close();
});

const open = async (clockTolerance?: number) => {
  corp = await openIssuer();
  site = await openSite({
    ...(clockTolerance !== undefined && { security: { clockTolerance } }),
    assertions: [{ kind: 'enterprise', issuer: corp.issuer, jwksUri: corp.jwksUri, findUser: () => 'ada' }],
  });
  agent = await site.client({ name: 'Agent', grantTypes: [JWT_BEARER_GRANT], redirectUris: [] });
};
const ask = async (times: Readonly<Record<string, number>>) => {
  const claims = { sub: '7', aud: site.url, client_id: agent.clientId, scope: 'photos:read', ...times };
  return (await presentAs(site, agent, await corp.sign(claims, { header: { typ: 'oauth-id-jag+jwt' } })))
    .status;
};
const now = () => Math.floor(Date.now() / 1000);

test.each<[string, (by: number) => Readonly<Record<string, number>>]>([
  ['exp', (by) => ({ iat: now() - 300, exp: now() - by })],
  ['nbf', (by) => ({ nbf: now() + by })],
  ['iat', (by) => ({ iat: now() + by })],
])('the %s of an assertion is read with clockTolerance, and its error quotes that', async (claim, at) => {
  await open(60);
  expect(await ask(at(50))).toBe(200);
  expect(await ask(at(70))).toBe(400);
  expect(site.errors.at(-1)?.detail).toMatch(
    new RegExp(
      `^${claim} is \\d+ seconds \\w+.* the clock of this server, which tolerates 60 \\(clockTolerance\\)$`,
    ),
  );
});

test('clockTolerance 0 refuses an assertion that expired ten seconds ago', async () => {
  await open(0);
  expect(await ask({ iat: now() - 300, exp: now() - 10 })).toBe(400);
});
