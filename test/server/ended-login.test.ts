import { expect, test } from '@jest/globals';
import type { Request, Response } from 'express';

import { beforeLoginEnds, consumeLoginEnd } from '../../lib/server/ended-login.js';

const settings = { issuer: 'https://photos.example', serverSecret: 'of the test, 32 characters at least' };
const NOW = new Date();

/** The browser's part in the cookies of answers. */
function browser() {
  let cookie = '';
  const res = {
    cookie: (name: string, value: string) => void (cookie = `${name}=${value}`),
    clearCookie: () => void (cookie = ''),
  } as unknown as Response;
  return {
    asks: (sessionID: string, more: object = { sessionStore: {} }) => ({
      req: { sessionID, headers: { cookie }, ...more } as unknown as Request,
      res,
      userId: 'ada',
    }),
    cookie: () => cookie,
  };
}

test('a login in another session than the ended one is newer than that logout', () => {
  const { asks, cookie } = browser();
  const noteEnd = beforeLoginEnds(settings, asks('before'), NOW);
  // only after the end
  expect(cookie()).toBe('');
  noteEnd?.();
  expect(cookie()).toMatch(/^__Host-oauth-login-ended=/);
  expect(consumeLoginEnd(settings, asks('after'))).toBe(NOW.getTime());
  expect(consumeLoginEnd(settings, asks('after'))).toBeUndefined();
});

test('a session that is still there, or restored, proves no new login', () => {
  const { asks } = browser();
  beforeLoginEnds(settings, asks('before'), NOW)?.();
  expect(consumeLoginEnd(settings, asks('before'))).toBeUndefined();
});

test('a cookie session proves no new login, because its old cookie can be sent again', () => {
  const { asks, cookie } = browser();
  beforeLoginEnds(settings, asks('before', {}), NOW)?.();
  expect(cookie()).toBe('');
  beforeLoginEnds(settings, asks('before'), NOW)?.();
  expect(consumeLoginEnd(settings, asks('after', {}))).toBeUndefined();
});
