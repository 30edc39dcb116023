import fc from 'fast-check';

import { decideRedirectUris } from '../../lib/cli/migrate/redirect-uris.js';

/** Registration accepts some of these; `migrate` takes all of them over from another server. */
const EVERYTHING = { privateSchemes: 'take', httpRedirects: 'take', otherRedirects: 'refuse' } as const;

const isStorable = (uri: string): boolean => decideRedirectUris([uri], EVERYTHING).uris.length === 1;

const elsewhere = fc
  .oneof(
    fc.domain(),
    fc.ipV4(),
    fc.ipV6().map((address) => `[${address}]`),
    fc.constantFrom('intranet', 'xn--bcher-kva.example', 'App.Example', 'app.example.', 'a_b.example'),
    // would end a directive of a Content-Security-Policy, or its source
    fc.constantFrom('a;sandbox', 'a,b', "a'b", 'a$b'),
  )
  .filter((host) => !host.startsWith('127.') && host !== '[::1]');
/** RFC 8252 §7.3, RFC 6761 §6.3 */
const loopback = fc.oneof(
  fc.constantFrom('localhost', '127.0.0.1', '[::1]', 'app.localhost'),
  fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((parts) => `127.${parts.join('.')}`),
);
const port = fc.integer({ min: 1, max: 65_535 }).map((number) => `:${number}`);
const path = fc.oneof(
  fc.webPath(),
  fc.constantFrom('', '/', '/callback', '//a', '/a/../b', '/%7Eann/a%2Fb', '/%zz', "/it's;a,b", '/a=b&c=d'),
);
const query = fc.oneof(
  fc.constantFrom('', '?', '?a=b', '?a=b&', '?a=b?', '?/?', '?a=%2F+%20', '?codes=1;2', '?code=1&state=2'),
  fc.webQueryParameters().map((text) => `?${text}`),
);
const storable = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc
    .tuple(...parts)
    .map((texts) => texts.join(''))
    .filter(isStorable);
const httpUri = (scheme: string, host: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  storable(
    fc.constantFrom(scheme, scheme, scheme.toUpperCase()),
    fc.constant('://'),
    host,
    fc.option(port, { nil: '' }),
    path,
    query,
  );
/** RFC 8252 §7.1; without a dot it comes from another server, or the site has registered it. */
const applicationScheme = fc.oneof(
  fc.constantFrom('com.example.app', 'myapp', 'MyApp', 'vscode', 'x+y', 'a-b', 'web+app'),
  fc.stringMatching(/^[a-z][a-z0-9]{3,6}([.+-][a-z0-9]{1,6}){0,2}$/),
);

/** Every kind of redirect URI that the store can hold, by its destination. */
export const STORABLE_REDIRECT_URIS = {
  'an https: URI': httpUri('https', fc.oneof(elsewhere, loopback)),
  'an http: URI of this machine': httpUri('http', loopback),
  'an http: URI of another machine': httpUri('http', elsewhere),
  'a URI of an app': storable(
    applicationScheme,
    fc.constantFrom(':', ':/', '://', ':///'),
    fc.constantFrom('callback', 'oauth2redirect/a', 'App/b', ''),
    query,
  ),
} as const;

export const storableRedirectUri: fc.Arbitrary<string> = fc.oneof(...Object.values(STORABLE_REDIRECT_URIS));
