import { createPublicKey } from 'node:crypto';

import { beforeAll, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import request from 'supertest';

import { bearerGuard, errorHandler } from '../../lib/guard.js';
import type { ClientWithSecret, PublicJwk } from '../../lib/index.js';
import { claimsOf, JWT_BEARER, postAssertion } from '../support/assertions.js';
import { hostKey, signTexts, signWith, takeApart } from '../support/jwt.js';
import { postForm } from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';
import { basic, callApi, postToken, tokenRequest } from '../support/tokens.js';

const PHOTOS = 'https://api.photos.example';
const ALBUMS = 'https://albums.example';
const { key, jwk } = hostKey();

/** A JWT for one purpose, with a valid key, is presented for another. */
describe('tokens in the place of others', () => {
  /** Its key is that of the server, so signatures alone cannot tell tokens apart. */
  let keyClient: ClientWithSecret;
  let apis: Record<string, Express>;

  const site = siteFor({
    tokens: { accessTokenFormat: 'jwt' },
    signingKeys: { keys: [jwk] },
    resources: { [PHOTOS]: {}, [ALBUMS]: {} },
    security: { rateLimits: false },
  });
  const client = fixture(() => site.client({ introspection: true }));
  beforeAll(async () => {
    const publicJwk = {
      ...createPublicKey(key).export({ format: 'jwk' }),
      kid: 'of the host',
    } as unknown as PublicJwk;
    keyClient = await site.client({ jwks: { keys: [publicJwk] }, grantTypes: ['client_credentials'] });
    apis = Object.fromEntries(
      [PHOTOS, ALBUMS, site.url].map((resource) => [
        resource,
        express()
          .get(
            '/',
            bearerGuard({ issuer: site.url, resource, onError: () => undefined })(),
            (_req, res) => void res.end(),
          )
          .use(errorHandler),
      ]),
    );
  });

  /** The answers of the APIs of two resources, of the issuer's API in another process, and of the site. */
  const statuses = async (token: string) => {
    const there = await Promise.all(
      [PHOTOS, ALBUMS, site.url].map(
        async (resource) =>
          (await request(apis[resource]!).get('/').set('Authorization', `Bearer ${token}`)).status,
      ),
    );
    return [...there, (await callApi(site, token)).status];
  };
  const NOBODY = [401, 401, 401, 401];
  const accessToken = async (fields: object = {}) =>
    (await tokenRequest(site, client, { grant_type: 'client_credentials', ...fields })).body
      .access_token as string;
  const assertion = (claims: object = {}, header: object = {}) =>
    signWith(
      key,
      { alg: 'ES256', kid: 'of the host', ...header },
      { ...claimsOf(site, keyClient.clientId), ...claims },
    );

  test('a client assertion is refused as an access token', async () => {
    expect(await statuses(await assertion())).toEqual(NOBODY);
    for (const typ of ['JWT', 'client-authentication+jwt'])
      expect(
        await statuses(
          await assertion(
            { iss: site.url, client_id: keyClient.clientId, aud: [PHOTOS, ALBUMS, site.url] },
            { typ },
          ),
        ),
      ).toEqual(NOBODY);
  });

  test('an access token is refused as a client assertion', async () => {
    const own = (await postAssertion(site, await assertion())).body.access_token as string;
    const { header, claims } = takeApart(own);
    expect(claims).toMatchObject({ sub: keyClient.clientId, aud: site.url, jti: expect.any(String) });
    const invalid = { status: 401, body: { error: 'invalid_client' } };
    expect(await postAssertion(site, own)).toMatchObject(invalid);
    // not even with all members of an assertion, because its typ differs
    expect(
      await postAssertion(
        site,
        await signWith(key, header, {
          ...claims,
          iss: keyClient.clientId,
          exp: Math.floor(Date.now() / 1000) + 60,
        }),
      ),
    ).toMatchObject(invalid);
    expect(await postAssertion(site, await accessToken())).toMatchObject(invalid);
    expect((await postAssertion(site, await assertion())).status).toBe(200);
  });

  test('an ID token of a provider with the same key is refused as an access token', async () => {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: site.url,
      sub: 'ada',
      aud: client.clientId,
      exp: now + 600,
      iat: now,
      auth_time: now,
      nonce: 'n',
      azp: client.clientId,
    };
    for (const header of [{}, { typ: 'JWT' }]) {
      for (const more of [
        {},
        {
          aud: [client.clientId, site.url, PHOTOS, ALBUMS],
          client_id: client.clientId,
          jti: 'x',
          scope: 'profile',
        },
      ]) {
        const idToken = await signWith(
          key,
          { alg: 'ES256', kid: 'of the host', ...header },
          { ...claims, ...more },
        );
        expect(await statuses(idToken)).toEqual(NOBODY);
        expect((await postAssertion(site, idToken)).body.error).toBe('invalid_client');
      }
    }
  });

  test('a signed introspection response is refused as a token and an assertion (RFC 9701 §8.1)', async () => {
    const answer = await request(site.server)
      .post('/oauth/introspect')
      .type('form')
      .set('Authorization', basic(client.clientId, client.clientSecret ?? ''))
      .set('Accept', 'application/token-introspection+jwt')
      .send({ token: await accessToken() });
    expect(takeApart(answer.text).header.typ).toBe('token-introspection+jwt');
    expect(await statuses(answer.text)).toEqual(NOBODY);
    expect((await postAssertion(site, answer.text)).body.error).toBe('invalid_client');
  });

  describe('assertions', () => {
    const invalid = { status: 401, body: { error: 'invalid_client' } };

    test('an assertion for another server, or for another use at this one, is refused', async () => {
      for (const aud of [
        'https://other.example',
        PHOTOS,
        `${site.url}/oauth/introspect`,
        `${site.url}/oauth/authorize`,
        site.url.toUpperCase(),
        client.clientId,
      ])
        expect(await postAssertion(site, await assertion({ aud }))).toMatchObject(invalid);
    });

    test('an assertion with two subjects authenticates only the verified one', async () => {
      const other = await site.client({ jwks: keyClient.jwks, grantTypes: ['client_credentials'] });
      const { sub, iss, ...claims } = claimsOf(site, keyClient.clientId);
      const text = JSON.stringify(claims).slice(0, -1);
      const send = (members: string) =>
        postAssertion(site, signTexts(key, '{"alg":"ES256","kid":"of the host"}', `${text},${members}}`));
      expect((await send(`"iss":"${iss}","sub":"${other.clientId}","sub":"${sub}"`)).status).toBe(200);
      expect(await send(`"iss":"${iss}","sub":"${sub}","sub":"${other.clientId}"`)).toMatchObject(invalid);
      expect(await send(`"iss":"${other.clientId}","iss":"${iss}","sub":"${other.clientId}"`)).toMatchObject(
        invalid,
      );
    });

    test('an assertion is refused again, at another endpoint or with another header', async () => {
      const claims = claimsOf(site, keyClient.clientId);
      const first = await signWith(key, { alg: 'ES256', kid: 'of the host' }, claims);
      expect((await postAssertion(site, first)).status).toBe(200);
      for (const again of [
        first,
        await signWith(key, { alg: 'ES256', kid: 'of the host', typ: 'JWT' }, claims),
        await signWith(key, { alg: 'ES256' }, claims),
      ]) {
        expect(await postAssertion(site, again)).toMatchObject(invalid);
        expect(
          await postForm(request(site.server), '/oauth/revoke', {
            token: 'x',
            client_assertion_type: JWT_BEARER,
            client_assertion: again,
          }),
        ).toMatchObject(invalid);
      }
    });

    test('a client assertion is refused as a grant', async () => {
      const response = await postToken(site, {
        grant_type: JWT_BEARER.replace('client-assertion-type', 'grant-type'),
        assertion: await assertion(),
        client_assertion_type: JWT_BEARER,
        client_assertion: await assertion(),
      });
      expect(response).toMatchObject({ status: 400, body: { error: 'unsupported_grant_type' } });
    });
  });
});
