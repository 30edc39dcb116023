import { describe, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { bearerGuard } from '../../../lib/guard.js';
import type { ClientWithSecret } from '../../../lib/index.js';
import { runCli } from '../../support/cli.js';
import { letPass } from '../../support/clock.js';
import { commandsDuring } from '../../support/commands.js';
import { createProofKey, prove } from '../../support/dpop.js';
import { codeQuery, formatQuery, logInPerson } from '../../support/person.js';
import { openSite, REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import {
  ACCESS_TOKEN,
  exchange,
  exchanged,
  exchanger,
  handingOn,
  TOKEN_EXCHANGE,
} from '../../support/token-exchange.js';
import { callApi, obtainCode, obtainTokens, redeem, tokenRequest } from '../../support/tokens.js';

const site = siteFor({ tokenExchange: true, advanced: { clientCacheTtl: 0 } });
const print = fixture(() => exchanger(site));
const photos = fixture(() => handingOn(site, [print]));
const ada = fixture(() => logInPerson(site));

const asks = ({ clientId }: ClientWithSecret) =>
  ada.openAuthorize(formatQuery(codeQuery(clientId, { state: 'xyz' })));

describe('mayAct', () => {
  test('mayAct with an unknown client is refused in code and on the command line', async () => {
    const { clientId } = await site.client({ mayAct: [print.clientId] });
    for (const [mayAct, problem] of [
      [['nobody'], 'mayAct names nobody, and there is no such client: register it first.'],
      [[print.clientId, 'nobody', 'no-one'], 'mayAct names nobody, no-one, and there is no such client'],
      [[''], 'mayAct names a client by an empty text: write its id.'],
      [[' '], 'mayAct names a client by an empty text: write its id.'],
    ] as const) {
      await expect(site.client({ clientId: 'not-stored', mayAct })).rejects.toThrow(problem);
      await expect(site.oauth.clients.update(clientId, { mayAct })).rejects.toThrow(problem);
    }
    expect(await site.oauth.clients.find('not-stored')).toBeNull();
    expect(await site.oauth.clients.find(clientId)).toMatchObject({ mayAct: [print.clientId] });
    const cli = (...args: string[]) =>
      runCli(['clients', 'update', clientId, ...args], { uri: site.database.uri });
    const refused = await cli('--may-act', 'nobody');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('mayAct names nobody')]);
    expect((await cli('--may-act', print.clientId)).code).toBe(0);
  });

  test('mayAct accepts the URL of a new client and keeps a client that was deleted since', async () => {
    const binder = await exchanger(site, { name: 'Binder' });
    const described = 'https://agent.example/client.json';
    const { clientId } = await site.client({ mayAct: [binder.clientId, described] });
    await site.oauth.clients.delete(binder.clientId);
    await site.oauth.clients.update(clientId, { name: 'Another name' });
    expect(await site.oauth.clients.find(clientId)).toMatchObject({ mayAct: [binder.clientId, described] });
  });
});

describe('pages for the person', () => {
  test('the consent page lists the clients in mayAct, and a new one needs new consent', async () => {
    const client = await handingOn(site, [print]);
    const page = await asks(client);
    expect(page.text).toMatch(/data-handed-on>.*Photos.*may hand this on to.*Print/);
    await ada.choose(page);
    expect((await asks(client)).status).toBe(302);
    const binder = await exchanger(site, { name: 'Binder' });
    await site.oauth.clients.update(client.clientId, { mayAct: [print.clientId, binder.clientId] });
    const again = await asks(client);
    expect(again.status).toBe(200);
    expect(again.text).toContain('Binder');
  });

  test('the page of an application lists who exchanged its tokens, and when', async () => {
    const { access_token: token } = await obtainTokens(site, photos);
    await exchanged(site, print, token);
    const page = await ada.agent.get(`/oauth/authorizations/${photos.clientId}`);
    expect(page.text).toMatch(/id="authorization-through">.*<bdi>Print<\/bdi>.*last on .*\d{4}/);
    const other = await ada.agent.get(`/oauth/authorizations/${print.clientId}`);
    expect(other.status).toBe(404);
  });
});

test('the page of an application lists the actor of an actor_token', async () => {
  const agent = await site.client({ name: 'Print’s agent', grantTypes: ['client_credentials'] });
  const client = await handingOn(site, [print, agent]);
  const { body } = await tokenRequest(site, agent, { grant_type: 'client_credentials' });
  const { access_token: token } = await obtainTokens(site, client);
  await exchanged(site, print, token, { actor_token: body.access_token, actor_token_type: ACCESS_TOKEN });
  const page = await ada.agent.get(`/oauth/authorizations/${client.clientId}`);
  expect(page.text).toMatch(/<bdi>Print<\/bdi>/);
  expect(page.text).toMatch(/<bdi>Print’s agent<\/bdi>/);
});

describe('a client that may exchange', () => {
  test('mayExchange needs the grant type, and mayAct has at most ten clients', async () => {
    await expect(site.client({ mayExchange: true, grantTypes: ['client_credentials'] })).rejects.toThrow(
      /needs the grant type/,
    );
    const eleven = Array.from({ length: 11 }, (_, index) => ({ ...print, clientId: `client ${index}` }));
    await expect(handingOn(site, eleven)).rejects.toThrow(/more than 10/);
  });

  test('an exchanged token has only scopes of its client’s registration', async () => {
    const narrow = await exchanger(site, { name: 'Narrow', scopes: ['profile'] });
    const client = await handingOn(site, [narrow]);
    const { access_token: token } = await obtainTokens(site, client);
    const { body } = await exchange(site, narrow, token).expect(200);
    expect(body.scope).toBe('profile');
  });

  test('a token of two exchanges costs the guard one command', async () => {
    const { access_token: token } = await obtainTokens(site, photos);
    const second = await exchanged(site, print, token);
    const third = await exchanged(site, print, second);
    expect(await commandsDuring(site.database, () => callApi(site, third))).toEqual(['find oauth_grants']);
    expect(await commandsDuring(site.database, () => exchange(site, print, second).expect(200))).toEqual([
      'find oauth_clients',
      'find oauth_grants',
      'update oauth_grants',
    ]);
  });

  test('a grant has at most 50 exchanged tokens, and the newest replace the oldest', async () => {
    const { access_token: token } = await obtainTokens(site, photos);
    const first = await exchanged(site, print, token);
    for (let count = 0; count < 50; count += 1) await exchanged(site, print, token);
    expect((await callApi(site, first)).status).toBe(401);
    const grant = await site.oauth.models.Grant.findOne({ _id: token.slice(7, 29) }).lean();
    expect(grant?.exchangedTokens).toHaveLength(50);
  });
});

describe('an application with mayAct', () => {
  test('a client that was removed from mayAct can exchange no more tokens', async () => {
    const client = await handingOn(site, [print]);
    const { access_token: token } = await obtainTokens(site, client);
    const second = await exchanged(site, print, token);
    await site.oauth.clients.update(client.clientId, { mayAct: undefined });
    await exchange(site, print, token).expect(400);
    // the token that Print has is Print's
    await exchange(site, print, second).expect(200);
  });

  test('an actor_token of a person is refused', async () => {
    const agent = await exchanger(site, {
      name: 'Agent',
      grantTypes: ['authorization_code', TOKEN_EXCHANGE],
      redirectUris: [REDIRECT_URI],
    });
    const client = await handingOn(site, [print, agent]);
    const { access_token: token } = await obtainTokens(site, client);
    const { access_token: ofPerson } = await obtainTokens(site, agent, { as: 'eve' });
    const fields = { actor_token: ofPerson, actor_token_type: ACCESS_TOKEN };
    expect((await exchange(site, print, token, fields).expect(400)).body.error).toBe('invalid_request');
  });

  test('a guard elsewhere reads client and actor, from the JWT or by introspection', async () => {
    for (const accessTokenFormat of ['jwt', 'opaque'] as const) {
      await using issuing = await openSite({ tokenExchange: true, tokens: { accessTokenFormat } });
      const delegate = await exchanger(issuing);
      const client = await handingOn(issuing, [delegate]);
      const resourceServer = await issuing.client({
        introspection: true,
        grantTypes: ['client_credentials'],
      });
      const token = await exchanged(issuing, delegate, (await obtainTokens(issuing, client)).access_token);
      const { clientId, clientSecret } = resourceServer;
      const guard = bearerGuard({
        issuer: issuing.url,
        resource: issuing.url,
        ...(accessTokenFormat === 'opaque' && { clientId, clientSecret: clientSecret! }),
      });
      const api = express().get('/who', guard(), (req, res) => void res.json(req.auth));
      const { body } = await request(api).get('/who').set('Authorization', `Bearer ${token}`).expect(200);
      expect(body).toMatchObject({
        clientId: delegate.clientId,
        userId: 'ada',
        actor: { sub: delegate.clientId },
      });
    }
  });
});

describe('an exchanged token', () => {
  test('an exchanged token expires no later than its subject token', async () => {
    const { access_token: token } = await obtainTokens(site, photos);
    letPass(3000);
    const { body } = await exchange(site, print, token).expect(200);
    expect(body.expires_in).toBeLessThanOrEqual(600);
    letPass(601);
    expect((await callApi(site, body.access_token)).status).toBe(401);
    expect((await exchange(site, print, token)).status).toBe(400);
  });

  test('an exchanged token has the details of its subject token that its client may have', async () => {
    await using albums = await openSite({
      tokenExchange: true,
      authorizationDetails: {
        album: {
          schema: {
            type: 'object',
            properties: { id: { type: 'string' } },
            required: ['id'],
            additionalProperties: false,
          },
          describe: ({ id }) => `Album ${String(id)}`,
        },
      },
    });
    const [first, second, none] = [
      await exchanger(albums),
      await exchanger(albums, { name: 'Binder' }),
      await exchanger(albums, { name: 'None', authorizationDetailsTypes: [] }),
    ];
    const client = await handingOn(albums, [first, second, none]);
    const detail = (id: string) => ({ type: 'album', id });
    const asking = (...ids: string[]) => ({ authorization_details: JSON.stringify(ids.map(detail)) });
    const { accessToken } = await albums.oauth.grants.create({
      clientId: client.clientId,
      userId: 'ada',
      authorizationDetails: [detail('1'), detail('2')],
    });
    const narrow = await exchanged(albums, first, accessToken, asking('2'));
    const again = await exchanged(albums, second, narrow);
    for (const token of [narrow, again])
      expect((await callApi(albums, token)).body.authorizationDetails).toEqual([detail('2')]);
    for (const wide of [asking('1'), asking('1', '2'), asking('2', '2'), asking('3')]) {
      const { body } = await exchange(albums, second, narrow, wide).expect(400);
      expect(body.error).toBe('invalid_authorization_details');
    }
    const bare = await exchanged(albums, none, accessToken);
    for (const token of [bare, await exchanged(albums, second, bare)])
      expect((await callApi(albums, token)).body).not.toHaveProperty('authorizationDetails');
  });

  test('an exchange yields no ID token (OpenID Connect Core §3.1.3.3)', async () => {
    await using signing = await openSite({ tokenExchange: true, openid: { claims: () => ({}) } });
    const delegate = await exchanger(signing);
    const client = await handingOn(signing, [delegate]);
    const { access_token: token } = await obtainTokens(signing, client, {
      query: { scope: 'openid profile' },
    });
    const { body } = await exchange(signing, delegate, token).expect(200);
    expect(body).not.toHaveProperty('id_token');
    expect(body.scope).toBe('profile');
  });
});

describe('a token that is bound to a key (RFC 9449)', () => {
  test('the exchange of a bound token yields a bound token, with the key of the client', async () => {
    await using bound = await openSite({ tokenExchange: true, dpop: true });
    const [own, other] = [await createProofKey(), await createProofKey()];
    const url = `${bound.url}/oauth/token`;
    const delegate = await exchanger(bound);
    const client = await handingOn(bound, [delegate], {
      grantTypes: ['authorization_code', TOKEN_EXCHANGE],
      mayExchange: true,
    });
    const code = await obtainCode(bound, client);
    const { body } = await redeem(bound, client, code).set('DPoP', await prove(own, 'POST', url));
    const subject = (body as { access_token: string }).access_token;
    expect((await exchange(bound, delegate, subject).expect(400)).body.error).toBe('invalid_request');
    const theirs = await exchange(bound, delegate, subject)
      .set('DPoP', await prove(other, 'POST', url))
      .expect(200);
    expect(theirs.body.token_type).toBe('DPoP');
    const grant = await bound.oauth.models.Grant.findOne({ _id: subject.slice(7, 29) }).lean();
    expect(grant?.exchangedTokens?.map(({ jkt }) => jkt)).toEqual([other.jkt]);
    await exchange(bound, client, subject)
      .set('DPoP', await prove(other, 'POST', url))
      .expect(400);
    await exchange(bound, client, subject)
      .set('DPoP', await prove(own, 'POST', url))
      .expect(200);
  });
});

describe('without the option tokenExchange', () => {
  test('without tokenExchange the grant type is missing, and asking for it is an error', async () => {
    const plain = await openSite();
    expect(plain.oauth.clients.limits.grantTypes).not.toContain(TOKEN_EXCHANGE);
    await expect(plain.client({ mayExchange: true })).rejects.toThrow();
    await plain.close();
    await expect(openSite({ grantTypes: [TOKEN_EXCHANGE] as never })).rejects.toThrow(
      /needs the option tokenExchange/,
    );
  });
});
