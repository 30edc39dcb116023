import { randomUUID } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';

import { letPass } from '../support/clock.js';
import { codeQuery, logInPerson } from '../support/person.js';
import { asClient, manage, register } from '../support/registration.js';
import { siteFor } from '../support/site-for.js';
import { callApi, obtainTokens, refreshTokens } from '../support/tokens.js';

const site = siteFor({
  registration: { open: true },
  security: { rateLimits: false },
  advanced: { clientCacheTtl: 0 },
});

const stored = (name: string, clientId: string) =>
  site.database.collection(name).countDocuments({ clientId });
/** A client that registered itself, with what Ada has allowed it. */
async function connected() {
  const { body } = await register(site).expect(201);
  const client = await asClient(site, body);
  const tokens = await obtainTokens(site, client, { query: { scope: 'photos:read' } });
  expect(await stored('oauth_consents', client.clientId)).toBe(1);
  return { client, tokens, registered: body as { client_id: string; registration_access_token: string } };
}
type Connected = Awaited<ReturnType<typeof connected>>;

/** At its expiry, as the TTL index removes it, of which no process hears. */
async function expire({ client }: Connected): Promise<void> {
  const clients = site.database.collection<{ _id: string; expiresAt: Date }>('oauth_clients');
  const found = await clients.findOneAndDelete({ _id: client.clientId });
  letPass(Math.ceil((found!.expiresAt.getTime() - Date.now()) / 1000));
}

describe.each<[string, (of: Connected) => Promise<unknown>]>([
  ['has deleted itself', async ({ registered }) => manage(site, 'delete', registered).expect(204)],
  ['was deleted by the host', ({ client }) => site.oauth.clients.delete(client.clientId)],
  ['has expired', expire],
])('the access of a client that %s', (_how, remove) => {
  test('a client that is gone has no valid tokens, and its consents are worth nothing', async () => {
    const given = await connected();
    const { client, tokens } = given;
    await remove(given);
    expect((await callApi(site, tokens.access_token)).status).toBe(401);
    const refreshed = await refreshTokens(site, client, tokens.refresh_token);
    expect(refreshed.status).toBe(401);
    const ada = await logInPerson(site);
    const query = codeQuery(client);
    const answer = await ada.openAuthorize({ ...query, prompt: 'none', scope: 'photos:read' });
    expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
    // an app that keeps its deleted id sends every user here until it registers again
    expect(answer.text).toContain('<h1>The registration of this app has ended</h1>');
    expect(answer.text).toContain('Remove the connection in the app and add it again');
    const unknown = await ada.openAuthorize({ ...query, client_id: randomUUID() });
    expect(unknown.text).toContain('<h1>We do not know this app</h1>');
    // the grant of an expired client is listed, so that the user can end it
    const page = await ada.agent.get('/oauth/authorizations');
    const isLeft = (await stored('oauth_consents', client.clientId)) === 1;
    expect([isLeft, page.text.includes(client.clientId)]).toEqual([remove === expire, remove === expire]);
  });
});
