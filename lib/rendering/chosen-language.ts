import type { Request, Response } from 'express';

const NAME = 'oauth_language';
/** Milliseconds: longest that browsers keep a cookie. */
const KEPT = 400 * 86_400_000;
const IN_HEADER = new RegExp(`(?:^|;)\\s*${NAME}=([A-Za-z0-9-]{1,35})\\s*(?:;|$)`);

/**
 * The language that the person has picked on a page, in a cookie: it says nothing else of them, is there before they
 * log in and stays when a session is renewed.
 */
export function chosenLanguage({ headers }: Request): string | undefined {
  return IN_HEADER.exec(headers.cookie ?? '')?.[1];
}

export function keepChosenLanguage(req: Request, res: Response, locale: string): void {
  res.cookie(NAME, locale, {
    path: '/',
    maxAge: KEPT,
    httpOnly: true,
    sameSite: 'lax',
    secure: req.secure,
  });
}
