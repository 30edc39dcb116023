import type { Request, Response } from 'express';

import { cookiesNamed } from '../../core/sessions/cookies.js';

const NAME = 'oauth_language';
/** Milliseconds: the longest that browsers keep a cookie. */
const COOKIE_LIFETIME = 400 * 86_400_000;

/**
 * The language that the user has picked on a page, in a cookie: it says nothing else about them, exists before they
 * log in and stays when a session is renewed.
 */
export function chosenLanguage(req: Request): string | undefined {
  return cookiesNamed(req, NAME).find((value) => /^[A-Za-z0-9-]{1,35}$/.test(value));
}

export function keepChosenLanguage(req: Request, res: Response, locale: string): void {
  res.cookie(NAME, locale, {
    path: '/',
    maxAge: COOKIE_LIFETIME,
    httpOnly: true,
    sameSite: 'lax',
    secure: req.secure,
  });
}
