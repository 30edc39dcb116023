import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { ClientWithSecret, SubjectIdentifier } from '../../../lib/index.js';
import { createPerson, type Person } from '../../support/person.js';
import { openSite, REDIRECT_URI, SCOPES, type Site } from '../../support/site.js';
import { basic, callApi, obtainTokens, tokenRequest } from '../../support/tokens.js';

const PATH = '/oauth/global-token-revocation';

let site: Site;
let desk: ClientWithSecret;
let token: string;
/** Whose sessions were ended. */
let ended: string[] = [];
let endSessions: (userId: string) => unknown;

const ownToken = async (client: ClientWithSecret, scope = 'users:revoke') =>
  String((await tokenRequest(site, client, { grant_type: 'client_credentials', scope })).body.access_token);
const post = (body: unknown, by = token) => {
  const sent = request(site.server).post(PATH);
  return (by === '' ? sent : sent.set('Authorization', `Bearer ${by}`)).send(body as object);
};
const opaque = (id: string) => ({ sub_id: { format: 'opaque', id } });

beforeAll(async () => {
  site = await openSite({
    scopes: { ...SCOPES, 'users:revoke': 'End all tokens of a person' },
    defaultScopes: ['profile'],
    globalTokenRevocation: {
      clients: ['security-desk', 'idp-of-ink'],
      scope: 'users:revoke',
      findUser: ({ format, id, email }: SubjectIdentifier, { clientId }) => {
        if (format === 'email') return email === 'ada@photos.example' ? 'ada' : null;
        if (id === 'broken') return 7 as never;
        // §6.1: only people of its own firm
        return clientId === 'idp-of-ink' && id !== 'grace' ? null : String(id);
      },
      endSessions: (userId) => endSessions(userId),
    },
  });
  const grantTypes = ['client_credentials'];
  desk = await site.client({ clientId: 'security-desk', grantTypes, scopes: ['users:revoke', 'profile'] });
  token = await ownToken(desk);
});
beforeEach(() => {
  ended = [];
  endSessions = (userId) => void ended.push(userId);
});
afterAll(() => site.close());

describe('§3.3 what it does', () => {
  let ada: Person;
  beforeEach(async () => {
    ada = createPerson(site);
    await ada.logIn();
  });

  test('§3.3, §3.4.1 refresh tokens and access tokens are over, with 204 [3.3-1] [3.3-2]', async () => {
    const client = await site.client();
    const { access_token: access, refresh_token: refresh } = await obtainTokens(site, client);
    const ofGrace = await obtainTokens(site, client, { as: 'grace' });
    const { status, text } = await post(opaque('ada'));
    expect([status, text]).toEqual([204, '']);
    expect((await callApi(site, access)).status).toBe(401);
    const again = { grant_type: 'refresh_token', refresh_token: refresh };
    expect((await tokenRequest(site, client, again)).body.error).toBe('invalid_grant');
    expect((await callApi(site, ofGrace.access_token)).status).toBe(200);
  });

  test('§3.3 the host ends the sessions, and nothing that was allowed is remembered [3.3-3]', async () => {
    const { clientId } = await site.client();
    const query = { response_type: 'code', client_id: clientId, redirect_uri: REDIRECT_URI, state: 'xyz' };
    await ada.authorize(query);
    await post(opaque('ada'));
    expect(ended).toEqual(['ada']);
    const silent = await ada.authorize({ ...query, prompt: 'none' });
    expect(silent.searchParams.get('error')).toBe('login_required');
  });

  test('§3.3 what a session gets while it is being ended is over, too', async () => {
    const client = await site.client();
    let meanwhile = '';
    endSessions = async () => {
      ({ access_token: meanwhile } = await obtainTokens(site, client));
    };
    await post(opaque('ada'));
    expect((await callApi(site, meanwhile)).status).toBe(401);
  });

  test('§3.2 a person is named by whatever the host knows', async () => {
    const { status } = await post({ sub_id: { format: 'email', email: 'ada@photos.example' } });
    expect([status, ended]).toEqual([204, ['ada']]);
  });

  test('events say who and why', async () => {
    const heard: unknown[] = [];
    site.oauth.events.once('grant.revoked', ({ userId, reason }) => heard.push([userId, reason]));
    await post(opaque('ada'));
    expect(heard).toEqual([['ada', 'global_token_revocation']]);
  });
});

describe('§3.4.2, §6.1 who may', () => {
  test('§3.1, §5 the metadata name it [3.1-2]', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({
      global_token_revocation_endpoint: `${site.url}${PATH}`,
      global_token_revocation_endpoint_auth_methods_supported: ['Bearer'],
    });
  });

  test('§3.2 nobody without a token [3.2-1]', async () => {
    for (const by of ['', 'nonsense']) {
      const { status, headers } = await post(opaque('ada'), by);
      expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining('Bearer')]);
    }
    const withSecret = await request(site.server)
      .post(PATH)
      .set('Authorization', basic(desk.clientId, String(desk.clientSecret)))
      .send(opaque('ada'));
    expect([withSecret.status, ended]).toEqual([401, []]);
  });

  test('§6.1 no other client, whatever its scopes are [6.1-1]', async () => {
    const other = await site.client({ scopes: ['users:revoke'], grantTypes: ['client_credentials'] });
    const { status, body } = await post(opaque('ada'), await ownToken(other));
    expect([status, body.error, ended]).toEqual([403, 'access_denied', []]);
  });

  test('§6.1 no token without the scope for it [6.1-2]', async () => {
    const { status, body } = await post(opaque('ada'), await ownToken(desk, 'profile'));
    expect([status, body.error]).toEqual([403, 'insufficient_scope']);
  });

  test('§6.1 no token that a person has given, even to a client that may', async () => {
    const both = { grantTypes: ['authorization_code', 'client_credentials'], scopes: ['users:revoke'] };
    await site.oauth.clients.update(desk.clientId, { ...both, redirectUris: [REDIRECT_URI] });
    const { access_token: given } = await obtainTokens(site, desk, { query: { scope: 'users:revoke' } });
    expect((await post(opaque('grace'), given)).status).toBe(403);
    expect(ended).toEqual([]);
  });

  test('§6.1, §6.2 the host says whose people a client may name [6.1-3] [6.2-1]', async () => {
    const idp = await site.client({
      clientId: 'idp-of-ink',
      grantTypes: ['client_credentials'],
      scopes: ['users:revoke'],
    });
    const by = await ownToken(idp);
    expect((await post(opaque('ada'), by)).status).toBe(404);
    expect((await post(opaque('grace'), by)).status).toBe(204);
    expect(ended).toEqual(['grace']);
  });

  test('a client that is blocked may not, from that moment on', async () => {
    await site.oauth.clients.block(desk.clientId);
    expect((await post(opaque('ada'))).status).toBe(401);
    await site.oauth.clients.unblock(desk.clientId);
    expect((await post(opaque('ada'))).status).toBe(204);
  });

  test('§3.1 it needs TLS [3.1-1]', async () => {
    const secure = await openSite({
      issuer: 'https://photos.example',
      before: () => undefined,
      globalTokenRevocation: { clients: ['x'], findUser: () => 'ada', endSessions: () => undefined },
    });
    const { status, body } = await request(secure.server).post(PATH).send(opaque('ada'));
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    await secure.close();
  });
});

describe('§3.4.2 what is wrong', () => {
  test('nobody is meant: 404', async () => {
    const { status, body } = await post({ sub_id: { format: 'email', email: 'eve@photos.example' } });
    expect([status, body]).toEqual([
      404,
      { error: 'invalid_request', error_description: 'there is no such user' },
    ]);
  });

  test('the sessions cannot be ended: 422, and the tokens are gone', async () => {
    const { access_token: access } = await obtainTokens(site, await site.client());
    endSessions = () => Promise.reject(new Error('the session store is away'));
    const { status, body } = await post(opaque('ada'));
    expect([status, body.error_description]).toEqual([
      422,
      'the tokens are revoked, but the user could not be logged out',
    ]);
    expect((await callApi(site, access)).status).toBe(401);
    expect(JSON.stringify(body)).not.toContain('session store');
  });

  test.each([
    ['no sub_id', {}],
    ['a list', []],
    ['more than one member', { ...opaque('ada'), reason: 'fired' }],
    ['text', { sub_id: 'ada' }],
    ['no format', { sub_id: { id: 'ada' } }],
    ['an unknown format', { sub_id: { format: 'name', name: 'ada' } }],
    ['a format of every object', { sub_id: { format: 'constructor' } }],
    ['several names', { sub_id: { format: 'aliases', identifiers: [{ format: 'opaque', id: 'ada' }] } }],
    ['an operator', { sub_id: { format: 'opaque', id: { $ne: '' } } }],
    ['nothing', { sub_id: { format: 'opaque', id: '' } }],
    ['half of it', { sub_id: { format: 'iss_sub', iss: 'https://idp.example' } }],
    ['more than its format has', { sub_id: { format: 'opaque', id: 'ada', email: 'ada@photos.example' } }],
    ['a long one', { sub_id: { format: 'opaque', id: 'a'.repeat(1025) } }],
  ])('%s is 400, and ends nothing', async (_what, body) => {
    const answer = await post(body);
    expect([answer.status, answer.body.error, ended]).toEqual([400, 'invalid_request', []]);
  });

  test('no JSON, another type, another method', async () => {
    const sent = () => request(site.server).post(PATH).set('Authorization', `Bearer ${token}`);
    expect((await sent().type('json').send('{')).status).toBe(400);
    expect((await sent().type('form').send({ sub_id: 'ada' })).status).toBe(400);
    expect((await request(site.server).get(PATH)).status).toBe(405);
  });

  test('a host that gives no id ends nothing', async () => {
    expect((await post(opaque('broken'))).status).toBe(500);
    expect(ended).toEqual([]);
  });

  test('off, there is nothing of it', async () => {
    const plain = await openSite();
    expect((await request(plain.server).post(PATH).send(opaque('ada'))).status).toBe(404);
    const { body } = await request(plain.server).get('/.well-known/oauth-authorization-server');
    expect(Object.keys(body).filter((name) => name.startsWith('global'))).toEqual([]);
    await plain.close();
  });
});
