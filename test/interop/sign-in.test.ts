import { rm } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import * as openidClient from 'openid-client';

import { AFTER, answerLogout, isLoggedIn } from '../support/logout.js';
import { createPerson } from '../support/person.js';
import { REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { findAuthlib, findGo, type Program, runProgram, type SignedIn } from './sign-in/other-languages.js';

/*
 * Clients of OpenID Connect that know only the issuer: they sign a user in, check the ID token, ask for the name, and
 * refresh. passport-openidconnect is in example-sign-in.test.ts, oidc-client-ts in test/browser/oidc-client-ts.test.ts.
 */

const site = siteFor({ openid: { claims: (id) => ({ name: `Person ${id}` }) } });
const client = fixture(() => site.client({ postLogoutRedirectUris: [AFTER] }));
const ada = fixture(() => createPerson(site));
beforeAll(async () => {
  await ada.logIn();
});

const walk = (url: URL) => ada.authorize(Object.fromEntries(url.searchParams));
/** The page of the user after a client's logout, and whether a login is left. */
async function logOutBy(url: URL) {
  const person = createPerson(site);
  await person.logIn();
  const page = await person.agent.get(`${url.pathname}${url.search}`);
  const { headers } = await answerLogout(person, page);
  return [url.origin, headers.location, await isLoggedIn(person)];
}
const loggedOut = () => [site.url, `${AFTER}&state=bye`, false];
const signedIn: Omit<SignedIn, 'logout'> = { sub: 'ada', name: 'Person ada', refreshed: 'ada', isNew: true };

test('openid-client signs a user in', async () => {
  const configuration = await openidClient.discovery(
    new URL(site.url),
    client.clientId,
    client.clientSecret,
    undefined,
    { execute: [openidClient.allowInsecureRequests, openidClient.enableNonRepudiationChecks] },
  );
  const pkceCodeVerifier = openidClient.randomPKCECodeVerifier();
  const [expectedState, expectedNonce] = [openidClient.randomState(), openidClient.randomNonce()];
  const url = openidClient.buildAuthorizationUrl(configuration, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid profile',
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await openidClient.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const tokens = await openidClient.authorizationCodeGrant(configuration, await walk(url), {
    expectedState,
    expectedNonce,
    pkceCodeVerifier,
    idTokenExpected: true,
  });
  const sub = tokens.claims()!.sub;
  const { name } = await openidClient.fetchUserInfo(configuration, tokens.access_token, sub);
  const renewed = await openidClient.refreshTokenGrant(configuration, tokens.refresh_token!);
  expect({
    sub,
    name,
    refreshed: renewed.claims()!.sub,
    isNew: renewed.access_token !== tokens.access_token,
  }).toEqual(signedIn);
  const goodbye = openidClient.buildEndSessionUrl(configuration, {
    id_token_hint: String(renewed.id_token),
    post_logout_redirect_uri: AFTER,
    state: 'bye',
  });
  expect(await logOutBy(goodbye)).toEqual(loggedOut());
});

test('oauth4webapi signs a user in', async () => {
  const options = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(site.url);
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  const known: oauth.Client = { client_id: client.clientId };
  const authentication = oauth.ClientSecretBasic(String(client.clientSecret));
  const [state, nonce, verifier] = [
    oauth.generateRandomState(),
    oauth.generateRandomNonce(),
    oauth.generateRandomCodeVerifier(),
  ];
  const url = new URL(as.authorization_endpoint!);
  url.search = new URLSearchParams({
    client_id: client.clientId,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid profile',
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  const answer = oauth.validateAuthResponse(as, known, await walk(url), state);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    known,
    authentication,
    answer,
    REDIRECT_URI,
    verifier,
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(as, known, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  await oauth.validateApplicationLevelSignature(as, response, options);
  const { sub } = oauth.getValidatedIdTokenClaims(tokens)!;
  const { name } = await oauth.processUserInfoResponse(
    as,
    known,
    sub,
    await oauth.userInfoRequest(as, known, tokens.access_token, options),
  );
  const renewed = await oauth.processRefreshTokenResponse(
    as,
    known,
    await oauth.refreshTokenGrantRequest(as, known, authentication, tokens.refresh_token!, options),
  );
  expect({
    sub,
    name,
    refreshed: oauth.getValidatedIdTokenClaims(renewed)!.sub,
    isNew: renewed.access_token !== tokens.access_token,
  }).toEqual(signedIn);
  // the library has no function for it
  const goodbye = new URL(String(as.end_session_endpoint));
  goodbye.search = new URLSearchParams({
    id_token_hint: String(renewed.id_token),
    post_logout_redirect_uri: AFTER,
    state: 'bye',
  }).toString();
  expect(await logOutBy(goodbye)).toEqual(loggedOut());
});

const [authlib, go] = await Promise.all([findAuthlib(), findGo()]);
afterAll(async () => {
  if ('command' in go) await rm(go.command, { force: true });
});

describe.each<[string, Program]>([
  ['Authlib (Python)', authlib],
  ['x/oauth2 and go-oidc (Go)', go],
])('%s', (library, program) => {
  const reason = 'missing' in program ? program.missing : undefined;
  (reason === undefined ? test : test.skip)(
    `${library} signs in, asks for the name, refreshes and logs out${reason === undefined ? '' : ` (skipped: ${reason})`}`,
    async () => {
      const parameters = [site.url, client.clientId, String(client.clientSecret), REDIRECT_URI, AFTER];
      const { logout, ...found } = await runProgram(program, parameters, walk);
      expect(found).toEqual(signedIn);
      expect(await logOutBy(new URL(logout))).toEqual(loggedOut());
    },
  );
});
