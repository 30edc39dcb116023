import type { Request } from 'express';

/** What is kept in the session. */
interface LanguageSession {
  oauthLanguage?: { readonly locale?: unknown; readonly until?: unknown };
}

/** Milliseconds that a visit lasts after the last page that was asked for in the language. */
const VISIT = 30 * 60_000;

/**
 * Keeps the language that a client has asked for (`ui_locales`) for the pages that the user goes on to, as long as
 * they are logged in. Nothing is kept for a stranger.
 *
 * @see OpenID Connect Core §3.1.2.1
 */
export function keepLanguage(req: Request, locale: string, now: number): void {
  const session = sessionOf(req);
  if (session === undefined || !req.user) return;
  const stored = session.oauthLanguage;
  // the session is not changed, and so not stored again, with each page
  if (stored?.locale === locale && Number(stored.until) - now > VISIT / 2) return;
  session.oauthLanguage = { locale, until: now + VISIT };
}

/** The language in which the user was asked something during this visit. */
export function languageOfVisit(req: Request, now: number): readonly string[] {
  const { locale, until } = (req.user && sessionOf(req)?.oauthLanguage) ?? {};
  return typeof locale === 'string' && Number(until) > now ? [locale] : [];
}

function sessionOf(req: Request): LanguageSession | undefined {
  const { session } = req as { readonly session?: LanguageSession };
  return session;
}
