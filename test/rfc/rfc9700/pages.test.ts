import { describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import { DEVICE_GRANT_TYPES, deviceClient, startDevice, typeCode } from '../../support/device.js';
import { codeQuery, createPerson, logInPerson } from '../../support/person.js';
import { METADATA, register } from '../../support/registration.js';
import { REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';

const ELSEWHERE = 'https://elsewhere.example';
/** Client metadata that could lead a browser to another site. */
const PAGES = {
  logo_uri: `${ELSEWHERE}/logo.png`,
  client_uri: `${ELSEWHERE}/`,
  policy_uri: `${ELSEWHERE}/policy`,
  tos_uri: `${ELSEWHERE}/tos`,
};

const site = siteFor({ grantTypes: DEVICE_GRANT_TYPES, registration: { open: true } });
const ada = fixture(() => logInPerson(site));

/** Addresses of other sites that a page loads, opens or sends forms to. */
function foreignAddresses({ text }: Response): string[] {
  const attributes = text.match(/\s(?:src|srcset|href|action|formaction|data|poster)\s*=\s*"[^"]*"/g) ?? [];
  return attributes.filter((attribute) => /"\s*(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(attribute));
}

async function consentOf(clientId: string): Promise<Response> {
  return ada.openAuthorize(codeQuery(clientId));
}

describe('§4.2 leaks by pages', () => {
  test('§4.2.4 pages of the authorization endpoint have no addresses of other sites, whatever the client metadata [4.2.2-1] [4.2.4-1]', async () => {
    const { body } = await register(site, { ...METADATA, ...PAGES });
    const registered = await site.client({ logoUri: PAGES.logo_uri });
    const device = await deviceClient(site, { logoUri: PAGES.logo_uri });
    const pages = [
      await consentOf(String(body.client_id)),
      await consentOf(registered.clientId),
      await typeCode(ada, (await startDevice(site, device)).user_code),
      await ada.openAuthorize({ client_id: `"><img src="${ELSEWHERE}/">` }),
      await ada.openAuthorize({ client_id: registered.clientId, redirect_uri: `${ELSEWHERE}/"><a href=` }),
    ];
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 400, 400]);
    expect(pages.map(foreignAddresses)).toEqual([[], [], [], [], []]);
  });

  test('§4.2.4 no page or redirect sends a referrer [4.2.2-1]', async () => {
    const client = await site.client();
    const answers = [
      await consentOf(client.clientId),
      await ada.openAuthorize({ client_id: 'nobody' }),
      await ada.agent.get('/oauth/device'),
      await ada.choose(await consentOf(client.clientId)),
      await createPerson(site).openAuthorize({ response_type: 'code', client_id: client.clientId }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 302, 302]);
    for (const { headers } of answers) expect(headers['referrer-policy']).toBe('no-referrer');
  });

  test('§4.2.4 the redirect to a client has only its redirect URI, the code and iss [4.2.4-1]', async () => {
    const client = await site.client();
    const { origin, pathname, searchParams } = new URL(
      (await ada.choose(await consentOf(client.clientId))).headers.location ?? '',
    );
    expect(`${origin}${pathname}`).toBe(REDIRECT_URI);
    expect([...searchParams.keys()].sort()).toEqual(['code', 'iss']);
  });
});
