import { describe, expect, it } from '@jest/globals';

import { formatHints, parseHints } from '../../lib/core/authorization/hints.js';
import { findPendingRequest } from '../../lib/pages/login/return-path.js';
import { parseForm } from '../../lib/shared/protocol/parameters.js';

describe('hints of a request for the login page', () => {
  it.each([
    ['login_hint=ada&ui_locales=de-AT++en', { login_hint: 'ada', ui_locales: 'de-AT en' }],
    ['', {}],
    ['login_hint=&ui_locales=+', {}],
    ['login_hint=a&login_hint=b&ui_locales=de&ui_locales=en', {}],
    [`login_hint=${'a'.repeat(200)}`, { login_hint: 'a'.repeat(200) }],
    [`login_hint=${'a'.repeat(201)}&ui_locales=${'a'.repeat(201)}`, {}],
  ])('the hints of %s go to the login page in a usable form', (query, hints) => {
    expect(formatHints(parseHints(parseForm(query)))).toEqual(hints);
  });
});

describe('the request in a return path', () => {
  it('the request in a return path has its redirect URI and hints', () => {
    expect(
      findPendingRequest(
        '/oauth/authorize?client_id=a&redirect_uri=com.example.app%3A%2Fcb&login_hint=ada&ui_locales=fr+de#x',
      ),
    ).toEqual({ redirectUri: 'com.example.app:/cb', loginHint: 'ada', uiLocales: ['fr', 'de'] });
  });

  it('the request in a return path may leave its redirect URI to the registration', () => {
    expect(findPendingRequest('/oauth/authorize?client_id=a')).toMatchObject({ redirectUri: undefined });
    expect(
      findPendingRequest('/oauth/authorize?client_id=a&redirect_uri=b:/c&redirect_uri=d:/e'),
    ).toMatchObject({ redirectUri: undefined });
  });

  it.each([
    '/oauth/applications',
    '/oauth/applications?ui_locales=de',
    '/oauth/authorize?client_id=%',
    '/oauth/authorize#?client_id=a',
    '',
    undefined,
    ['/oauth/authorize?client_id=a'],
  ])('the return path %j contains no request', (returnPath) => {
    expect(findPendingRequest(returnPath)).toBeUndefined();
  });
});
