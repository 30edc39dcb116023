import { expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';

import { AFTER, answerLogout, isLoggedIn, openLogout, sendLogout, signIn } from '../../support/logout.js';
import { discover, openid } from '../../support/openid.js';
import { createPerson, hiddenFields, logInPerson, postForm } from '../../support/person.js';
import { refusal } from '../../support/refusal.js';
import { register } from '../../support/registration.js';
import { REDIRECT_URI } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';

const site = siteFor({ openid, registration: { open: true } });

test('§2 the logout page loads a frame of each client of the session, with iss and sid [2-1] [2-2] [2-5]', async () => {
  const origin = new URL(REDIRECT_URI).origin;
  const client = await site.client({
    trusted: true,
    frontchannelLogoutUri: `${origin}/frame?keep=a%20b`,
    postLogoutRedirectUris: [AFTER],
  });
  const other = await site.client({
    trusted: true,
    redirectUris: [REDIRECT_URI, 'https://other.example:8443/cb'],
    frontchannelLogoutUri: 'https://other.example:8443/out',
  });
  const elsewhere = await site.client({ trusted: true, frontchannelLogoutUri: `${origin}/elsewhere` });
  const person = await logInPerson(site);
  const { id_token: idToken } = await signIn(site, person, client);
  await signIn(site, person, other);
  const stranger = await logInPerson(site, 'grace');
  await signIn(site, stranger, elsewhere);
  const { sid } = decodeJwt(idToken);

  const page = await answerLogout(
    person,
    await openLogout(person, { id_token_hint: idToken, post_logout_redirect_uri: AFTER, state: 's' }),
  );
  expect(page.status).toBe(200);
  const frames = [...page.text.matchAll(/<iframe src="([^"]*)"/g)].map(([, src]) =>
    String(src).replaceAll('&amp;', '&'),
  );
  const query = `iss=${encodeURIComponent(site.url)}&sid=${String(sid)}`;
  expect(frames.sort()).toEqual([
    `https://other.example:8443/out?${query}`,
    `${origin}/frame?keep=a%20b&${query}`,
  ]);
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toMatch(/frame-src [^;]*https:\/\/other\.example:8443/);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('script-src');
  // §3: after the frames, or at once with the link
  expect(page.headers.refresh).toBe(`3;url=${AFTER}&state=s`);
  expect(page.text).toContain('id="end-session-back"');
  expect(await isLoggedIn(person)).toBe(false);
  expect(await isLoggedIn(stranger)).toBe(true);
});

test('a client with nothing but a frame stays signed in until a page can load the frame', async () => {
  const frame = `${new URL(REDIRECT_URI).origin}/late`;
  const client = await site.client({ trusted: true, frontchannelLogoutUri: frame });
  const person = await logInPerson(site, 'bob');
  await signIn(site, person, client);
  expect(await site.oauth.sessions.end({ userId: 'bob' })).toBe(0);
  const page = await answerLogout(person, await openLogout(person));
  expect(page.text).toContain(`<iframe src="${frame}?`);
  expect(await site.oauth.models.SignIn!.countDocuments({ userId: 'bob' })).toBe(0);
});

test('a reload of the logout page does not load the frames again', async () => {
  const frame = `${new URL(REDIRECT_URI).origin}/once`;
  const client = await site.client({ trusted: true, frontchannelLogoutUri: frame });
  const person = await logInPerson(site);
  await signIn(site, person, client);
  const { headers } = await sendLogout(person, await openLogout(person));
  const open = async () => (await person.agent.get(String(headers.location)).expect(200)).text;
  // the address alone shows no frame to another browser
  expect((await createPerson(site).agent.get(String(headers.location))).text).not.toContain('<iframe');
  expect(await open()).toContain(`<iframe src="${frame}?`);
  const again = await open();
  expect(again).not.toContain('<iframe');
  expect(again).toContain('id="end-session-done"');
});

test('the logout page omits a client that was deleted after the form', async () => {
  const { origin } = new URL(REDIRECT_URI);
  const gone = await site.client({ trusted: true, frontchannelLogoutUri: `${origin}/gone` });
  const stays = await site.client({ trusted: true, frontchannelLogoutUri: `${origin}/stays` });
  const person = await logInPerson(site);
  for (const client of [gone, stays]) await signIn(site, person, client);
  const { headers } = await sendLogout(person, await openLogout(person));
  await site.oauth.clients.delete(gone.clientId);
  const { text } = await person.agent.get(String(headers.location));
  expect(text.match(/<iframe src="[^"?]*/g)).toEqual([`<iframe src="${origin}/stays`]);
});

test('more clients than fit into a cookie get their frames in the response to the form', async () => {
  const person = await logInPerson(site);
  const { origin } = new URL(REDIRECT_URI);
  const clients = await Promise.all(
    Array.from({ length: 40 }, (_, place) =>
      site.client({ trusted: true, frontchannelLogoutUri: `${origin}/${place}` }),
    ),
  );
  for (const client of clients) await signIn(site, person, client);
  const page = await openLogout(person);
  const sent = await postForm(person.agent, '/oauth/end_session', { ...hiddenFields(page), logout: 'yes' });
  expect([sent.status, sent.text.match(/<iframe/g)?.length]).toEqual([200, 40]);
  expect(await isLoggedIn(person)).toBe(false);
});

test('a page without frames has no frame-src', async () => {
  const page = await openLogout(createPerson(site));
  expect(page.headers['content-security-policy']).not.toContain('frame-src');
});

test('§3 the metadata lists front-channel logout with sessions [3-1]', async () => {
  expect(await discover(site)).toMatchObject({
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
  });
});

test('§2 a frontchannel_logout_uri needs the origin of a redirect URI [2-3] [2-4]', async () => {
  const { origin } = new URL(REDIRECT_URI);
  const metadata = { client_name: 'Frame maker', redirect_uris: [REDIRECT_URI] };
  const own = { frontchannel_logout_uri: `${origin}/out?x=1` };
  const { status, body } = await register(site, { ...metadata, ...own });
  expect([status, body]).toEqual([201, expect.objectContaining(own)]);
  for (const uri of [
    'https://evil.example/out',
    `${origin}:8443/out`,
    origin.replace('https:', 'http:'),
    `${origin}/out#x`,
    'x',
  ])
    expect(await register(site, { ...metadata, frontchannel_logout_uri: uri })).toMatchObject(
      refusal(400, 'invalid_client_metadata'),
    );
});
