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
    ['http://print.example:8080/callback', ['http://print.example:8080', 'https:']],
    ['http://app.localhost:3000/callback', ['http://app.localhost:*', 'https:']],
    ['http://127.1.2.3:3000/callback', ['http://127.1.2.3:*', 'https:']],
    ['javascript:alert(1)', []],
    ['data:text/html,x', []],
    ['myapp:/callback', ['myapp:', 'https:']],
    ['mailto:a@b.example', []],
    ["com.example;script-src 'unsafe-inline':/x", []],
    ['not a URI', []],
  ])('%s → %j', (redirectUri, targets) => {
    expect(formTargetsOf(redirectUri)).toEqual(targets);
  });

  it('is any client’s usual place where the redirect URI is not known yet', () => {
    expect(formTargetsOf(undefined)).toEqual(LOOPBACK);
  });
});
