import { expect, test } from '@jest/globals';

import { logInPerson } from '../../support/person.js';
import { openSite } from '../../support/site.js';
import { ACCESS_TOKEN, exchanged, exchanger, handingOn } from '../../support/token-exchange.js';
import { obtainTokens, tokenRequest } from '../../support/tokens.js';

test('the activity of an application lists the actors of exchanges, the latest first', async () => {
  await using audited = await openSite({ tokenExchange: true, audit: { ttl: 86_400 } });
  const shop = await exchanger(audited);
  const agent = await audited.client({ name: 'Print’s agent', grantTypes: ['client_credentials'] });
  const client = await handingOn(audited, [shop, agent]);
  const { access_token: token } = await obtainTokens(audited, client);
  const { body } = await tokenRequest(audited, agent, { grant_type: 'client_credentials' });
  await exchanged(audited, shop, token);
  await exchanged(audited, shop, token);
  await exchanged(audited, shop, token, { actor_token: body.access_token, actor_token_type: ACCESS_TOKEN });
  // another grant of the same person is not on this page
  const other = await handingOn(audited, [shop], { name: 'Albums' });
  await exchanged(audited, shop, (await obtainTokens(audited, other)).access_token);
  const ofOwner = await logInPerson(audited);
  const page = await ofOwner.agent.get(`/oauth/authorizations/${client.clientId}`).expect(200);
  const [list = ''] = /<ul class="eas-activity"[^]*?<\/ul>/.exec(page.text) ?? [];
  const acts = list.split('<li>').slice(1);
  expect(acts.map((line) => /through <bdi>(.*?)<\/bdi>/.exec(line)?.[1]).slice(0, 3)).toEqual([
    'Print’s agent, Print',
    'Print',
    undefined,
  ]);
  expect(acts[1]).toContain('2 times');
});
