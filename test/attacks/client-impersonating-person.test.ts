import { beforeAll, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import request from 'supertest';

import { bearerGuard, errorHandler } from '../../lib/guard.js';
import { refusal } from '../support/refusal.js';
import { fixture, siteFor } from '../support/site-for.js';
import { callApi, obtainTokens, tokenRequest } from '../support/tokens.js';

/** RFC 9700 §4.15, RFC 9068 §5: users who choose their ids may choose those of clients. */
describe.each(['opaque', 'jwt'] as const)(
  'a user with the id of a client, %s tokens',
  (accessTokenFormat) => {
    let api: Express;

    const site = siteFor({
      tokens: { accessTokenFormat },
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', 'password'],
    });
    const client = fixture(() => site.client({ clientId: 'ada' }));
    beforeAll(async () => {
      const asking = await site.client({ introspection: true, grantTypes: ['client_credentials'] });
      const guard = bearerGuard({
        issuer: site.url,
        clientId: asking.clientId,
        clientSecret: asking.clientSecret ?? '',
        onError: () => undefined,
      });
      api = express()
        .get('/', guard(), (req, res) => void res.json(req.auth))
        .use(errorHandler);
    });

    const authAt = async (token: string) => [
      (await callApi(site, token)).body as object,
      (await request(api).get('/').set('Authorization', `Bearer ${token}`)).body as object,
    ];

    test('a user with the id of a client gets no token by that client', async () => {
      const fields = { grant_type: 'password', username: 'ada', password: 'password of ada' };
      expect(await tokenRequest(site, client, fields)).toMatchObject(refusal(400, 'invalid_grant'));
      expect(site.errors.at(-1)?.detail).toContain('both called ada');
    });

    test('a client gets tokens without a user, and the user of its id tokens of other clients', async () => {
      const ofClient = await tokenRequest(site, client, { grant_type: 'client_credentials' });
      for (const auth of await authAt(ofClient.body.access_token as string)) {
        expect(auth).toMatchObject({ clientId: 'ada' });
        expect(auth).not.toHaveProperty('userId');
      }
      const { access_token: ofPerson } = await obtainTokens(site, await site.client());
      for (const auth of await authAt(ofPerson)) expect(auth).toMatchObject({ userId: 'ada' });
    });
  },
);
