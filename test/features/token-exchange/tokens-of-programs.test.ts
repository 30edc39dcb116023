import { describe, expect, test } from '@jest/globals';

import { fixture, siteFor } from '../../support/site-for.js';
import { ACCESS_TOKEN, exchange, exchanger, handingOn } from '../../support/token-exchange.js';
import { callApi, obtainTokens } from '../../support/tokens.js';

const ALBUM = 'https://album.example/';

const site = siteFor({
  tokenExchange: true,
  personalAccessTokens: true,
  resources: { [ALBUM]: { name: 'Album', scopes: ['photos:read'] } },
});
/** The resource server of the album, which receives every token for it. */
const album = fixture(() => exchanger(site, { name: 'Album', resources: [ALBUM] }));
/** The resource server of the site's API. */
const own = fixture(() => exchanger(site, { name: 'API', resources: [site.url] }));

const make = (more: { readonly userId?: string; readonly owners?: string[]; readonly resource?: string }) =>
  site.oauth.personalAccessTokens.create({ name: 'Backup', scopes: ['photos:read'], ...more });

describe('no exchange for tokens of programs', () => {
  test.each([
    ['a personal access token', () => make({ userId: 'ada' }), () => own],
    ['a personal access token for a resource', () => make({ userId: 'ada', resource: ALBUM }), () => album],
    ['a service token', () => make({ owners: ['ada'] }), () => own],
    ['a service token for a resource', () => make({ owners: ['ada'], resource: ALBUM }), () => album],
  ])('%s cannot be exchanged, not even by its resource server', async (_which, create, by) => {
    const { token, id } = await create();
    const { status, body } = await exchange(site, by(), token);
    expect([status, body]).toEqual([
      400,
      {
        // RFC 8693 §2.2.2
        error: 'invalid_request',
        error_description: 'a personal access token or service token cannot be exchanged',
      },
    ]);
    const grant = await site.oauth.models.Grant.findOne({ _id: id }).lean();
    expect(grant?.exchangedTokens ?? []).toEqual([]);
  });

  test('a service token cannot be an actor token', async () => {
    const client = await handingOn(site, [own]);
    const { access_token: subject } = await obtainTokens(site, client);
    const { token } = await make({ owners: ['ada'] });
    const { status, body } = await exchange(site, own, subject, {
      actor_token: token,
      actor_token_type: ACCESS_TOKEN,
    });
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect((await callApi(site, token)).status).toBe(200);
  });

  test('a revoked personal access token is refused with the error of any invalid token', async () => {
    const { token, id } = await make({ userId: 'ada' });
    await site.oauth.personalAccessTokens.revoke(id);
    expect((await exchange(site, own, token)).body.error_description).toBe(
      'a token of the request is invalid, expired or revoked',
    );
  });
});
