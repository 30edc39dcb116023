import { expect, test } from '@jest/globals';
import type { Request, Response } from 'express';

import { beforeLoginEnds, takeEndOfLoginBefore } from '../../lib/server/ended-login.js';

const settings = { issuer: 'https://photos.example', serverSecret: 'of the test, 32 characters at least' };
const NOW = new Date();

/** What a browser would do with the cookies of answers. */
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

test('whoever is logged in to another session than the one that ended has logged in since then', () => {
  const { asks, cookie } = browser();
  const noteEnd = beforeLoginEnds(settings, asks('before'), NOW);
  // only once it has ended
  expect(cookie()).toBe('');
  noteEnd?.();
  expect(cookie()).toMatch(/^__Host-oauth-login-ended=/);
  expect(takeEndOfLoginBefore(settings, asks('after'))).toBe(NOW.getTime());
  expect(takeEndOfLoginBefore(settings, asks('after'))).toBeUndefined();
});

test('a session that is there still, or again, is no login after its end', () => {
  const { asks } = browser();
  beforeLoginEnds(settings, asks('before'), NOW)?.();
  expect(takeEndOfLoginBefore(settings, asks('before'))).toBeUndefined();
});

test('a session that is all in its cookie may have been put back, so nothing is known of it', () => {
  const { asks, cookie } = browser();
  beforeLoginEnds(settings, asks('before', {}), NOW)?.();
  expect(cookie()).toBe('');
  beforeLoginEnds(settings, asks('before'), NOW)?.();
  expect(takeEndOfLoginBefore(settings, asks('after', {}))).toBeUndefined();
});
