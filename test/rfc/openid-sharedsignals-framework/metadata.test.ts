import { expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { openTransmittingSite } from '../../support/shared-signals.js';
import { openSite } from '../../support/site.js';
import { fixture } from '../../support/site-for.js';

const PATH = '/.well-known/ssf-configuration';

const site = fixture(() => openTransmittingSite());

test('§7.1, §7.2 the transmitter metadata is at the well-known address and lists the endpoints [7.1-1] [7.1-2] [7.1-3] [7.1-4] [7.1-5] [7.1.1-1] [7.2-1] [7.2-2] [7.2.3-1]', async () => {
  const { status, body, headers } = await request(site.server).get(PATH);
  expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  const api = `${site.url}/oauth/ssf`;
  expect(body).toEqual({
    spec_version: '1_0',
    issuer: site.url,
    jwks_uri: `${site.url}/oauth/jwks`,
    delivery_methods_supported: ['urn:ietf:rfc:8935', 'urn:ietf:rfc:8936'],
    configuration_endpoint: `${api}/streams`,
    status_endpoint: `${api}/status`,
    add_subject_endpoint: `${api}/subjects/add`,
    remove_subject_endpoint: `${api}/subjects/remove`,
    verification_endpoint: `${api}/verify`,
    authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
    default_subjects: 'ALL',
  });
});

test('§7.2.1 the transmitter metadata is read by GET alone [7.2.1-1]', async () => {
  expect((await request(site.server).post(PATH)).status).toBe(405);
});

test('§7.2.3 the transmitter metadata has no empty list [7.2.3-2]', async () => {
  const { body } = await request(site.server).get(PATH);
  for (const value of Object.values(body as object)) expect(value).not.toEqual([]);
});

test('§7.2.1 the path of an issuer follows the well-known path [7.2.1-2]', async () => {
  const issuer = 'https://photos.example/auth';
  await using other = await openTransmittingSite({}, { issuer });
  const app = express().set('trust proxy', 'loopback').use(other.oauth.wellKnown);
  const { status, body } = await request(app).get(`${PATH}/auth`).set('x-forwarded-proto', 'https');
  expect([status, body.issuer]).toEqual([200, issuer]);
  expect(body.configuration_endpoint).toBe(`${issuer}/oauth/ssf/streams`);
});

test('a site without a transmitter has no transmitter metadata and endpoints', async () => {
  await using other = await openSite();
  expect((await request(other.server).get(PATH)).status).toBe(404);
  expect((await request(other.server).get('/oauth/ssf/streams')).status).toBe(404);
  expect((await request(other.server).post('/oauth/ssf-events')).status).toBe(404);
});
