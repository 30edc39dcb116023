import { describe, expect, test } from '@jest/globals';
import type { Request } from 'express';

import { endLogin, startLogin } from '../../lib/core/sessions/login-session.js';

const ada = { id: 'ada' } as Express.User;

/** A request as in Passport before 0.6, and what was done to it, in order. */
function earlierRequest({ error, hasId = true }: { readonly error?: Error; readonly hasId?: boolean } = {}) {
  const done: string[] = [];
  const req = {
    session: hasId
      ? {
          regenerate: (then: (error?: Error) => void) => void (done.push('renewed'), then(error)),
          save: (then: () => void) => void (done.push('saved'), then()),
        }
      : {},
    logIn: (_user: unknown, then: () => void) => void (done.push('logged in'), then()),
    logout: () => void done.push('logged out'),
  } as unknown as Request;
  return { req, done };
}

describe('with Passport before 0.6, which leaves the session as it is and calls nobody back', () => {
  test('a login is in a session of a new id (session fixation), stored before the answer', async () => {
    const { req, done } = earlierRequest();
    await startLogin(req, ada, new Date());
    expect(done).toEqual(['renewed', 'logged in', 'saved']);
  });

  test('a logout ends, and forgets what was in the session', async () => {
    const { req, done } = earlierRequest();
    await endLogin(req);
    expect(done).toEqual(['logged out', 'renewed']);
  });

  test('nobody is logged in to a session that could not be renewed', async () => {
    const { req, done } = earlierRequest({ error: new Error('the store is away') });
    await expect(startLogin(req, ada, new Date())).rejects.toThrow('the store is away');
    expect(done).toEqual(['renewed']);
  });

  test('a session that is all in its cookie has no id to renew', async () => {
    const { req, done } = earlierRequest({ hasId: false });
    await startLogin(req, ada, new Date());
    await endLogin(req);
    expect(done).toEqual(['logged in', 'logged out']);
  });
});
