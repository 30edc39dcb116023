import { describe, expect, it } from '@jest/globals';

import { formTargetsOf } from '../../lib/pages/rendering/form-targets.js';

const LOOPBACK = ['http://localhost:*', 'http://127.0.0.1:*', 'https:'];

describe('where a form may lead', () => {
  it.each([
    ['https://print.example/callback?x=1', ['https:']],
    ['http://127.0.0.1:5000/callback', LOOPBACK],
    ['http://localhost/callback', LOOPBACK],
    ['http://[::1]:5000/callback', ['http:', 'https:']],
    ['com.example.app:/callback', ['com.example.app:', 'https:']],
    ['http://print.example/callback', []],
    ['javascript:alert(1)', []],
    ['data:text/html,x', []],
    ['nodots:/callback', []],
    ["com.example;script-src 'unsafe-inline':/x", []],
    ['not a URI', []],
  ])('%s → %j', (redirectUri, targets) => {
    expect(formTargetsOf(redirectUri)).toEqual(targets);
  });

  it('is any client’s usual place where the redirect URI is not known yet', () => {
    expect(formTargetsOf(undefined)).toEqual(LOOPBACK);
  });
});
