import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import request from 'supertest';

import { createEvents, EVENT_NAMES } from '../../lib/core/observability/events.js';
import type { EventName, OAuthEvent } from '../../lib/index.js';
import { registerApplication } from '../support/applications.js';
import { closePagesApps, startPagesApp } from '../support/pages-app.js';
import { codeQuery, hiddenFields, logInPerson, postForm } from '../support/person.js';
import { openSite, REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import {
  basic,
  clientRequest,
  createPkce,
  obtainCode,
  obtainTokens,
  postToken,
  redeem,
  refreshTokens,
  tokenRequest,
} from '../support/tokens.js';

describe('events of the authorization server', () => {
  let seen: OAuthEvent[] = [];
  const last = (type: EventName) =>
    seen.filter((event) => event.type === type).at(-1) as Record<string, unknown> | undefined;
  const types = () => seen.map(({ type }) => type);

  const site = siteFor({
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', 'password', 'implicit'],
  });
  const client = fixture(() => site.client());

  beforeAll(() => {
    site.oauth.events.on('*', (event) => seen.push(event));
  });
  beforeEach(() => void (seen = []));

  test('a code flow emits consent, code and token events with user, client, grant and address', async () => {
    const before = Date.now();
    await obtainTokens(site, client, { query: { scope: 'photos:read profile' } });
    expect(types()).toEqual(['consent.given', 'code.issued', 'token.issued']);
    const whole = {
      clientId: client.clientId,
      userId: 'ada',
      grantId: expect.any(String),
      scopes: ['photos:read', 'profile'],
      requestId: expect.any(String),
      ip: expect.stringMatching(/127\.0\.0\.1$/),
      time: expect.any(Date),
    };
    expect(last('code.issued')).toMatchObject(whole);
    expect(last('token.issued')).toMatchObject({
      ...whole,
      grantType: 'authorization_code',
      grantId: last('code.issued')?.grantId,
    });
    expect(last('token.issued')?.time as Date).toEqual(expect.any(Date));
    expect((last('token.issued')?.time as Date).getTime()).toBeGreaterThanOrEqual(before);
  });

  test('a denied consent emits consent.denied, and no code.issued', async () => {
    const person = await logInPerson(site, 'grace');
    const other = await site.client();
    seen = [];
    await person.authorize(codeQuery(other, { scope: 'profile' }), { decision: 'deny' });
    expect(types()).toEqual(['consent.denied']);
    expect(last('consent.denied')).toMatchObject({
      clientId: other.clientId,
      userId: 'grace',
      scopes: ['profile'],
    });
  });

  test('RFC 6749 §4.1.2 a replayed code emits code.replayed with the grant that it ended', async () => {
    const code = await obtainCode(site, client);
    await redeem(site, client, code);
    const { grantId } = last('token.issued') as { grantId: string };
    seen = [];
    await redeem(site, client, code);
    expect(types()).toEqual(['code.replayed', 'grant.revoked', 'token.refused']);
    expect(last('code.replayed')).toMatchObject({ grantId, clientId: client.clientId, userId: 'ada' });
    expect(last('grant.revoked')).toMatchObject({ grantId, reason: 'code_replayed' });
    expect(last('token.refused')).toMatchObject({
      error: 'invalid_grant',
      grantType: 'authorization_code',
      clientId: client.clientId,
    });
  });

  test('RFC 9700 §4.14.2 a rotation and a reuse of a refresh token emit different events', async () => {
    const tokens = await obtainTokens(site, client);
    const refresh = () => refreshTokens(site, client, tokens.refresh_token, { scope: 'profile' });
    seen = [];
    await refresh();
    expect(types()).toEqual(['token.issued']);
    expect(last('token.issued')).toMatchObject({
      grantType: 'refresh_token',
      userId: 'ada',
      scopes: ['profile'],
    });
    seen = [];
    await refresh();
    expect(types()).toEqual(['refresh.reused', 'grant.revoked', 'token.refused']);
    expect(last('grant.revoked')).toMatchObject({ reason: 'refresh_reused', userId: 'ada' });
  });

  test('every other grant type emits token.issued', async () => {
    await tokenRequest(site, client, { grant_type: 'client_credentials', scope: 'profile' });
    expect(last('token.issued')).toMatchObject({
      grantType: 'client_credentials',
      clientId: client.clientId,
      scopes: ['profile'],
    });
    expect(last('token.issued')).not.toHaveProperty('userId');
    await tokenRequest(site, client, {
      grant_type: 'password',
      username: 'ada',
      password: 'password of ada',
    });
    expect(last('token.issued')).toMatchObject({ grantType: 'password', userId: 'ada' });
    const person = await logInPerson(site);
    await person.authorize({
      response_type: 'token',
      client_id: client.clientId,
      redirect_uri: REDIRECT_URI,
    });
    expect(last('token.issued')).toMatchObject({ grantType: 'implicit', userId: 'ada' });
  });

  test('a wrong secret emits an event with the claimed client and the id of the answer', async () => {
    const response = await postToken(site, { grant_type: 'client_credentials' }).set(
      'Authorization',
      basic(client.clientId, 'wrong'),
    );
    expect(types()).toEqual(['client.authentication_failed', 'token.refused']);
    expect(last('client.authentication_failed')).toMatchObject({
      clientId: client.clientId,
      endpoint: 'token',
      requestId: response.headers['x-request-id'],
    });
    expect(site.errors.at(-1)?.requestId).toBe(response.headers['x-request-id']);
    seen = [];
    await postForm(request(site.server), '/oauth/introspect', { token: 'x', client_id: 'x'.repeat(5000) });
    expect(types()).toEqual(['client.authentication_failed']);
    expect(last('client.authentication_failed')).not.toHaveProperty('clientId');
  });

  test('a malformed body emits token.refused without a client', async () => {
    await request(site.server).post('/oauth/token').type('json').send('{"grant_type":');
    expect(types()).toEqual(['token.refused']);
    expect(last('token.refused')).not.toHaveProperty('clientId');
  });

  test('RFC 7009 a revoked token emits token.revoked, an unknown one nothing', async () => {
    const tokens = await obtainTokens(site, client);
    const revoke = (token: string) => clientRequest(site, client, '/oauth/revoke', { token });
    seen = [];
    await revoke('unknown');
    await revoke(tokens.access_token);
    expect(types()).toEqual(['token.revoked']);
    expect(last('token.revoked')).toMatchObject({ tokenType: 'access_token', clientId: client.clientId });
    await revoke(tokens.refresh_token);
    expect(types()).toEqual(['token.revoked', 'token.revoked', 'grant.revoked']);
  });

  test('changes by code emit events without a request', async () => {
    const made = await site.client({ ownerId: 'ada' });
    await site.oauth.clients.update(made.clientId, { name: 'New name' });
    await site.oauth.clients.rotateSecret(made.clientId);
    await site.oauth.grants.revoke({ userId: 'ada', clientId: made.clientId });
    await site.oauth.clients.delete(made.clientId);
    await site.oauth.clients.delete(made.clientId);
    expect(types()).toEqual([
      'client.created',
      'client.updated',
      'client.secret_rotated',
      'grant.revoked',
      'client.deleted',
    ]);
    expect(seen.every((event) => event.clientId === made.clientId && event.requestId === undefined)).toBe(
      true,
    );
    expect(last('grant.revoked')).toMatchObject({ reason: 'host', count: 0, userId: 'ada' });
  });

  test('changes by a developer on the pages emit events with the request', async () => {
    const person = await logInPerson(site, 'grace');
    expect((await registerApplication(person.agent)).status).toBe(201);
    expect(last('client.created')).toMatchObject({
      userId: 'grace',
      requestId: expect.any(String),
      ip: expect.any(String),
    });
  });

  test('no event has a secret, a token or a code in it', async () => {
    const pkce = createPkce();
    const made = await site.client();
    const code = await obtainCode(site, made, { query: pkce.challenge });
    const tokens = (await redeem(site, made, code, { code_verifier: pkce.code_verifier })).body;
    await tokenRequest(site, made, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
    await tokenRequest(site, made, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
    await redeem(site, made, code, { code_verifier: pkce.code_verifier });
    await tokenRequest(site, made, { grant_type: 'password', username: 'ada', password: 'a wrong password' });
    await postToken(site, {
      grant_type: 'client_credentials',
      client_id: made.clientId,
      client_secret: 'a wrong secret',
    });
    expect(seen.length).toBeGreaterThan(8);
    const text = JSON.stringify(seen);
    for (const secret of [
      made.clientSecret,
      code,
      tokens.access_token,
      tokens.refresh_token,
      pkce.code_verifier,
      'a wrong password',
      'a wrong secret',
      'eas_at_',
      'eas_rt_',
      'eas_ac_',
      'eas_cs_',
    ])
      expect(text).not.toContain(secret);
  });

  test('a listener that throws or rejects stops nobody, and onError gets its error', async () => {
    const bad = () => {
      throw new Error('listener broke');
    };
    const worse = () => Promise.reject(new Error('listener broke later'));
    const next = jest.fn();
    site.oauth.events.on('token.issued', bad);
    site.oauth.events.on('token.issued', worse);
    site.oauth.events.on('token.issued', next);
    const reported = site.errors.length;
    expect((await tokenRequest(site, client, { grant_type: 'client_credentials' })).status).toBe(200);
    expect(next).toHaveBeenCalledTimes(1);
    expect(site.errors.slice(reported)).toMatchObject([
      { error: 'server_error', endpoint: 'events' },
      { error: 'server_error', endpoint: 'events' },
    ]);
    for (const listener of [bad, worse, next]) site.oauth.events.off('token.issued', listener);
  });
});

describe('too many failures', () => {
  test('too many failures emit rate.limited with the endpoint and the client', async () => {
    await using site = await openSite({ security: { rateLimits: { token: 1 } } });
    const seen: OAuthEvent[] = [];
    site.oauth.events.on('rate.limited', (event) => seen.push(event));
    const { clientId } = await site.client();
    const wrong = { grant_type: 'client_credentials', client_id: clientId, client_secret: 'wrong' };
    for (let attempt = 0; attempt < 2; attempt += 1) await postToken(site, wrong);
    expect(seen).toMatchObject([
      { type: 'rate.limited', endpoint: 'token', clientId, ip: expect.any(String) },
    ]);
  });
});

describe('the bundled login', () => {
  afterAll(closePagesApps);

  test('the bundled login emits its successes, failures and refusals, without passwords', async () => {
    const seen: OAuthEvent[] = [];
    const app = await startPagesApp({ security: { rateLimits: { login: 1 } } });
    app.oauth.events.on('*', (event) => void seen.push(event));
    const agent = app.agent();
    const page = await agent.get('/login');
    const send = (password: string) =>
      postForm(agent, '/login', { ...hiddenFields(page), username: 'ada', password });
    await app.personOf('grace');
    await send('a wrong password');
    await send('a wrong password');
    expect(seen.map(({ type }) => type)).toEqual(['login.succeeded', 'login.failed', 'rate.limited']);
    expect(seen[0]).toMatchObject({
      userId: (await app.users.verify('grace', 'password of grace'))?.id,
      ip: expect.any(String),
      requestId: expect.any(String),
    });
    expect(seen[1]).toMatchObject({ username: 'ada', endpoint: 'login' });
    expect(JSON.stringify(seen)).not.toContain('password');
  });
});

describe('the emitter', () => {
  test('once hears one event, off ends a listener, and events are frozen', () => {
    const events = createEvents();
    const once = jest.fn();
    const listener = jest.fn();
    events.once('code.replayed', once);
    events.on('code.replayed', listener);
    const data = { clientId: 'c', grantId: 'g' };
    events.emit('code.replayed', data);
    events.off('code.replayed', listener);
    events.emit('code.replayed', data);
    expect(once).toHaveBeenCalledTimes(1);
    expect(listener).toHaveBeenCalledTimes(1);
    expect(Object.isFrozen(once.mock.calls[0]?.[0])).toBe(true);
  });

  test.each(['on', 'once', 'off'] as const)('events.%s refuses an unknown event', (method) => {
    const events = createEvents();
    const call = (name: string) => () => events[method](name as never, () => undefined);
    expect(call('code.replaed')).toThrow(
      new TypeError(`events.${method}: there is no event 'code.replaed'; did you mean 'code.replayed'?`),
    );
    expect(call('newListener')).toThrow(`events.${method}: there is no event 'newListener'; there are token`);
    expect(call(5 as never)).toThrow(`events.${method}: there is no event '5'; there are token.issued, `);
    for (const name of ['*', ...EVENT_NAMES]) expect(call(name)).not.toThrow();
  });

  test('an event without listeners is not built', () => {
    const data = {
      clientId: 'c',
      get grantId(): string {
        throw new Error('read');
      },
    };
    const events = createEvents();
    events.on('token.issued', () => undefined);
    expect(() => events.emit('code.replayed', data)).not.toThrow();
  });
});
