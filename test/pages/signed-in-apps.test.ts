import { describe, expect, jest, test } from '@jest/globals';
import express from 'express';
import { decodeJwt } from 'jose';
import request from 'supertest';

import { createUsers, localLogin } from '../../lib/index.js';
import { openDatabase } from '../support/database.js';
import { openLogoutReceiver, signIn } from '../support/logout.js';
import { openid } from '../support/openid.js';
import { createPerson, hiddenFields, logInPerson, type Person, postForm } from '../support/person.js';
import { openSite, REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { callApi } from '../support/tokens.js';
import { until } from '../support/until.js';

const PAGE = '/oauth/authorizations';

const database = fixture(() => openDatabase());
const receiver = fixture(() => openLogoutReceiver());
const site = siteFor(() => ({
  database,
  openid,
  security: { rateLimits: false },
  clientAuthentication: { allowPrivateAddresses: true },
  scopes: { 'photos:read': 'See your photos' },
}));

const personOf = (name?: string): Promise<Person> => logInPerson(site, name);

const pageOf = (person: Person, clientId: string) => person.agent.get(`${PAGE}/${clientId}`);
const isActive = async (token: string) => (await callApi(site, token)).status === 200;

describe('sign-ins on the page of an app', () => {
  test('the page of an app lists sign-ins and ends them at the app, with their tokens', async () => {
    const path = (name: string) => receiver.url.replace('/jwks', `/${name}`);
    const shop = await site.client({ backchannelLogoutUri: path('shop') });
    const other = await site.client({ backchannelLogoutUri: path('other') });
    const [ada, tablet, grace] = [await personOf(), await personOf(), await personOf('grace')];
    const [here, there] = [await signIn(site, ada, shop), await signIn(site, tablet, shop)];
    const [elsewhere, hers] = [await signIn(site, ada, other), await signIn(site, grace, shop)];
    const page = await pageOf(ada, shop.clientId);
    expect(page.text.match(/<dl id="signed-in">[^]*?<\/dl>/)?.[0].match(/<time /g)).toHaveLength(2);

    const { csrf_token: csrfToken } = hiddenFields(page);
    const action = `${PAGE}/${shop.clientId}/sign-out`;
    await postForm(ada.agent, action, {}).expect(403);
    expect(await isActive(here.access_token)).toBe(true);
    const done = await postForm(ada.agent, action, { csrf_token: csrfToken }).expect(303);
    const list = await ada.agent.get(String(done.headers.location)).expect(200);
    expect(list.text).toContain('is told that you have signed out there.');

    await until(() => receiver.tokens.length >= 2);
    const reported = receiver.tokens.map(({ path: at, token }) => ({
      at,
      ...decodeJwt<{ sid: string }>(token),
    }));
    const sids = [here, there].map(({ id_token: token }) => decodeJwt(token).sid).sort();
    expect(reported.map(({ at, aud, sub }) => [at, aud, sub])).toEqual([
      ['/shop', shop.clientId, 'ada'],
      ['/shop', shop.clientId, 'ada'],
    ]);
    expect(reported.map(({ sid }) => sid).sort()).toEqual(sids);
    const tokens = [here, there, elsewhere, hers].map(({ access_token: token }) => isActive(token));
    expect(await Promise.all(tokens)).toEqual([false, false, true, true]);
    // here the person stays logged in, and signed in at the other app
    expect((await pageOf(ada, other.clientId)).text).toContain('id="sign-out"');
  });

  test('apps without logout URIs list no sign-in, and those with a front-channel URI no button', async () => {
    const { origin } = new URL(REDIRECT_URI);
    const [silent, framed] = [
      await site.client(),
      await site.client({ frontchannelLogoutUri: `${origin}/out` }),
    ];
    const ada = await personOf();
    for (const client of [silent, framed]) await signIn(site, ada, client);
    expect((await pageOf(ada, silent.clientId)).text).not.toContain('id="signed-in"');
    const { text } = await pageOf(ada, framed.clientId);
    expect(text).toContain('id="signed-in"');
    expect(text).toContain('It is told when you log out here.');
    expect(text).not.toContain('id="sign-out"');
  });

  test('the page of an app links initiate_login_uri with the issuer, if it is safe (Core §4)', async () => {
    const shop = await site.client({ initiateLoginUri: 'https://print.example/login?from=photos' });
    const foreign = await site.client({ initiateLoginUri: 'https://evil.example/login' });
    const verified = await site.client({
      initiateLoginUri: 'https://id.print.example/login',
      verified: true,
    });
    const ada = await personOf();
    for (const client of [shop, foreign, verified]) await signIn(site, ada, client);
    const linkOf = async (clientId: string) =>
      /id="sign-in-there" href="([^"]*)"/.exec((await pageOf(ada, clientId)).text)?.[1];
    const iss = `iss=${encodeURIComponent(site.url)}`;
    expect(await linkOf(shop.clientId)).toBe(`https://print.example/login?from=photos&amp;${iss}`);
    expect(await linkOf(verified.clientId)).toBe(`https://id.print.example/login?${iss}`);
    expect(await linkOf(foreign.clientId)).toBeUndefined();
    await site.oauth.clients.block(shop.clientId);
    expect(await linkOf(shop.clientId)).toBeUndefined();
  });
});

describe('the logout page of localLogin', () => {
  test('the logout page lists the apps of the session, and logs out even if that fails', async () => {
    const users = createUsers(database.connection, { rounds: 4 });
    await users.create({ username: 'mary', password: 'correct horse battery staple' });
    await using host = await openSite({
      database,
      openid,
      clientAuthentication: { allowPrivateAddresses: true },
      mountLogin: (app, passport) =>
        void app.use(
          localLogin({
            passport: passport.unuse('local'),
            users,
          }),
          express.Router(),
        ),
    });
    const client = await host.client({ backchannelLogoutUri: receiver.url, trusted: true });
    const logIn = async () => {
      const person = createPerson(host);
      const form = hiddenFields(await person.agent.get('/login'));
      const password = 'correct horse battery staple';
      await postForm(person.agent, '/login', { ...form, username: 'mary', password }).expect(303);
      return person;
    };
    const logOut = async ({ agent }: Person) =>
      postForm(agent, '/logout', hiddenFields(await agent.get('/logout')));
    const [here, tablet] = [await logIn(), await logIn()];
    const { id_token: token, access_token: access } = await signIn(host, here, client);
    const { access_token: stored } = await signIn(host, tablet, client);
    receiver.tokens.length = 0;
    expect((await logOut(here)).status).toBe(303);
    await until(() => receiver.tokens.length > 0);
    const { sid, sub } = decodeJwt(token);
    expect(decodeJwt(String(receiver.tokens[0]?.token))).toMatchObject({ sid, sub });
    const ends = [access, stored].map((each) =>
      request(host.server).get('/api/me').set('Authorization', `Bearer ${each}`),
    );
    expect((await Promise.all(ends)).map(({ status }) => status)).toEqual([401, 200]);
    // both servers use the connection of the users
    for (const { oauth } of [site, host])
      jest.spyOn(oauth.sessions, 'end').mockRejectedValue(new Error('the database is away'));
    expect((await logOut(tablet)).status).toBe(500);
    expect((await tablet.agent.get('/oauth/authorizations')).status).toBe(303);
  });
});
