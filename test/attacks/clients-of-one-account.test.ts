import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { SHIPPED_MESSAGES } from '../../lib/messages/index.js';
import { DEVICE_URI, type DocumentServer, openDocumentServer } from '../support/client-documents.js';
import { letPass } from '../support/clock.js';
import { decideOn, DEVICE_CODE, personOf, startDevice } from '../support/device.js';
import { logInPerson, type Person } from '../support/person.js';
import { raiseCount } from '../support/raise-count.js';
import { asClient, METADATA, register } from '../support/registration.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import { createPkce, obtainTokens, postToken, refreshTokens } from '../support/tokens.js';

const DAY = 86_400;
/** New clients of a user in a day; all but three are counted without a grant. */
const MAX = 50;
const NOTICE = SHIPPED_MESSAGES.en!['consent.tooManyClients'];

let site: Site;
let documents: DocumentServer;
let count = 0;
beforeEach(async () => {
  documents = await openDocumentServer();
  site = await openSite({
    clientIdMetadataDocuments: { allowLoopback: true, trust: { verified: ['localhost'] } },
    registration: { open: true, grantTypes: ['authorization_code', 'refresh_token', DEVICE_CODE] },
    grantTypes: ['authorization_code', 'refresh_token', DEVICE_CODE],
    security: { rateLimits: { registration: 1000 } },
  });
});
afterEach(async () => {
  await site.close();
  await documents.close();
});

const nextDocument = (host?: string) =>
  documents.publish(`/${(count += 1)}.json`, {}, host === undefined ? {} : { host });
const pkce = createPkce();
const queryOf = (clientId: string, redirect_uri = DEVICE_URI) => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri,
  scope: 'photos:read',
  state: 'xyz',
  ...pkce.challenge,
});
const personNamed = (name: string): Promise<Person> => logInPerson(site, name);
const allow = async (person: Person, clientId: string, redirectUri?: string) =>
  person.choose(await person.openAuthorize(queryOf(clientId, redirectUri)));
const isAllowed = (answer: { readonly headers: Record<string, string> }) =>
  String(answer.headers.location).includes('code=');
async function fill(person: Person) {
  for (let number = 0; number < 3; number += 1) {
    if (number === 2) await raiseCount(site, 'new_clients', MAX - 1);
    expect(isAllowed(await allow(person, nextDocument()))).toBe(true);
  }
}
const stored = (clientId: string) =>
  site.database.collection<{ _id: string; expiresAt?: Date }>('oauth_clients').findOne({ _id: clientId });

describe('one account that allows ever more new clients', () => {
  test('a user beyond the new clients of a day gets a page, and can continue the next day', async () => {
    const ada = await personNamed('ada');
    await fill(ada);
    const clientId = nextDocument();
    const page = await ada.openAuthorize(queryOf(clientId));
    const refused = await ada.choose(page);
    expect(refused.status).toBe(429);
    expect(refused.text).toContain(NOTICE);
    expect(refused.text).toContain('id="consent-allow"');
    expect(await stored(clientId)).toBeNull();
    letPass(DAY + 1);
    await ada.logIn('ada');
    expect(isAllowed(await ada.choose(await ada.openAuthorize(queryOf(clientId))))).toBe(true);
  });

  test('a user beyond the new clients of a day can allow known, verified and owned clients', async () => {
    const known = nextDocument();
    expect(isAllowed(await allow(await personNamed('bob'), known))).toBe(true);
    const ada = await personNamed('ada');
    await fill(ada);
    expect((await allow(ada, nextDocument())).status).toBe(429);
    expect(isAllowed(await allow(ada, known))).toBe(true);
    expect(isAllowed(await allow(ada, nextDocument('localhost')))).toBe(true);
    const { clientId } = await site.client();
    expect(isAllowed(await allow(ada, clientId, REDIRECT_URI))).toBe(true);
    expect(isAllowed(await allow(await personNamed('bob'), nextDocument()))).toBe(true);
  });

  test('self-registered clients and devices count towards the new clients of a day', async () => {
    const erin = await personNamed('ada');
    await fill(erin);
    const { body } = await register(site).expect(201);
    expect((await allow(erin, body.client_id, REDIRECT_URI)).status).toBe(429);
    const device = await register(site, { ...METADATA, grant_types: [DEVICE_CODE], redirect_uris: [] });
    const authorization = await startDevice(site, await asClient(site, device.body), { scope: 'profile' });
    const answer = await decideOn(await personOf(site, 'ada'), authorization);
    expect(answer.status).toBe(429);
    expect(answer.text).toContain(NOTICE);
  });

  test('a user can deny new clients without a limit', async () => {
    const fay = await personNamed('ada');
    for (let number = 0; number <= 3; number += 1) {
      const page = await fay.openAuthorize(queryOf(nextDocument()));
      expect((await fay.choose(page, { decision: 'deny' })).headers.location).toContain(
        'error=access_denied',
      );
    }
    await fill(fay);
  });

  test('the limit of new clients is explained in each language', async () => {
    const person = await personNamed('ada');
    await fill(person);
    for (const [language, messages] of Object.entries(SHIPPED_MESSAGES)) {
      const page = await person.openAuthorize({ ...queryOf(nextDocument()), ui_locales: language });
      const refused = await person.choose(page);
      expect([language, refused.status]).toEqual([language, 429]);
      expect(refused.text).toContain(messages['consent.tooManyClients']);
    }
  });
});

describe('a client with one use by one user', () => {
  const daysLeft = async (clientId: string) =>
    Math.round(((await stored(clientId))!.expiresAt!.getTime() - Date.now()) / (DAY * 1000));

  test('a client by document expires with its tokens, unless it is used again', async () => {
    const person = await personNamed('ada');
    const clientId = nextDocument();
    const answer = await allow(person, clientId);
    const code = new URL(String(answer.headers.location)).searchParams.get('code');
    const { body } = await postToken(site, {
      grant_type: 'authorization_code',
      client_id: clientId,
      code: String(code),
      redirect_uri: DEVICE_URI,
      code_verifier: pkce.code_verifier,
    });
    expect(await daysLeft(clientId)).toBe(31);
    const refreshed = await postToken(site, {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: body.refresh_token,
    });
    expect(refreshed.status).toBe(200);
    expect(await daysLeft(clientId)).toBe(97);
  });

  test('a self-registered client expires with its tokens, unless it is used again', async () => {
    const client = await asClient(site, (await register(site).expect(201)).body);
    const tokens = await obtainTokens(site, client);
    expect(await daysLeft(client.clientId)).toBe(31);
    const { refresh_token } = tokens;
    const refreshed = await refreshTokens(site, client, refresh_token);
    expect(refreshed.status).toBe(200);
    expect(await daysLeft(client.clientId)).toBe(97);
  });
});
