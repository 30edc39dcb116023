import type { Request, Response } from 'express';

import { cookiesNamed } from '../../core/sessions/signed-cookies.js';

const COOKIE = 'oauth_language';
/** Milliseconds: the longest that browsers keep a cookie. */
const COOKIE_LIFETIME = 400 * 86_400_000;
/** Milliseconds that a visit lasts after the last page that was asked for in the language. */
const VISIT = 30 * 60_000;

/**
 * The language that the user has picked on a page, in a cookie: it says nothing else about them, exists before they
 * log in and stays when a session is renewed.
 */
export function chosenLanguage(req: Request): string | undefined {
  return cookiesNamed(req, COOKIE).find((value) => /^[A-Za-z0-9-]{1,35}$/.test(value));
}

export function keepChosenLanguage(req: Request, res: Response, locale: string): void {
  const options = { path: '/', maxAge: COOKIE_LIFETIME, httpOnly: true, sameSite: 'lax' } as const;
  res.cookie(COOKIE, locale, { ...options, secure: req.secure });
}

/** What is kept in the session of a user who is logged in. Nothing is kept for a stranger. */
function sessionOf(req: Request) {
  const { session } = req as {
    readonly session?: { oauthLanguage?: { readonly locale?: unknown; readonly until?: unknown } };
  };
  return req.user ? session : undefined;
}

/**
 * Keeps the language that a client has asked for (`ui_locales`) for the pages that the user goes on to, as long as
 * they are logged in.
 *
 * @see OpenID Connect Core §3.1.2.1
 */
export function keepLanguage(req: Request, locale: string, now: number): void {
  const session = sessionOf(req);
  if (session === undefined) return;
  const stored = session.oauthLanguage;
  // the session is not changed, and so not stored again, with each page
  if (stored?.locale === locale && Number(stored.until) - now > VISIT / 2) return;
  session.oauthLanguage = { locale, until: now + VISIT };
}

/** The language in which the user was asked something during this visit. */
export function languageOfVisit(req: Request, now: number): readonly string[] {
  const { locale, until } = sessionOf(req)?.oauthLanguage ?? {};
  return typeof locale === 'string' && Number(until) > now ? [locale] : [];
}
