import { beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { commandsDuring } from '../support/commands.js';
import { hiddenFields, logInPerson, type Person, postForm } from '../support/person.js';
import { siteFor } from '../support/site-for.js';
import { callApi, obtainCode, obtainTokens, redeem, refreshTokens, tokenRequest } from '../support/tokens.js';

const ROOT = '/oauth/applications';
let ada: Person;
let grace: Person;
let administrator = '';
const idOf = ({ user }: { readonly user?: unknown }) => (user as { readonly id?: string } | undefined)?.id;
const reported: object[] = [];
const site = siteFor({
  security: { rateLimits: false },
  applications: { isAdministrator: (req) => idOf(req) === administrator },
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
});
beforeAll(async () => {
  site.oauth.events.on('grant.revoked', (event) => void reported.push(event));
  [ada, grace] = [await logInPerson(site, 'ada'), await logInPerson(site, 'grace')];
});

const ofAda = (more = {}) => site.client({ ownerId: 'ada', ...more });
const apiSays = async (token: string) => (await callApi(site, token)).status;
const pathOf = ({ clientId }: ClientWithSecret, action = '') => `${ROOT}/${clientId}${action}`;
const peopleIn = ({ text }: { text: string }) => /id="application-people">([^<]*)</.exec(text)?.[1];

async function disconnect(person: Person, client: ClientWithSecret, fields = {}) {
  const page = await person.agent.get(pathOf(client, '/disconnect'));
  return postForm(person.agent, pathOf(client, '/disconnect'), { ...hiddenFields(page), ...fields });
}

describe('a developer disconnects everyone from their application', () => {
  it('the page to disconnect everyone says how many users the application has', async () => {
    const client = await ofAda();
    const page = () => ada.agent.get(pathOf(client, '/disconnect')).expect(200);
    expect(peopleIn(await page())).toBe('Nobody uses it at the moment.');
    await obtainTokens(site, client, { as: 'ada' });
    expect(peopleIn(await page())).toBe('One user uses it.');
    const tokens = await obtainTokens(site, client, { as: 'grace' });
    expect(peopleIn(await page())).toBe('2 users use it.');
    const details = await ada.agent.get(pathOf(client)).expect(200);
    expect(details.text).toContain('2 users use it.');
    expect(details.text).toContain(`href="${pathOf(client, '/disconnect')}"`);
    // reading the page ends nothing
    expect(await apiSays(tokens.access_token)).toBe(200);
  });

  it('disconnecting ends all tokens, codes and consents of the application, and of no other', async () => {
    const client = await ofAda({ grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'] });
    const other = await ofAda();
    const stored = await obtainTokens(site, other, { as: 'grace' });
    const tokens = await obtainTokens(site, client, { as: 'grace' });
    const code = await obtainCode(site, client, { as: 'ada' });
    const own = await tokenRequest(site, client, { grant_type: 'client_credentials' }).expect(200);
    reported.length = 0;
    const answer = await disconnect(ada, client);
    expect([answer.status, answer.headers.location]).toEqual([303, pathOf(client)]);
    expect(reported).toMatchObject([{ clientId: client.clientId, reason: 'owner', count: 3 }]);
    expect(await apiSays(tokens.access_token)).toBe(401);
    expect(await apiSays((own.body as { access_token: string }).access_token)).toBe(401);
    const refreshed = await refreshTokens(site, client, tokens.refresh_token);
    expect(refreshed.body).toMatchObject({ error: 'invalid_grant' });
    expect((await redeem(site, client, code)).body).toMatchObject({ error: 'invalid_grant' });
    expect(
      await site.database.collection('oauth_consents').countDocuments({ clientId: client.clientId }),
    ).toBe(0);
    expect(await apiSays(stored.access_token)).toBe(200);
    const page = await ada.agent.get(answer.headers.location!).expect(200);
    expect(page.text).toContain('Everyone is disconnected');
    // the application still exists, and people can allow it again
    expect(await apiSays((await obtainTokens(site, client, { as: 'grace' })).access_token)).toBe(200);
  });

  it('everyone can be disconnected twice', async () => {
    const client = await ofAda();
    expect((await disconnect(ada, client)).status).toBe(303);
    expect((await disconnect(ada, client)).status).toBe(303);
  });

  it('RFC 6749 §10.12: a forged form disconnects nobody, and an old form is shown again', async () => {
    const client = await ofAda();
    const tokens = await obtainTokens(site, client, { as: 'grace' });
    const forged = await postForm(ada.agent, pathOf(client, '/disconnect'), {}).set(
      'Sec-Fetch-Site',
      'cross-site',
    );
    expect(forged.status).toBe(403);
    const outOfDate = await postForm(ada.agent, pathOf(client, '/disconnect'), {
      csrf_token: 'of another session',
    }).set('Sec-Fetch-Site', 'same-origin');
    expect(outOfDate.status).toBe(403);
    expect(outOfDate.text).toContain('id="form-notice"');
    expect(outOfDate.text).toContain('id="application-disconnect-form"');
    expect(await apiSays(tokens.access_token)).toBe(200);
  });

  it('only the owner and an administrator can disconnect everyone, and the event says who', async () => {
    const client = await ofAda();
    await obtainTokens(site, client, { as: 'grace' });
    await grace.agent.get(pathOf(client, '/disconnect')).expect(404);
    expect((await disconnect(grace, client)).status).toBe(403);
    const foreign = await grace.agent.get(`${ROOT}/new`);
    const sent = await postForm(grace.agent, pathOf(client, '/disconnect'), hiddenFields(foreign));
    expect(sent.status).toBe(404);
    const { headers } = await request(site.server).get(pathOf(client, '/disconnect')).expect(303);
    expect(headers.location).toMatch(/^\/login/);
    reported.length = 0;
    administrator = 'grace';
    expect((await disconnect(grace, client)).status).toBe(303);
    administrator = '';
    expect(reported).toMatchObject([{ clientId: client.clientId, reason: 'host', count: 1 }]);
  });
});

describe('the number of users', () => {
  it('the pages to disconnect and to delete count at most 1,000 users, in two commands', async () => {
    const client = await ofAda();
    await site.database.collection('oauth_consents').insertMany(
      Array.from({ length: 1001 }, (_, index) => ({
        userId: `u${index}`,
        clientId: client.clientId,
        scopes: [],
        createdAt: new Date(),
        updatedAt: new Date(),
      })),
    );
    for (const action of ['/disconnect', '/delete']) {
      let page = { text: '' };
      const commands = await commandsDuring(site.database, async () => {
        page = await ada.agent.get(pathOf(client, action)).expect(200);
      });
      expect(peopleIn(page)).toBe('At least 1,000 users use it.');
      expect(commands.sort()).toEqual([
        'aggregate oauth_consents',
        'aggregate oauth_grants',
        'find oauth_clients',
      ]);
    }
  });
});
