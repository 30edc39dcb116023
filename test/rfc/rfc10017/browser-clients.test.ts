import { describe, expect, test } from '@jest/globals';
import type { RequestHandler } from 'express';
import request, { type Response } from 'supertest';

import { answerLogout, openLogout } from '../../support/logout.js';
import { openid, verifyIdToken } from '../../support/openid.js';
import {
  codeQuery,
  hiddenFields,
  locationOf,
  logInPerson,
  type Person,
  postForm,
  type Query,
} from '../../support/person.js';
import { METADATA, register } from '../../support/registration.js';
import { REDIRECT_URI } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { callApi, createPkce, type Fields, postToken } from '../../support/tokens.js';

const ORIGIN = new URL(REDIRECT_URI).origin;
const API = 'https://api.photos.example';
const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** An application in a browser. */
interface Application {
  readonly clientId: string;
}

const site = siteFor({
  openid,
  pushedRequests: true,
  registration: { open: true },
  resources: { [API]: { scopes: ['photos:read'] } },
  lifetimes: { accessToken: 10 * MINUTE, refreshToken: 8 * HOUR, refreshTokenMax: 8 * HOUR },
  security: { rateLimits: false },
});

/** A client that runs in a browser: public, with an `https:` redirect URI. */
const application = () => site.client({ type: 'public' });

/** A token request as the script of a page sends it. */
const fetchToken = (fields: Fields) => postToken(site, fields).set('Origin', ORIGIN);

const refresh = ({ clientId }: Application, refreshToken: string) =>
  fetchToken({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken });

const logIn = (name?: string) => logInPerson(site, name);

function authorize(person: Person, { clientId }: Application, query: Query = {}): Promise<Response> {
  return person.openAuthorize(codeQuery(clientId, query));
}

/** The code flow with PKCE, as far as the token response. */
async function obtain(person: Person, client: Application, query: Query = {}): Promise<Response> {
  const { code_verifier, challenge } = createPkce();
  const page = await authorize(person, client, { ...challenge, ...query });
  const answer = locationOf(page.status === 200 ? await person.choose(page) : page);
  return fetchToken({
    grant_type: 'authorization_code',
    client_id: client.clientId,
    code: answer.searchParams.get('code') ?? undefined,
    redirect_uri: REDIRECT_URI,
    code_verifier,
  });
}

const header = ({ headers }: Response, name: string) => (headers as Record<string, string | undefined>)[name];

function expectReadable(response: Response): void {
  expect(header(response, 'access-control-allow-origin')).toBe('*');
  expect(header(response, 'access-control-allow-credentials')).toBeUndefined();
}

describe('§6.3.3.4 requests that scripts send to another origin', () => {
  test.each([
    ['POST', '/oauth/token'],
    ['POST', '/oauth/revoke'],
    ['POST', '/oauth/par'],
    ['POST', '/oauth/register'],
    ['GET', '/oauth/userinfo'],
    ['GET', '/oauth/jwks'],
    ['GET', '/.well-known/oauth-authorization-server'],
    ['GET', '/.well-known/openid-configuration'],
    ['GET', '/.well-known/oauth-protected-resource'],
  ] as const)(
    '§6.3.3.4 a script of any origin may send %s %s and read the answer, without cookies [6.3.3.4-1]',
    async (method, path) => {
      const host = path.endsWith('resource') ? new URL(API).host : new URL(site.url).host;
      const preflight = await request(site.server).options(path).set({
        Host: host,
        Origin: ORIGIN,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization,content-type,dpop',
      });
      expect(preflight.status).toBe(204);
      expectReadable(preflight);
      expect(header(preflight, 'access-control-allow-methods')?.split(',')).toContain(method);
      expect(header(preflight, 'access-control-allow-headers')?.toLowerCase().split(',')).toEqual(
        expect.arrayContaining(['authorization', 'content-type', 'dpop']),
      );
      const agent = request(site.server);
      const answer = await (method === 'GET' ? agent.get(path) : agent.post(path)).set({
        Host: host,
        Origin: ORIGIN,
      });
      expect([404, 405]).not.toContain(answer.status);
      expectReadable(answer);
    },
  );

  test('§6.3.3.4 a refusal of the guard keeps the CORS headers of the route [6.3.3.4-2]', async () => {
    const allow: RequestHandler = (_req, res, next) => {
      res.set({ 'Access-Control-Allow-Origin': ORIGIN, 'Access-Control-Expose-Headers': 'WWW-Authenticate' });
      next();
    };
    site.app.get('/for-scripts', allow, site.oauth.guard('photos:write'), (_req, res) => res.send('photos'));
    const { body } = await obtain(await logIn(), await application(), { scope: 'photos:read' });
    for (const [token, status] of [
      ['wrong', 401],
      [String(body.access_token), 403],
    ] as const) {
      const answer = await callApi(site, token, '/for-scripts');
      expect([answer.status, header(answer, 'access-control-allow-origin')]).toEqual([status, ORIGIN]);
      expect(header(answer, 'access-control-expose-headers')).toBe('WWW-Authenticate');
      expect(header(answer, 'www-authenticate')).toMatch(/^Bearer /);
    }
    expect(header(await callApi(site, 'wrong'), 'access-control-allow-origin')).toBeUndefined();
  });
});

describe('§6.3.2.1, §6.3.3.1 an application without a secret', () => {
  test('§6.3.3.1 a public client registers, redeems a code, refreshes and revokes without a secret [6.3.3.1-1] [6.3.2.1-2]', async () => {
    const { status, body } = await register(site, { ...METADATA, token_endpoint_auth_method: 'none' });
    expect(status).toBe(201);
    expect(body).not.toHaveProperty('client_secret');
    const client = { clientId: String(body.client_id) };
    const first = await obtain(await logIn(), client);
    expect(first.status).toBe(200);
    const second = await refresh(client, String(first.body.refresh_token));
    expect(second.status).toBe(200);
    const revocation = await postForm(request(site.server), '/oauth/revoke', {
      client_id: client.clientId,
      token: second.body.refresh_token,
    }).set('Origin', ORIGIN);
    expect(revocation.status).toBe(200);
    expect((await callApi(site, String(second.body.access_token))).status).toBe(401);
  });
});

describe('§6.3.2.3 refresh tokens of an application in a browser', () => {
  test('§6.3.2.3 a logout ends the tokens of its session, and not the tokens of another browser [6.3.2.3-5]', async () => {
    const client = await application();
    const [here, elsewhere] = [await logIn(), await logIn()];
    const scope = 'openid photos:read';
    const { body: ended } = await obtain(here, client, { scope });
    const { body: other } = await obtain(elsewhere, client, { scope });
    await answerLogout(here, await openLogout(here));
    expect((await refresh(client, String(ended.refresh_token))).body).toMatchObject({
      error: 'invalid_grant',
    });
    expect((await callApi(site, String(ended.access_token))).status).toBe(401);
    expect((await refresh(client, String(other.refresh_token))).status).toBe(200);
  });
});

describe('§5.1.3 requests with prompt=none', () => {
  test('§5.1.3 prompt=none gets a code only within the consent of the person, and no code after a disconnection [5.1.3-1] [6.3.3.2-1] [6.3.3.2-2]', async () => {
    const person = await logIn();
    const client = await application();
    const { challenge } = createPkce();
    const silently = async (scope: string) =>
      locationOf(await authorize(person, client, { ...challenge, prompt: 'none', scope })).searchParams;
    expect((await silently('openid photos:read')).get('error')).toBe('login_required');
    const { body } = await obtain(person, client, { scope: 'openid photos:read' });
    expect((await silently('openid photos:read')).get('code')).toEqual(expect.any(String));
    expect((await silently('openid photos:read photos:write')).get('error')).toBe('consent_required');
    const page = await person.agent.get('/oauth/authorizations').expect(200);
    await postForm(person.agent, '/oauth/authorizations/revoke', {
      ...hiddenFields(page),
      client_id: client.clientId,
    }).expect(303);
    expect((await silently('openid photos:read')).get('error')).toBe('login_required');
    expect((await callApi(site, String(body.access_token))).status).toBe(401);
  });
});

describe('§7.2, §9.1 contents of responses', () => {
  test('§9.1 an ID token has only the sub of the person, also if userinfo may return more [9.1-1]', async () => {
    const client = await application();
    const { body } = await obtain(await logIn(), client, { scope: 'openid profile email address phone' });
    const claims = await verifyIdToken(site, String(body.id_token), client);
    expect(claims.sub).toBe('ada');
    // no claim is about the person
    expect(Object.keys(claims).sort()).toEqual(['at_hash', 'aud', 'exp', 'iat', 'iss', 'sub']);
  });
});
