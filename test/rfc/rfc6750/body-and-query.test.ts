import { beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { sendRaw } from '../../support/raw-http.js';
import { openSite } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { callApi, tokenRequest } from '../../support/tokens.js';

const FORM = 'application/x-www-form-urlencoded';

let token: string;

/** A site that takes tokens in all three ways. */
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

describe('§2.2 in the body, where the host has switched it on', () => {
  test('§2.2 a urlencoded form lets a token in [2.2-4]', async () => {
    const response = await postForm(`photo=7&access_token=${token}&size=large`);
    expect(response.status).toBe(200);
    expect(response.body.token).toBe(token);
  });

  test.each(['PUT', 'PATCH', 'DELETE'])('§2.2 with %s as well', async (method) => {
    const response = await sendRaw(site.server, {
      method,
      target: '/api/form',
      headers: [['Content-Type', FORM]],
      body: `access_token=${token}`,
    });
    expect(response.status).toBe(200);
  });

  test('§2.2 never with GET [2.2-3]', async () => {
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
  ])('§2.2 nor as %s [2.2-1]', async (_what, type, body) => {
    expect((await postForm(body(token), type)).status).toBe(401);
  });

  test.each([
    ['twice', (value: string) => `access_token=${value}&access_token=${value}`],
    ['nested', (value: string) => `access_token[a]=${value}`],
    ['as a list', (value: string) => `access_token[]=${value}`],
  ])('§2.2 a token that is there %s is a malformed request [3.1-1]', async (_how, body) => {
    const response = await postForm(body(token));
    expect(response.status).toBe(400);
    expect(response.headers['www-authenticate']).toContain('error="invalid_request"');
  });

  test.each([
    ['a wrong token', () => token.slice(0, -1)],
    ['an empty one', () => ''],
  ])('§2.2 %s is refused as in the header [3.1-2] [3.1-6]', async (_what, valueOf) => {
    const response = await postForm(`access_token=${valueOf()}`);
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toContain('error="invalid_token"');
  });
});

describe('§2.3 in the query, where the host has switched it on', () => {
  const get = (query: string) => sendRaw(site.server, { target: `/api/me?${query}` });

  test('§2.3 lets a token in [2.3-1]', async () => {
    const response = await get(`photo=7&access_token=${token}&size=large`);
    expect(response.status).toBe(200);
    expect(JSON.parse(response.body)).toMatchObject({ token });
  });

  test('§2.3 the answer is private to caches [2.3-3]', async () => {
    expect((await get(`access_token=${token}`)).headers['cache-control']).toEqual(['private']);
  });

  test('§2.3 with a token in the header as well: the same route answers both [2.3-3]', async () => {
    expect((await callApi(site, token)).headers['cache-control']).toBe('private');
  });

  test('§2.3 the route still has its own say [2.3-3]', async () => {
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
    ['with a broken percent-encoding', (value: string) => `access_token=${value}%zz`],
  ])('§2.3 a token that is there %s is a malformed request [3.1-1]', async (_how, query) => {
    const response = await get(query(token));
    expect(response.status).toBe(400);
    expect(response.headers['www-authenticate']?.[0]).toContain('error="invalid_request"');
  });

  test.each([
    ['with bytes that are no UTF-8', () => `${token}%ff`],
    ['with a NUL', () => `${token}%00`],
    ['of no character', () => ''],
  ])('§2.3 a token %s is invalid_token [3.1-2] [3.1-6]', async (_what, valueOf) => {
    const response = await get(`access_token=${valueOf()}`);
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']?.[0]).toContain('error="invalid_token"');
  });
});

describe('§2 in more than one way', () => {
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
  ])('§2 %s is refused [2-1] [3.1-1]', async (_ways, requestOf) => {
    const response = await sendRaw(site.server, requestOf());
    expect(response.status).toBe(400);
    expect(response.headers['www-authenticate']?.[0]).toContain(
      'error="invalid_request", error_description="the access token is sent in more than one way"',
    );
  });

  test('§2 one way alone may be switched on', async () => {
    await using only = await openSite({ guard: { bearerMethods: ['query'] }, database: site.database });
    expect((await callApi(only, token)).status).toBe(401);
    expect((await request(only.server).get('/api/me').query({ access_token: token })).status).toBe(200);
  });
});
