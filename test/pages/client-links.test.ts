import { describe, expect, test } from '@jest/globals';

import { deviceClient, openDeviceSite, startDevice, typeCode } from '../support/device.js';
import { logInPerson } from '../support/person.js';
import { register } from '../support/registration.js';
import { fixture, siteFor } from '../support/site-for.js';
import { obtainTokens } from '../support/tokens.js';

const REDIRECT_URI = 'https://print.example/callback';
const PAGES = {
  client_uri: 'https://print.example/',
  policy_uri: 'https://print.example/privacy?a=1&b="2"'.replaceAll('"', '%22'),
  tos_uri: 'https://print.example/terms',
};

/** The address and the text of each link to a page of the client. */
function linksOf(html: string) {
  const [, list = ''] = /<ul class="eas-client-links"[^>]*>([^]*?)<\/ul>/.exec(html) ?? [];
  return [...list.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)</g)].map(([, uri = '', label]) => [
    uri.replaceAll('&amp;', '&'),
    label,
  ]);
}

describe('the pages of a client on the consent page', () => {
  const site = siteFor({ registration: { open: true }, security: { rateLimits: false } });
  const ada = fixture(() => logInPerson(site));

  async function registered(more: object = {}): Promise<string> {
    const { body } = await register(site, {
      client_name: 'Prints',
      redirect_uris: [REDIRECT_URI],
      ...PAGES,
      ...more,
    });
    return (body as { client_id: string }).client_id;
  }
  const linksFor = async (clientId: string, redirectUri: string = REDIRECT_URI) => {
    const { text } = await ada.openAuthorize({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    expect(text).toContain('id="consent-form"');
    return linksOf(text);
  };

  test('RFC 7591 §2 pages of a client at the redirect’s host are linked on the consent page', async () => {
    expect(await linksFor(await registered())).toEqual([
      [PAGES.client_uri, 'Website'],
      [PAGES.policy_uri, 'Privacy policy'],
      [PAGES.tos_uri, 'Terms of service'],
    ]);
  });

  test('RFC 7591 §5 pages at another host than the redirect are linked only if verified', async () => {
    const other = 'https://other.example/callback';
    const clientId = await registered({ redirect_uris: [REDIRECT_URI, other] });
    expect(await linksFor(clientId)).toHaveLength(3);
    expect(await linksFor(clientId, other)).toEqual([]);
    await site.oauth.clients.update(clientId, { verified: true });
    expect(await linksFor(clientId, other)).toHaveLength(3);
  });
});

describe('terms and policy at another host than the client', () => {
  const ELSEWHERE = { policyUri: 'https://law.example/privacy', tosUri: 'https://law.example/terms' };
  const LINKS = [
    [ELSEWHERE.policyUri, 'Privacy policy'],
    [ELSEWHERE.tosUri, 'Terms of service'],
  ];
  const site = fixture(() => openDeviceSite());
  const ada = fixture(() => logInPerson(site));

  test('the page of a device links terms and policy elsewhere only for a verified client', async () => {
    const client = await deviceClient(site, ELSEWHERE);
    const asking = async () => (await typeCode(ada, (await startDevice(site, client)).user_code)).text;
    expect(linksOf(await asking())).toEqual([]);
    await site.oauth.clients.update(client.clientId, { verified: true });
    expect(linksOf(await asking())).toEqual(LINKS);
  });

  test('the page of a connected app links terms and policy elsewhere only if verified', async () => {
    const client = await site.client(ELSEWHERE);
    await obtainTokens(site, client);
    const page = async () =>
      (await ada.agent.get(`/oauth/authorizations/${client.clientId}`).expect(200)).text;
    expect(linksOf(await page())).toEqual([]);
    await site.oauth.clients.update(client.clientId, { verified: true });
    expect(linksOf(await page())).toEqual(LINKS);
  });
});
