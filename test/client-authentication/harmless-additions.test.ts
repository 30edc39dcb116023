import { beforeAll, describe, expect, test } from '@jest/globals';
import { OAuth2 } from 'oauth';
import request from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { openid } from '../support/openid.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { basic, createPkce, type Fields, obtainCode, postToken, redeem } from '../support/tokens.js';

/** As registration makes it by default, and as an administrator may. */
let byBasic: ClientWithSecret;
let byPost: ClientWithSecret;
let defaultValue: ClientWithSecret;
let app: ClientWithSecret;

const site = siteFor({ security: { rateLimits: false } });
beforeAll(async () => {
  [byBasic, byPost, defaultValue, app] = await Promise.all([
    site.client({ tokenEndpointAuthMethod: 'client_secret_basic' }),
    site.client({ tokenEndpointAuthMethod: 'client_secret_post' }),
    site.client(),
    site.client({ type: 'public' }),
  ]);
});

const secretOf = ({ clientSecret }: ClientWithSecret) => String(clientSecret);
const inBody = (client: ClientWithSecret, clientSecret = secretOf(client)): Fields => ({
  client_id: client.clientId,
  client_secret: clientSecret,
});
const ask = (authorization: string, fields: Fields) =>
  postToken(site, { grant_type: 'client_credentials', ...fields }).set('Authorization', authorization);
const outcomeOf = async (context: ReturnType<typeof ask>) => {
  const { status, body } = await context;
  return [status, (body as { error?: string }).error];
};

describe('the same credentials by Basic and in the body', () => {
  test('the same credentials by Basic and in the body authenticate a client of each method', async () => {
    for (const client of [byBasic, byPost, defaultValue])
      expect(await outcomeOf(ask(basic(client.clientId, secretOf(client)), inBody(client)))).toEqual([
        200,
        undefined,
      ]);
  });

  test('passport-oauth2 redeems a code as a client of client_secret_basic', async () => {
    const client = new OAuth2(
      byBasic.clientId,
      secretOf(byBasic),
      site.url,
      '/oauth/authorize',
      '/oauth/token',
      {
        Authorization: basic(byBasic.clientId, secretOf(byBasic)),
      },
    );
    const code = await obtainCode(site, byBasic);
    const requested = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI };
    const token = await new Promise((resolve, reject) => {
      client.getOAuthAccessToken(code, requested, (error, accessToken) =>
        error === null || error === undefined
          ? resolve(accessToken)
          : reject(new Error(JSON.stringify(error))),
      );
    });
    expect(token).toMatch(/^eas_at_/);
  });

  test('different credentials by Basic and in the body are refused (RFC 6749 §2.3)', async () => {
    const right = basic(defaultValue.clientId, secretOf(defaultValue));
    for (const fields of [
      inBody(defaultValue, 'another secret of the client'),
      { ...inBody(defaultValue), client_id: byBasic.clientId },
      inBody(byBasic),
    ])
      expect(await outcomeOf(ask(right, fields))).toEqual([400, 'invalid_request']);
    const wrong = 'another secret of the client';
    expect(await outcomeOf(ask(basic(defaultValue.clientId, wrong), inBody(defaultValue, wrong)))).toEqual([
      401,
      'invalid_client',
    ]);
    expect(await outcomeOf(ask(basic(defaultValue.clientId, wrong), inBody(defaultValue)))).toEqual([
      400,
      'invalid_request',
    ]);
  });
});

describe('an access token in the Authorization header of a client endpoint', () => {
  const strays = ['Bearer eas_at_old', 'Bearer undefined', 'Bearer', 'bearer x', 'DPoP eas_at_old', ''];
  const publicToken = async () => {
    const { code_verifier, challenge } = createPkce();
    const code = await obtainCode(site, app, { query: challenge });
    return (await redeem(site, app, code, { code_verifier })).body.refresh_token as string;
  };

  test.each(strays)(
    'the header %j of a public client at a refresh does not count as authentication',
    async (authorization) => {
      const fields = { grant_type: 'refresh_token', client_id: app.clientId };
      const { status, body } = await ask(authorization, { ...fields, refresh_token: await publicToken() });
      expect([status, body.token_type]).toEqual([200, 'Bearer']);
    },
  );

  test('an access token in the header does not count at the revocation endpoint either', async () => {
    const token = await publicToken();
    const revoked = await request(site.server)
      .post('/oauth/revoke')
      .type('form')
      .set('Authorization', 'Bearer old')
      .send({ client_id: app.clientId, token });
    expect(revoked.status).toBe(200);
    const { body } = await postToken(site, {
      grant_type: 'refresh_token',
      client_id: app.clientId,
      refresh_token: token,
    });
    expect(body.error).toBe('invalid_grant');
  });

  test('an access token in the header does not authenticate a confidential client', async () => {
    for (const stray of strays) {
      expect(await outcomeOf(ask(stray, { client_id: defaultValue.clientId }))).toEqual([
        401,
        'invalid_client',
      ]);
      expect(await outcomeOf(ask(stray, inBody(defaultValue)))).toEqual([200, undefined]);
      expect(await outcomeOf(ask(stray, inBody(defaultValue, 'wrong')))).toEqual([401, 'invalid_client']);
    }
  });

  test.each(['Digest username="client"', 'Negotiate abc', 'Basic', 'Bearerx', 'Basic §'])(
    'the header %j counts as authentication, and fails (RFC 6749 §5.2)',
    async (authorization) => {
      const fields = {
        grant_type: 'refresh_token',
        client_id: app.clientId,
        refresh_token: await publicToken(),
      };
      const { status, headers } = await ask(Buffer.from(authorization).toString('latin1'), fields);
      expect([status, headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Basic /)]);
    },
  );
});

describe('response_mode=form_post', () => {
  const modesOf = async (opened: Site) =>
    (await request(opened.server).get('/.well-known/oauth-authorization-server')).body
      .response_modes_supported as unknown;

  test('response_mode=form_post is on with openid, and can be switched off', async () => {
    const signIn = await openSite({ openid });
    const without = await openSite({ openid, formPost: false });
    expect(await modesOf(signIn)).toContain('form_post');
    expect(await modesOf(without)).not.toContain('form_post');
    expect(await modesOf(site)).not.toContain('form_post');
    await Promise.all([signIn.close(), without.close()]);
  });
});
