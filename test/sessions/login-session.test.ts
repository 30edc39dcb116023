import { describe, expect, test } from '@jest/globals';
import type { Request } from 'express';

import { endLogin, startLogin } from '../../lib/core/sessions/login-session.js';

const ada = { id: 'ada' } as Express.User;

/** A request as in Passport before 0.6, and its calls, in order. */
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

describe('with Passport before 0.6, which keeps the session and has no callbacks', () => {
  test('a login with Passport before 0.6 gets a new session id, stored before the answer', async () => {
    const { req, done } = earlierRequest();
    await startLogin(req, ada, new Date());
    expect(done).toEqual(['renewed', 'logged in', 'saved']);
  });

  test('a logout with Passport before 0.6 ends the login and renews the session', async () => {
    const { req, done } = earlierRequest();
    await endLogin(req);
    expect(done).toEqual(['logged out', 'renewed']);
  });

  test('a login with Passport before 0.6 fails if its session cannot be renewed', async () => {
    const { req, done } = earlierRequest({ error: new Error('the store is away') });
    await expect(startLogin(req, ada, new Date())).rejects.toThrow('the store is away');
    expect(done).toEqual(['renewed']);
  });

  test('a cookie session has no id to renew at login and logout', async () => {
    const { req, done } = earlierRequest({ hasId: false });
    await startLogin(req, ada, new Date());
    await endLogin(req);
    expect(done).toEqual(['logged in', 'logged out']);
  });
});
