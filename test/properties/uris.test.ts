import { describe, expect } from '@jest/globals';
import fc from 'fast-check';

import { safeReturnPath } from '../../lib/core/sessions/return-to.js';
import { findPendingRequest } from '../../lib/pages/login/return-path.js';
import { findRedirectUriProblem, findRegisteredRedirectUri } from '../../lib/shared/protocol/redirect-uri.js';
import { almost, anyText, holds } from '../support/properties.js';

const REGISTERED = [
  'https://app.example/callback',
  'https://app.example:8443/cb?tenant=1',
  'http://127.0.0.1/cb',
  'http://127.0.0.1:3000/cb?a=b',
  'http://[::1]:3000/',
  'http://localhost/cb',
  'com.example.app:/callback',
];
const uri = fc.oneof(
  anyText(),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  ...REGISTERED.map(almost),
);

describe('redirect URIs', () => {
  holds(
    'a valid redirect URI leads where it says, by a scheme that runs nothing (RFC 6749 §3.1.2)',
    [uri],
    (value) => {
      if (findRedirectUriProblem(value) !== undefined) return;
      const url = new URL(value);
      expect([url.hash, url.username, url.password]).toEqual(['', '', '']);
      expect(value).not.toMatch(/[#*\s\\]|[^\x21-\x7e]/);
      if (url.protocol === 'https:' || url.protocol === 'http:') {
        const [, written = ''] = /^https?:\/\/([^/?]+)/i.exec(value) ?? [];
        expect(new URL(`${url.protocol}//${written}`).host).toBe(url.host);
      } else expect(url.protocol).toContain('.');
      if (url.protocol === 'http:')
        expect(url.hostname).toMatch(/^(127(\.\d{1,3}){3}|\[::1\]|([^.]+\.)*localhost)$/);
    },
  );

  holds(
    'a requested redirect URI equals a registered one, but for a loopback port (RFC 8252 §7.3)',
    [uri],
    (requested) => {
      const found = findRegisteredRedirectUri(requested, REGISTERED);
      if (found === undefined || found === requested) {
        expect(REGISTERED.includes(requested)).toBe(found !== undefined);
        return;
      }
      const [sent, registered] = [new URL(requested), new URL(found)];
      expect(['127.0.0.1', '[::1]', 'localhost']).toContain(sent.hostname);
      for (const url of [sent, registered]) url.port = '';
      expect(sent.href).toBe(registered.href);
      expect(sent.protocol).toBe('http:');
    },
  );
});

describe('the return path of a login (RFC 9700 §4.11)', () => {
  holds(
    'the return path of a login stays on the site in every browser',
    [
      fc.oneof(
        uri,
        anyText().map((text) => `/${text}`),
        almost('/oauth/authorize?client_id=a'),
      ),
    ],
    (path) => {
      const safe = safeReturnPath(path, '/home');
      for (const site of ['https://site.example', 'http://localhost:3000'])
        expect(new URL(safe, site).origin).toBe(site);
      expect(safe).toMatch(/^\//);
      expect(safe).not.toMatch(/^\/[/\\]|[\t\r\n]/);
    },
  );

  holds(
    'an arbitrary return path contains a request or none, without an exception',
    [fc.oneof(fc.anything(), anyText(), almost('/oauth/authorize?client_id=a&redirect_uri=b'))],
    (path) => {
      findPendingRequest(path);
    },
  );
});
