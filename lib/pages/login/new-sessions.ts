import type { Request } from 'express';

import { createFailureLimit, failureKey } from '../../shared/limits/failure-limit.js';

/** Milliseconds for the login, whose new session has the site's lifetime. */
const LIFE = 60 * 60 * 1000;
const WINDOW = 15 * 60;
/** Per allowed wrong password of an address, this many browsers may open the page for the first time. */
const PER_FAILURE = 100;

/**
 * Limits the sessions of visitors who only look at the login page: its form needs a session, which the store would keep
 * as long as that of a logged-in user.
 *
 * @param failures per name, as in the limit of logins
 */
export function limitNewSessions(failures: number | false): (req: Request) => Promise<void> {
  const limit = createFailureLimit(
    failures !== false && {
      failures: failures * PER_FAILURE,
      window: WINDOW,
      counted: 'visits without a session',
    },
  );
  return async (req) => {
    // as in express-session; other sessions have no `cookie`
    const session = (req as { session?: object }).session as
      { readonly cookie?: { maxAge?: number | null } } | undefined;
    // a session that the site has filled keeps the site's lifetime
    if (session === undefined || Object.keys(session).some((name) => name !== 'cookie')) return;
    await limit.consume(failureKey(req, ''));
    const { cookie } = session;
    if (cookie !== undefined && (cookie.maxAge ?? Infinity) > LIFE) cookie.maxAge = LIFE;
  };
}
