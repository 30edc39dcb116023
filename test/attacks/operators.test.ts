import { beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { logInPerson } from '../support/person.js';
import { siteFor } from '../support/site-for.js';
import { basic, callApi, obtainCode, obtainTokens, redeem, tokenRequest } from '../support/tokens.js';

/**
 * Parsers of forms and of JSON make objects of some texts; an object in a query of MongoDB can be an operator. Where no
 * parser of the host runs, stress/wrong-fields and stress/wrong-bodies send the same.
 */
describe('behind parsers of the host, which make objects,', () => {
  let client: ClientWithSecret;
  const site = siteFor({
    grantTypes: ['authorization_code', 'refresh_token', 'password'],
    security: { rateLimits: false },
    before: (app) => void app.use(express.json(), express.urlencoded({ extended: true })),
  });
  beforeAll(async () => {
    client = await site.client({ introspection: true });
  });

  /** The names and values that mean `{ [name]: { [operator]: value } }` to some parser or other. */
  const written = (name: string, operator: string, value: string): [string, string][] => [
    [`${name}[${operator}]`, value],
    [`${name}.${operator}`, value],
    [`${name}[]`, value],
    [name, JSON.stringify({ [operator]: value })],
  ];

  const OPERATORS = [
    ['$ne', 'x'],
    ['$gt', ''],
    ['$regex', '.*'],
    ['$exists', 'true'],
  ] as const;

  const cases = (name: string) => OPERATORS.flatMap(([operator, value]) => written(name, operator, value));

  function send(
    path: string,
    fields: readonly (readonly [string, string])[],
    as: ClientWithSecret | null = client,
  ) {
    const sent = request(site.server).post(path).type('form');
    if (as !== null) void sent.set('Authorization', basic(as.clientId, String(as.clientSecret)));
    return sent.send(
      new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString(),
    );
  }

  test.each([
    ['code', [['grant_type', 'authorization_code']]],
    ['refresh_token', [['grant_type', 'refresh_token']]],
    [
      'username',
      [
        ['grant_type', 'password'],
        ['password', 'password of ada'],
      ],
    ],
    [
      'password',
      [
        ['grant_type', 'password'],
        ['username', 'ada'],
      ],
    ],
  ] as const)(
    'a %s that is an operator of the database selects none, and uses none up',
    async (name, fields) => {
      const code = await obtainCode(site, client);
      const { access_token: token, refresh_token: refreshToken } = await obtainTokens(site, client);
      for (const parameter of cases(name)) {
        const { status, body } = await send('/oauth/token', [...fields, parameter]);
        expect([parameter, status, body]).toEqual([
          parameter,
          400,
          expect.not.objectContaining({ access_token: expect.anything() }),
        ]);
      }
      expect((await callApi(site, token)).status).toBe(200);
      expect((await redeem(site, client, code)).status).toBe(200);
      const refreshed = await tokenRequest(site, client, {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
      });
      expect(refreshed.status).toBe(200);
    },
  );

  test.each(['client_id', 'client_secret'])(
    'a %s that is an operator of the database is that of no client',
    async (name) => {
      const { refresh_token: refreshToken } = await obtainTokens(site, client);
      const right = [
        ['client_id', client.clientId],
        ['client_secret', String(client.clientSecret)],
      ] as const;
      for (const parameter of cases(name)) {
        const fields = [
          ['grant_type', 'refresh_token'],
          ['refresh_token', refreshToken],
          ...right.filter(([other]) => other !== name),
          parameter,
        ] as const;
        const { status, body } = await send('/oauth/token', fields, null);
        expect([parameter, [400, 401].includes(status), body]).toEqual([
          parameter,
          true,
          expect.not.objectContaining({ access_token: expect.anything() }),
        ]);
      }
    },
  );

  test('a token that is an operator of the database is revoked, or told about, nowhere', async () => {
    const { access_token: token, refresh_token: refreshToken } = await obtainTokens(site, client);
    for (const parameter of cases('token')) {
      const reported = await send('/oauth/introspect', [parameter]);
      expect([parameter, reported.body]).toEqual([parameter, expect.not.objectContaining({ active: true })]);
      const revoked = await send('/oauth/revoke', [parameter]);
      expect([200, 400]).toContain(revoked.status);
    }
    expect((await callApi(site, token)).status).toBe(200);
    const fields = { grant_type: 'refresh_token', refresh_token: refreshToken };
    expect((await tokenRequest(site, client, fields)).status).toBe(200);
  });

  test('a client_id that is an operator of the database opens a page that names no client, and sends nobody on', async () => {
    const ada = await logInPerson(site);
    for (const parameter of cases('client_id')) {
      const query = new URLSearchParams([['response_type', 'code'], parameter]).toString();
      const page = await ada.openAuthorize(query);
      expect([parameter, page.status, page.headers.location]).toEqual([parameter, 400, undefined]);
      expect(page.text).not.toContain(client.name);
    }
  });

  test('JSON, in which an operator needs no such name, is no form', async () => {
    const operator = { $ne: 'x' };
    for (const [path, body] of [
      ['/oauth/token', { grant_type: 'refresh_token', refresh_token: operator }],
      ['/oauth/introspect', { token: operator }],
      ['/oauth/revoke', { token: operator }],
    ] as const) {
      const answer = await request(site.server)
        .post(path)
        .set('Authorization', basic(client.clientId, String(client.clientSecret)))
        .send(body);
      expect([path, answer.status, answer.body]).toEqual([
        path,
        400,
        expect.objectContaining({ error: 'invalid_request' }),
      ]);
    }
  });
});
