import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { exactTargetOf, formTargetOf, formTargetsOf } from '../../lib/pages/rendering/form-targets.js';
import { storableRedirectUri } from '../support/storable-redirect-uris.js';

const LOOPBACK = ['http://localhost:*', 'http://127.0.0.1:*', 'https:'];

describe('the targets of a form on the consent page', () => {
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
    ['mailto:a@b.example', []],
    // clients that `migrate` takes over
    ['http://intranet/callback', ['http://intranet', 'https:']],
    ['http://[2001:db8::1]/callback', ['http:', 'https:']],
    ['myapp:/callback', ['myapp:', 'https:']],
    ['file:///etc/passwd', []],
    ["com.example;script-src 'unsafe-inline':/x", []],
    ['not a URI', []],
  ])('a form for %s may lead to %j', (redirectUri, targets) => {
    expect(formTargetsOf(redirectUri)).toEqual(targets);
  });

  it('a form without a known redirect URI may lead to the usual targets of any client', () => {
    expect(formTargetsOf(undefined)).toEqual(LOOPBACK);
  });
});

/** CSP Level 3 §6.7.2.8, as far as a source exists for the URI. */
function allows(source: string, uri: string): boolean {
  const { protocol, hostname, port } = new URL(uri);
  if (source.endsWith(':')) return source === protocol;
  const [, itsScheme, itsHost, itsPort] = /^(https?:)\/\/([\w.-]+)(?::(\*|\d+))?$/.exec(source) ?? [];
  return itsScheme === protocol && itsHost === hostname && (itsPort === '*' || (itsPort ?? '') === port);
}

describe('the targets of any redirect URI in the database', () => {
  it('a form of the package may lead to any stored redirect URI, which adds no directive', () => {
    fc.assert(
      fc.property(storableRedirectUri, (uri) => {
        const sources = formTargetsOf(uri);
        expect(sources.join(' ')).not.toMatch(/[;,]/);
        expect([uri, sources.some((source) => allows(source, uri))]).toEqual([uri, true]);
      }),
      { numRuns: 2000 },
    );
  });

  it('a host’s login form may lead to any stored redirect URI that CSP can express', () => {
    fc.assert(
      fc.property(storableRedirectUri, (uri) => {
        const source = formTargetOf(uri);
        if (source === undefined) return expect(new URL(uri).hostname).toMatch(/^\[|[^a-z\d.-]/);
        expect(source).not.toMatch(/[;,\s]/);
        expect([uri, allows(source, uri)]).toEqual([uri, true]);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['https://a;sandbox/callback', 'https://a,b/callback'])(
    '%s adds no directive to a policy',
    (uri) => {
      for (const source of [formTargetOf(uri), exactTargetOf(uri)]) expect(source ?? '').not.toMatch(/[;,]/);
    },
  );
});
