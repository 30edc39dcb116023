import { expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { bearerGuard, errorHandler } from '../../../lib/guard.js';
import { siteFor } from '../../support/site-for.js';
import { tokenRequest } from '../../support/tokens.js';

const site = siteFor({ tokens: { accessTokenFormat: 'jwt' } });
/** Answers at its own address with the metadata of another issuer. */
const impostor = siteFor(() => ({
  database: site.database,
  issuer: site.url,
  tokens: { accessTokenFormat: 'jwt' },
}));

test('§3.3, §6.2 bearerGuard refuses metadata of another issuer [3.3-2] [6.2-2]', async () => {
  const { access_token: token } = (
    await tokenRequest(site, await site.client(), { grant_type: 'client_credentials' })
  ).body;
  const call = (issuer: string) => {
    const app = express()
      .get(
        '/',
        bearerGuard({ issuer, resource: site.url, onError: () => undefined })(),
        (_req, res) => void res.end(),
      )
      .use(errorHandler);
    return request(app).get('/').set('Authorization', `Bearer ${token}`);
  };
  expect((await call(site.url)).status).toBe(200);
  expect((await call(impostor.url)).status).toBe(503);
  // the issuer is compared exactly: a slash at the end makes another issuer
  expect((await call(`${site.url}/`)).status).toBe(503);
});
