import express, { type RequestHandler } from 'express';
import * as jose from 'jose';
import type { Configuration } from 'openid-client';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** More than are ever pending; your own shop should store logouts with its sessions. */
const MAX = 10_000;

export interface Logouts {
  /** Receives logouts from the photo site. */
  readonly receive: readonly RequestHandler[];
  /** Signs out a visitor whose session at the photo site has ended. */
  readonly forget: RequestHandler;
}

/** Signs people out here when they log out at the photo site (OpenID Connect Back-Channel Logout). */
export function createLogouts(discover: () => Promise<Configuration>): Logouts {
  const ended = new Set<string>();
  let keys: ReturnType<typeof jose.createRemoteJWKSet> | undefined;

  const sessionOf = async (token: string): Promise<string> => {
    const configuration = await discover();
    const { issuer, jwks_uri: jwksUri } = configuration.serverMetadata();
    keys ??= jose.createRemoteJWKSet(new URL(String(jwksUri)));
    // §2.6: verified like an ID token, but with its own type and event, and never with a nonce
    const { payload } = await jose.jwtVerify<{ sid?: string; nonce?: string; events?: object }>(token, keys, {
      issuer,
      audience: configuration.clientMetadata().client_id,
      typ: 'logout+jwt',
      requiredClaims: ['iat', 'exp', 'jti', 'sid', 'events'],
    });
    const { sid, nonce, events = {} } = payload;
    if (nonce !== undefined || !Object.hasOwn(events, EVENT) || typeof sid !== 'string')
      throw new Error('this is no logout token');
    return sid;
  };

  const receive: RequestHandler = async (req, res) => {
    const { logout_token: token } = (req.body ?? {}) as { logout_token?: unknown };
    res.set('Cache-Control', 'no-store');
    try {
      ended.add(await sessionOf(String(token)));
    } catch {
      return void res.status(400).json({ error: 'invalid_request' });
    }
    const [oldest = ''] = ended;
    if (ended.size > MAX) ended.delete(oldest);
    res.status(200).end();
  };
  return {
    receive: [express.urlencoded({ extended: false }), receive],
    forget(req, _res, next) {
      const { account } = req.session;
      const { sid } = account === undefined ? {} : jose.decodeJwt<{ sid?: string }>(account.idToken);
      if (sid !== undefined && ended.has(sid)) delete req.session.account;
      next();
    },
  };
}
