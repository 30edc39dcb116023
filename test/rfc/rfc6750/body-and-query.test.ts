import { beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { sendRaw } from '../../support/raw-http.js';
import { openSite } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { callApi, tokenRequest } from '../../support/tokens.js';

const FORM = 'application/x-www-form-urlencoded';

let token: string;

/** A site that accepts tokens in the header, the body and the query. */
const site = siteFor({ guard: { bearerMethods: ['header', 'body', 'query'] } });

beforeAll(async () => {
  token = (await tokenRequest(site, await site.client(), { grant_type: 'client_credentials' })).body
    .access_token;
  site.app.all(
    '/api/form',
    express.urlencoded({ extended: true }),
    express.json(),
    express.text({ type: 'text/plain' }),
    site.oauth.guard(),
    (req, res) => void res.json({ ...req.auth }),
  );
  site.app.use('/api/form', site.oauth.errorHandler);
});

const postForm = (body: string, type = FORM) =>
  request(site.server).post('/api/form').set('Content-Type', type).send(body);

describe('§2.2 a token in the body as an option', () => {
  test('§2.2 a token in a urlencoded form is accepted [2.2-4]', async () => {
    const response = await postForm(`photo=7&access_token=${token}&size=large`);
    expect(response.status).toBe(200);
    expect(response.body.token).toBe(token);
  });

  test.each(['PUT', 'PATCH', 'DELETE'])('§2.2 a token in the body of %s is accepted', async (method) => {
    const response = await sendRaw(site.server, {
      method,
      target: '/api/form',
      headers: [['Content-Type', FORM]],
      body: `access_token=${token}`,
    });
    expect(response.status).toBe(200);
  });

  test('§2.2 a token in the body of GET is ignored [2.2-3]', async () => {
    const body = `access_token=${token}`;
    const response = await sendRaw(site.server, {
      target: '/api/form',
      headers: [
        ['Content-Type', FORM],
        ['Content-Length', String(body.length)],
      ],
      body,
    });
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']?.[0]).not.toContain('error');
  });

  test.each([
    ['JSON', 'application/json', (value: string) => JSON.stringify({ access_token: value })],
    ['plain text', 'text/plain', (value: string) => `access_token=${value}`],
    [
      'several parts',
      'multipart/form-data; boundary=x',
      (value: string) =>
        `--x\r\nContent-Disposition: form-data; name="access_token"\r\n\r\n${value}\r\n--x--\r\n`,
    ],
  ])('§2.2 a token in a body of %s is ignored [2.2-1]', async (_what, type, body) => {
    expect((await postForm(body(token), type)).status).toBe(401);
  });

  test.each([
    ['twice', (value: string) => `access_token=${value}&access_token=${value}`],
    ['nested', (value: string) => `access_token[a]=${value}`],
    ['as a list', (value: string) => `access_token[]=${value}`],
  ])('§2.2 a body with the token %s is a malformed request [3.1-1]', async (_how, body) => {
    const response = await postForm(body(token));
    expect(response.status).toBe(400);
    expect(response.headers['www-authenticate']).toContain('error="invalid_request"');
  });

  test.each([
    ['a wrong token', () => token.slice(0, -1)],
    ['an empty token', () => ''],
  ])('§2.2 %s in the body is answered invalid_token [3.1-2] [3.1-6]', async (_what, valueOf) => {
    const response = await postForm(`access_token=${valueOf()}`);
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toContain('error="invalid_token"');
  });
});

describe('§2.3 a token in the query as an option', () => {
  const get = (query: string) => sendRaw(site.server, { target: `/api/me?${query}` });

  test('§2.3 a token in the query is accepted [2.3-1]', async () => {
    const response = await get(`photo=7&access_token=${token}&size=large`);
    expect(response.status).toBe(200);
    expect(JSON.parse(response.body)).toMatchObject({ token });
  });

  test('§2.3 a response to a token in the query is private to caches [2.3-3]', async () => {
    expect((await get(`access_token=${token}`)).headers['cache-control']).toEqual(['private']);
  });

  test('§2.3 a response to a token in the header is private as well if the query is enabled [2.3-3]', async () => {
    expect((await callApi(site, token)).headers['cache-control']).toBe('private');
  });

  test('§2.3 a route may set its own Cache-Control [2.3-3]', async () => {
    site.app.get(
      '/api/own',
      site.oauth.guard(),
      (_req, res) => void res.set('Cache-Control', 'no-store').json({}),
    );
    expect(
      (await sendRaw(site.server, { target: `/api/own?access_token=${token}` })).headers['cache-control'],
    ).toEqual(['no-store']);
  });

  test.each([
    ['twice', (value: string) => `access_token=${value}&access_token=${value}`],
    ['in a broken percent-encoding', (value: string) => `access_token=${value}%zz`],
  ])('§2.3 a query with the token %s is a malformed request [3.1-1]', async (_how, query) => {
    const response = await get(query(token));
    expect(response.status).toBe(400);
    expect(response.headers['www-authenticate']?.[0]).toContain('error="invalid_request"');
  });

  test.each([
    ['with bytes that are no UTF-8', () => `${token}%ff`],
    ['with a NUL', () => `${token}%00`],
    ['without characters', () => ''],
  ])('§2.3 a token %s in the query is answered invalid_token [3.1-2] [3.1-6]', async (_what, valueOf) => {
    const response = await get(`access_token=${valueOf()}`);
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']?.[0]).toContain('error="invalid_token"');
  });
});

describe('§2 several methods at once', () => {
  const header = () => ['Authorization', `Bearer ${token}`] as const;

  test.each([
    ['header and query', () => ({ target: `/api/form?access_token=${token}`, headers: [header()] })],
    [
      'header and body',
      () => ({
        method: 'POST',
        target: '/api/form',
        headers: [header(), ['Content-Type', FORM] as const],
        body: `access_token=${token}`,
      }),
    ],
    [
      'body and query',
      () => ({
        method: 'POST',
        target: `/api/form?access_token=${token}`,
        headers: [['Content-Type', FORM] as const],
        body: `access_token=${token}`,
      }),
    ],
  ])('§2 a token in %s is refused [2-1] [3.1-1]', async (_ways, requestOf) => {
    const response = await sendRaw(site.server, requestOf());
    expect(response.status).toBe(400);
    expect(response.headers['www-authenticate']?.[0]).toContain(
      'error="invalid_request", error_description="the access token is sent in more than one way"',
    );
  });

  test('§2 a site may accept tokens in the query only', async () => {
    await using only = await openSite({ guard: { bearerMethods: ['query'] }, database: site.database });
    expect((await callApi(only, token)).status).toBe(401);
    expect((await request(only.server).get('/api/me').query({ access_token: token })).status).toBe(200);
  });
});
