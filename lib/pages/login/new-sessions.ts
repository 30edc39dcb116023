import type { Request } from 'express';

import { createFailureLimit, failureKey } from '../../shared/limits/failure-limit.js';

/** Milliseconds that somebody has to log in. The login makes a new session, which lives as long as the site says. */
const LIFE = 60 * 60 * 1000;
const WINDOW = 15 * 60;
/** For each wrong password that an address may send, this many browsers may come to the page for the first time. */
const PER_FAILURE = 100;

/**
 * Limits what users leave behind if they only look at the login page: its form needs a session, which the store would
 * keep as long as that of somebody who is logged in.
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
    // as express-session has it; other sessions have no `cookie`
    const session = (req as { session?: object }).session as
      { readonly cookie?: { maxAge?: number | null } } | undefined;
    // what the site keeps for visitors lives as long as the site wants
    if (session === undefined || Object.keys(session).some((name) => name !== 'cookie')) return;
    await limit.consume(failureKey(req, ''));
    const { cookie } = session;
    if (cookie !== undefined && (cookie.maxAge ?? Infinity) > LIFE) cookie.maxAge = LIFE;
  };
}
