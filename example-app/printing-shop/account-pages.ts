import { Router } from 'express';
import * as client from 'openid-client';

import { accountPaths, loggedOutPath, shopAccounts } from '../demo.js';
import { createDiscovery } from './discovery.js';
import { createLogouts } from './logouts.js';
import { createPassportSignIn } from './passport-sign-in.js';
import { type Account, regenerate } from './sessions.js';

declare module 'express-session' {
  interface SessionData {
    /** The visitor's account at the photo site. */
    account?: Account;
    /** A pending sign-in, until the visitor is back. */
    signingIn?: { readonly state: string; readonly nonce: string; readonly codeVerifier: string };
  }
}

export interface AccountPagesOptions {
  readonly issuer: string;
  readonly shopUrl: string;
}

/**
 * “Sign in with Lantern Photos” (OpenID Connect), with openid-client and with Passport; a real site needs one of them.
 */
export function createAccountPages({ issuer, shopUrl }: AccountPagesOptions): Router {
  const pages = Router();
  const { clientId, clientSecret } = shopAccounts;
  const discover = createDiscovery({
    issuer,
    clientId,
    authentication: client.ClientSecretBasic(clientSecret),
    algorithm: 'oidc',
  });
  const path = accountPaths['openid-client'];

  const logouts = createLogouts(discover);
  pages.post(loggedOutPath, ...logouts.receive);
  pages.use(logouts.forget);

  pages.post(path, async (req, res) => {
    const signingIn = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(await discover(), {
      redirect_uri: shopUrl + path,
      scope: 'openid profile',
      state: signingIn.state,
      nonce: signingIn.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(signingIn.codeVerifier),
      code_challenge_method: 'S256',
    });
    req.session.signingIn = signingIn;
    res.redirect(303, url.href);
  });

  pages.get(path, async (req, res) => {
    const { signingIn } = req.session;
    delete req.session.signingIn;
    // a visitor who refused there is as welcome as before
    if (signingIn === undefined || req.query.error === 'access_denied') return res.redirect(303, '/');
    const configuration = await discover();
    // the shop's own address, not the Host header, which anybody may set
    const tokens = await client.authorizationCodeGrant(configuration, new URL(req.originalUrl, shopUrl), {
      expectedState: signingIn.state,
      expectedNonce: signingIn.nonce,
      pkceCodeVerifier: signingIn.codeVerifier,
      idTokenExpected: true,
    });
    // the ID token has the subject; userinfo has the name
    const sub = tokens.claims()!.sub;
    const { name = sub } = await client.fetchUserInfo(configuration, tokens.access_token, sub);
    await signIn(req, { sub, name, by: 'openid-client', idToken: String(tokens.id_token) });
    res.redirect(303, '/');
  });

  const passport = createPassportSignIn({ discover, shopUrl });
  pages.post(accountPaths.passport, passport);
  pages.get(accountPaths.passport, passport, async (req, res) => {
    await signIn(req, req.user as Account);
    res.redirect(303, '/');
  });

  // ends the session here at once; the photo site asks about its own, and sends the visitor back (RP-Initiated Logout)
  pages.post('/sign-out', async (req, res) => {
    const { account } = req.session;
    delete req.session.account;
    if (account === undefined) return res.redirect(303, '/');
    const url = client.buildEndSessionUrl(await discover(), {
      id_token_hint: account.idToken,
      post_logout_redirect_uri: `${shopUrl}/`,
    });
    res.redirect(303, url.href);
  });
  return pages;
}

/** Signs in with a new session id, and keeps the shop's access to photos. */
async function signIn(req: Parameters<typeof regenerate>[0], account: Account): Promise<void> {
  const { tokens, answered, way, forgotten } = req.session;
  await regenerate(req);
  Object.assign(req.session, { tokens, answered, way, forgotten, account });
}
