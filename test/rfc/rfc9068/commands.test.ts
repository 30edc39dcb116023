import { expect, test } from '@jest/globals';

import { commandsDuring } from '../../support/commands.js';
import { openSite } from '../../support/site.js';
import {
  callApi,
  clientRequest,
  obtainCode,
  obtainTokens,
  redeem,
  refreshTokens,
  tokenRequest,
} from '../../support/tokens.js';

test('JWTs cost no more database commands than opaque tokens, once the keys are read', async () => {
  await using site = await openSite({
    tokens: { accessTokenFormat: 'jwt' },
    advanced: { clientCacheTtl: 60 },
  });
  const client = await site.client({ introspection: true });
  const tokens = await obtainTokens(site, client);
  const code = await obtainCode(site, client);
  const count = async (work: () => PromiseLike<{ status: number }>) =>
    (await commandsDuring(site.database, async () => expect((await work()).status).toBe(200))).length;
  const post = (path: string, token: string) => clientRequest(site, client, path, { token });
  expect({
    guard: await count(() => callApi(site, tokens.access_token)),
    introspection: await count(() => post('/oauth/introspect', tokens.access_token)),
    revocation: await count(() => post('/oauth/revoke', tokens.access_token)),
    codeExchange: await count(() => redeem(site, client, code)),
    refresh: await count(() => refreshTokens(site, client, tokens.refresh_token)),
    clientCredentials: await count(() => tokenRequest(site, client, { grant_type: 'client_credentials' })),
  }).toEqual({
    guard: 1,
    introspection: 1,
    revocation: 1,
    codeExchange: 2,
    refresh: 2,
    clientCredentials: 2,
  });
});
