import { expect, test } from '@jest/globals';

import { createProofKey, prove } from '../support/dpop.js';
import { siteFor } from '../support/site-for.js';
import { basic } from '../support/tokens.js';

const RACES = 200;
const AT_ONCE = 10;
const ISSUER = 'https://auth.example';
const OPTIONS = { issuer: ISSUER, dpop: true, grantTypes: ['client_credentials'] } as const;

const site = siteFor(OPTIONS);
const sites = [site, siteFor(() => ({ ...OPTIONS, database: site.database }))];

test('RFC 9449 §11.1: of two servers with one proof at once one accepts it, in every race', async () => {
  const { clientId, clientSecret } = await site.client({ redirectUris: [] });
  const key = await createProofKey();
  const race = async (): Promise<string> => {
    const headers = {
      Authorization: basic(clientId, clientSecret ?? ''),
      DPoP: await prove(key, 'POST', `${ISSUER}/oauth/token`),
    };
    const body = new URLSearchParams({ grant_type: 'client_credentials' });
    const outcomes = sites.map(async ({ url }) => {
      const answer = await fetch(`${url}/oauth/token`, { method: 'POST', headers, body });
      const { error, token_type } = (await answer.json()) as Record<string, string>;
      return error ?? token_type;
    });
    return (await Promise.all(outcomes)).sort().join(' ');
  };
  for (let round = 0; round < RACES; round += AT_ONCE)
    expect(new Set(await Promise.all(Array.from({ length: AT_ONCE }, race)))).toEqual(
      new Set(['DPoP invalid_dpop_proof']),
    );
});
