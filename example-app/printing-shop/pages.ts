import express, { Router } from 'express';
import { AuthorizationResponseError } from 'openid-client';

import { createWithFreshTokens, isRefusal } from './fresh-tokens.js';
import type { PendingAuthorization, PhotoSiteClient, Tokens, Way } from './photo-site-client.js';
import { fetchOrder } from './prints.js';
import { regenerate } from './sessions.js';

declare module 'express-session' {
  interface SessionData {
    /** The chosen way to use the photo site; absent: the plain one. */
    way?: Way;
    pending?: PendingAuthorization;
    /** The state of the response with the tokens, which the browser's back button sends again. */
    answered?: string;
    tokens?: Tokens;
    /** Whether the tokens were revoked when the visitor asked to be forgotten. */
    forgotten?: { readonly isRevoked: boolean };
  }
}

export interface ShopPagesOptions {
  readonly photoSite: PhotoSiteClient;
  /** The ways that the visitor can choose. */
  readonly ways: readonly Way[];
  readonly issuer: string;
  readonly shopUrl: string;
}

/** The shop's pages: request the photos, handle the response, display the photos. */
export function createShopPages({ photoSite, ways, issuer, shopUrl }: ShopPagesOptions): Router {
  const pages = Router();
  const withFreshTokens = createWithFreshTokens(photoSite);

  pages.get('/', (req, res) => {
    res.render('home', {
      title: 'Inkwell Printing Shop',
      issuer,
      hasTokens: req.session.tokens !== undefined,
      way: wayOf(req.session),
      ways,
      account: req.session.account,
    });
  });

  pages.post('/way', express.urlencoded({ extended: false, limit: '1kb' }), (req, res) => {
    const { way } = (req.body ?? {}) as { way?: unknown };
    const chosen = ways.find((each) => each === way);
    if (chosen !== undefined) req.session.way = chosen;
    res.redirect(303, '/');
  });

  pages.post('/print', async (req, res) => {
    const { tokens } = req.session;
    const way = wayOf(req.session);
    if (tokens?.way === way) return res.redirect(303, '/prints');
    // the page asks a forgotten visitor again, although the photo site may have stored a consent
    const { url, pending } = await photoSite.startAuthorization({
      way,
      asksAgain: req.session.forgotten !== undefined,
    });
    req.session.pending = pending;
    res.redirect(303, url.href);
  });

  pages.get('/callback', async (req, res) => {
    const { pending, tokens: known, answered } = req.session;
    delete req.session.pending;
    // the visitor went back after "Allow": the photo site repeats the finished response, whose code is not used
    if (pending === undefined && known !== undefined && req.query.state === answered)
      return res.redirect(303, '/prints');
    if (pending === undefined)
      return res.status(400).render('message', {
        title: 'Let us begin again',
        text: 'You were away for a long time, or came back twice. Please press the button once more.',
      });
    try {
      // the shop's own address, not the Host header, which anybody may set
      const tokens = await photoSite.finishAuthorization(new URL(req.originalUrl, shopUrl), pending);
      await regenerate(req);
      Object.assign(req.session, { tokens, answered: pending.state, way: pending.way });
      // the tokens of the other way are no longer needed
      if (known !== undefined) await giveBack(photoSite, known);
    } catch (error) {
      if (!(error instanceof AuthorizationResponseError) || error.error !== 'access_denied') throw error;
      return res.render('message', {
        title: 'No photos, no hard feelings',
        text: 'You did not let us see your photos, so we have not seen any. Should you change your mind, the button is still there.',
      });
    }
    res.redirect(303, '/prints');
  });

  pages.get('/prints', async (req, res) => {
    const { tokens } = req.session;
    if (tokens === undefined) return res.redirect(303, '/');
    res.set('Cache-Control', 'no-store');
    try {
      const used = await withFreshTokens(tokens, (fresh) => fetchOrder(photoSite, issuer, fresh));
      req.session.tokens = used.tokens;
      res.render('prints', { title: 'Your prints', way: used.tokens.way, ...used.result });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      delete req.session.tokens;
      res.render('message', {
        title: 'Your photos are locked again',
        text: 'The photo site does not let us in any more: you took the permission back, or it has run out. Press the button to let us in again.',
      });
    }
  });

  pages.post('/forget', async (req, res) => {
    const { tokens } = req.session;
    if (tokens === undefined) return res.redirect(303, req.session.forgotten ? '/forgotten' : '/');
    // the session first: even if the photo site fails, no data of the visitor stay here
    await regenerate(req);
    req.session.way = tokens.way;
    req.session.forgotten = { isRevoked: await giveBack(photoSite, tokens) };
    res.redirect(303, '/forgotten');
  });

  pages.get('/forgotten', (req, res) => {
    const { forgotten } = req.session;
    if (forgotten === undefined) return res.redirect(303, '/');
    res.set('Cache-Control', 'no-store').render('forgotten', {
      title: forgotten.isRevoked ? 'You are forgotten here' : 'You are forgotten here, and one thing is left',
      connectedApps: `${issuer}/oauth/authorizations`,
      ...forgotten,
    });
  });

  return pages;
}

function wayOf({ way = 'plain' }: { readonly way?: Way }): Way {
  return way;
}

/** Revokes the tokens (RFC 7009); false if the photo site cannot be reached. */
async function giveBack(photoSite: PhotoSiteClient, tokens: Tokens): Promise<boolean> {
  try {
    await photoSite.revoke(tokens);
    return true;
  } catch (error) {
    console.error('printing shop: the tokens could not be revoked', error);
    return false;
  }
}
