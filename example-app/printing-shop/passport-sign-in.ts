import type { RequestHandler } from 'express';
import type { Configuration } from 'openid-client';
import { Passport } from 'passport';
import { Strategy } from 'passport-openidconnect';

import { accountPaths, shopAccounts } from '../demo.js';
import type { Account } from './sessions.js';

export interface PassportSignInOptions {
  /** passport-openidconnect does not read the metadata itself. */
  readonly discover: () => Promise<Configuration>;
  readonly shopUrl: string;
}

/** Sends the visitor to the photo site, and then sets `req.user`. */
export function createPassportSignIn({ discover, shopUrl }: PassportSignInOptions): RequestHandler {
  const passport = new Passport();
  const createStrategy = async () => {
    const metadata = (await discover()).serverMetadata();
    return new Strategy(
      {
        issuer: metadata.issuer,
        authorizationURL: String(metadata.authorization_endpoint),
        tokenURL: String(metadata.token_endpoint),
        userInfoURL: String(metadata.userinfo_endpoint),
        clientID: shopAccounts.clientId,
        clientSecret: shopAccounts.clientSecret,
        callbackURL: shopUrl + accountPaths.passport,
        scope: ['profile'],
        // the ID token has the subject; userinfo has the name
        skipUserProfile: false,
      },
      (
        _issuer: string,
        { id, displayName }: Profile,
        _context: object,
        idToken: string | object,
        done: Done,
      ) =>
        done(null, {
          sub: id,
          name: displayName ?? id,
          by: 'passport-openidconnect',
          idToken: typeof idToken === 'string' ? idToken : '',
        }),
    );
  };
  return async (req, res, next) => {
    const handle = passport.authenticate(await createStrategy(), {
      session: false,
      failureRedirect: '/',
    }) as RequestHandler;
    await handle(req, res, next);
  };
}

interface Profile {
  readonly id: string;
  readonly displayName?: string;
}
type Done = (error: null, account: Account) => void;
