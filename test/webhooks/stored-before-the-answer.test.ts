import { randomBytes } from 'node:crypto';

import { describe, expect } from '@jest/globals';
import request from 'supertest';

import { testFailing, whileFailing } from '../support/fail-point.js';
import { codeQuery, logInPerson } from '../support/person.js';
import { REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { obtainCode, obtainTokens, redeem, refreshTokens } from '../support/tokens.js';

/** A process may end at any moment after its answer: the messages about it are in the outbox by then. */
describe('the outbox at the time of the answer', () => {
  const site = siteFor({
    personalAccessTokens: true,
    registration: { open: true },
    security: { rateLimits: false },
    // messages without a receiver stay in the outbox
    notify: () => Promise.reject(new Error('no mail today')),
    webhooks: [
      {
        url: 'http://127.0.0.1:1/hook',
        secret: `whsec_${randomBytes(32).toString('base64')}`,
        allowPrivateAddresses: true,
        events: ['*'],
      },
    ],
  });
  const client = fixture(() => site.client({ ownerId: 'grace' }));

  const token = () =>
    site.oauth.personalAccessTokens.create({ userId: 'ada', name: 'Job', scopes: ['profile'] });
  const serviceToken = () =>
    site.oauth.personalAccessTokens.create({ owners: ['grace'], name: 'Job', scopes: ['profile'] });
  const refresh = (refreshToken: string) => refreshTokens(site, client, refreshToken);

  /** Prepares, and resolves to the step whose answer counts. */
  const steps: Record<string, readonly [() => Promise<() => PromiseLike<unknown>>, ...expected: string[]]> = {
    'a token is made': [() => Promise.resolve(token), 'newToken', 'token.issued'],
    'a token is blocked': [
      async () => {
        const { id } = await token();
        return () => site.oauth.personalAccessTokens.block(id);
      },
      'tokenBlocked',
      'token.blocked',
    ],
    'a leaked token is reported': [
      async () => {
        const { token: leaked } = await token();
        return () => request(site.server).post('/oauth/leaked-token').type('form').send({ token: leaked });
      },
      'tokenLeaked',
      'grant.revoked',
    ],
    'a client revokes its refresh token': [
      async () => {
        const { refresh_token: given } = await obtainTokens(site, client);
        return () =>
          request(site.server)
            .post('/oauth/revoke')
            .auth(client.clientId, client.clientSecret!)
            .type('form')
            .send({ token: given });
      },
      'token.revoked',
      'grant.revoked',
    ],
    'a code is replayed': [
      async () => {
        const code = await obtainCode(site, client);
        await redeem(site, client, code);
        return () => redeem(site, client, code);
      },
      'reuseDetected',
      'code.replayed',
      'grant.revoked',
    ],
    'a refresh token is reused': [
      async () => {
        const { refresh_token: used } = await obtainTokens(site, client);
        await refresh(used);
        return () => refresh(used);
      },
      'reuseDetected',
      'refresh.reused',
      'grant.revoked',
    ],
    'a user allows an app': [
      async () => {
        const app = await site.client({ name: 'Another shop' });
        const person = await logInPerson(site, 'eve');
        const page = await person.openAuthorize(codeQuery(app, { scope: 'profile', state: 'xyz' }));
        return () => person.choose(page);
      },
      'newApp',
      'consent.given',
    ],
    'the site ends all access of a user': [
      () => Promise.resolve(() => site.oauth.grants.revoke({ userId: 'bob' })),
      'grant.revoked',
    ],
    'an app is blocked': [
      async () => {
        const { clientId } = await site.client({ ownerId: 'grace' });
        return () => site.oauth.clients.block(clientId);
      },
      'appBlocked',
      'client.blocked',
    ],
    'an app registers itself': [
      () =>
        Promise.resolve(() =>
          request(site.server)
            .post('/oauth/register')
            .send({ redirect_uris: [REDIRECT_URI] }),
        ),
      'client.created',
    ],
    'an app is made': [() => Promise.resolve(() => site.client()), 'client.created'],
    'an app is changed': [
      async () => {
        const { clientId } = await site.client();
        return () => site.oauth.clients.update(clientId, { name: 'Another name' });
      },
      'client.updated',
    ],
    'an app gets another secret': [
      async () => {
        const { clientId } = await site.client();
        return () => site.oauth.clients.rotateSecret(clientId);
      },
      'client.secret_rotated',
    ],
    'an app gets another owner': [
      async () => {
        const { clientId } = await site.client({ ownerId: 'grace' });
        return () => site.oauth.clients.addOwner(clientId, 'ada');
      },
      'owner.added',
    ],
    'an app loses an owner': [
      async () => {
        const { clientId } = await site.client({ ownerId: 'grace' });
        await site.oauth.clients.addOwner(clientId, 'ada');
        return () => site.oauth.clients.removeOwner(clientId, 'grace');
      },
      'owner.removed',
    ],
    'a service token gets another owner': [
      async () => {
        const { id } = await serviceToken();
        return () => site.oauth.personalAccessTokens.addOwner(id, 'ada');
      },
      'owner.added',
    ],
    'a service token loses an owner': [
      async () => {
        const { id } = await serviceToken();
        await site.oauth.personalAccessTokens.addOwner(id, 'ada');
        return () => site.oauth.personalAccessTokens.removeOwner(id, 'grace');
      },
      'owner.removed',
    ],
    'an app is deleted': [
      async () => {
        const { clientId } = await site.client();
        return () => site.oauth.clients.delete(clientId);
      },
      'client.deleted',
    ],
  };

  testFailing.each(Object.entries(steps))('a message is stored if %s', async (_, [prepare, ...expected]) => {
    const step = await prepare();
    const outbox = site.database.collection('oauth_webhooks');
    // events of the preparation
    await site.oauth.webhooks.list();
    await outbox.deleteMany({});
    const found = await whileFailing(
      site.database,
      // a message stored beside the answer would be late
      { command: 'insert', failure: { blockConnection: true, blockTimeMS: 200 } },
      async () => {
        await step();
        return outbox.distinct('type');
      },
    );
    expect(found).toEqual(expect.arrayContaining(expected));
  });
});
