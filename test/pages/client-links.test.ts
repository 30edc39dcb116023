import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { createPerson, type Person } from '../support/person.js';
import { register } from '../support/registration.js';
import { openSite, type Site } from '../support/site.js';

const REDIRECT_URI = 'https://print.example/callback';
const PAGES = {
  client_uri: 'https://print.example/',
  policy_uri: 'https://print.example/privacy?a=1&b="2"'.replaceAll('"', '%22'),
  tos_uri: 'https://print.example/terms',
};

describe('the pages of a client on the consent page', () => {
  let site: Site;
  let ada: Person;

  beforeAll(async () => {
    site = await openSite({ registration: { open: true }, rateLimits: false });
    ada = createPerson(site);
    await ada.logIn();
  });
  afterAll(() => site.close());

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
    const [, list = ''] = /<ul class="eas-client-links"[^>]*>([^]*?)<\/ul>/.exec(text) ?? [];
    return [...list.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)</g)].map(([, uri = '', label]) => [
      uri.replaceAll('&amp;', '&'),
      label,
    ]);
  };

  test('RFC 7591 §2 are linked, if they are where the answer goes', async () => {
    expect(await linksFor(await registered())).toEqual([
      [PAGES.client_uri, 'Website'],
      [PAGES.policy_uri, 'Privacy policy'],
      [PAGES.tos_uri, 'Terms of service'],
    ]);
  });

  test('RFC 7591 §5 are not linked if the answer goes elsewhere, unless the site has checked the client', async () => {
    const other = 'https://other.example/callback';
    const clientId = await registered({ redirect_uris: [REDIRECT_URI, other] });
    expect(await linksFor(clientId)).toHaveLength(3);
    expect(await linksFor(clientId, other)).toEqual([]);
    await site.oauth.clients.update(clientId, { verified: true });
    expect(await linksFor(clientId, other)).toHaveLength(3);
  });
});
