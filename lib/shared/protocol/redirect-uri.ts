import { namesItsAuthority } from './written-authority.js';

/** Schemes that would run code or read local data in the browser instead of reaching an application. */
const FORBIDDEN_SCHEMES = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'blob:',
  'about:',
  'filesystem:',
  'view-source:',
  'ws:',
  'wss:',
  'ftp:',
]);
const LOOPBACK_HOSTS = new Set(['127.0.0.1', '[::1]', 'localhost']);
/** The parameters of the authorization endpoint's responses (RFC 6749 §4.1.2, §4.1.2.1, §4.2.2, RFC 9207 §2). */
const RESPONSE_PARAMETERS = [
  'code',
  'state',
  'iss',
  'error',
  'error_description',
  'error_uri',
  'access_token',
  'token_type',
  'expires_in',
  'scope',
];
const MAX_LENGTH = 2048;

/** Why a redirect URI cannot be registered. */
export interface RedirectUriProblem {
  /** So that a page can say it in another language. */
  readonly reason:
    | 'uriTooLong'
    | 'uriCharacters'
    | 'uriWildcard'
    | 'uriNotAbsolute'
    | 'uriFragment'
    | 'uriScheme'
    | 'uriUserinfo'
    | 'uriHttp'
    | 'uriPrivateScheme'
    | 'uriQuery';
  /** In words for the person who registers it. */
  readonly text: string;
  readonly values?: Readonly<Record<string, string | number>>;
}

export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK_HOSTS.has(hostname);
}

/**
 * Why a redirect URI cannot be registered; undefined if it can.
 *
 * @see RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.1, §4.1.3
 */
export function findRedirectUriProblem(value: string): RedirectUriProblem | undefined {
  if (value.length > MAX_LENGTH)
    return {
      reason: 'uriTooLong',
      text: `it is longer than ${MAX_LENGTH} characters`,
      values: { max: MAX_LENGTH },
    };
  // RFC 3986 §2: a URI is printable ASCII; what a URL parser would silently drop or encode is refused
  if (!/^[\x21-\x7e]+$/.test(value) || /["<>\\^`{|}]/.test(value))
    return {
      reason: 'uriCharacters',
      text: 'it has a space or another character that must be percent-encoded',
    };
  if (value.includes('*'))
    return {
      reason: 'uriWildcard',
      text: 'it has a *: each redirect URI is registered exactly, wildcards are not possible',
    };
  if (!URL.canParse(value) || !namesItsAuthority(value))
    return {
      reason: 'uriNotAbsolute',
      text: 'it is not an absolute URI such as https://app.example/callback',
    };
  // RFC 6749 §3.1.2: the endpoint URI MUST NOT include a fragment component
  if (value.includes('#'))
    return { reason: 'uriFragment', text: 'it has a fragment (#…), which a redirect URI must not have' };
  const url = new URL(value);
  return findSchemeProblem(url) ?? findQueryProblem(url);
}

/**
 * Editors had these before a dot was required, and have no other callback. Like any private-use scheme, they can be
 * taken by any program on the same device, so people are asked each time (§8.6).
 */
const EDITOR_SCHEMES: ReadonlySet<string> = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:']);

/**
 * Whether a scheme can be that of an app: javascript:, data: and the like have no dot.
 *
 * @see RFC 8252 §7.1
 */
export function isPrivateUseScheme(protocol: string): boolean {
  return EDITOR_SCHEMES.has(protocol) || /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol);
}

/**
 * Whether a scheme leads to an application, and runs nothing in the browser. Wider than `isPrivateUseScheme`: clients of
 * another server may bring a scheme without a dot along.
 */
export function isApplicationScheme(protocol: string): boolean {
  return !FORBIDDEN_SCHEMES.has(protocol) && protocol !== 'http:' && protocol !== 'https:';
}

/** RFC 6749 §3.1: response parameters MUST NOT be included more than once. */
function findQueryProblem({ searchParams }: URL): RedirectUriProblem | undefined {
  const twice = RESPONSE_PARAMETERS.find((name) => searchParams.has(name));
  return twice === undefined
    ? undefined
    : {
        reason: 'uriQuery',
        text: `its query has ${twice}, which the response brings itself`,
        values: { parameter: twice },
      };
}

function findSchemeProblem(url: URL): RedirectUriProblem | undefined {
  if (FORBIDDEN_SCHEMES.has(url.protocol))
    return {
      reason: 'uriScheme',
      text: `the scheme ${url.protocol} is not possible`,
      values: { scheme: url.protocol },
    };
  if (url.username !== '' || url.password !== '')
    return { reason: 'uriUserinfo', text: 'it has a user name or password before the host' };
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:') {
    // RFC 6749 §3.1.2.1, RFC 8252 §7.3: without TLS it must be on the person's own machine
    return isLoopbackHost(url.hostname)
      ? undefined
      : { reason: 'uriHttp', text: 'http: is possible on 127.0.0.1, [::1] and localhost only; use https:' };
  }
  // RFC 8252 §7.1: a private-use scheme is a domain name in reverse, so that two apps do not take the same one
  return isPrivateUseScheme(url.protocol)
    ? undefined
    : {
        reason: 'uriPrivateScheme',
        text: 'a private-use scheme needs a dot, such as com.example.app:/callback',
      };
}

/**
 * The registered URI that a requested one stands for: exactly the same text, except that the port of a loopback URI is
 * free.
 *
 * @see RFC 6749 §3.1.2.3, RFC 8252 §7.3, RFC 9700 §2.1
 */
export function findRegisteredRedirectUri(
  requested: string,
  registered: readonly string[],
): string | undefined {
  if (registered.includes(requested)) return requested;
  const portless = withoutLoopbackPort(requested);
  if (portless === undefined) return undefined;
  return registered.find((candidate) => withoutLoopbackPort(candidate) === portless);
}

/** Works on the text, not on a parsed URL: everything but the port is still compared exactly. */
function withoutLoopbackPort(uri: string): string | undefined {
  const match = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::(\d{1,5}))?([/?].*)?$/.exec(uri);
  if (match === null || Number(match[2] ?? 80) > 65535) return undefined;
  return `${match[1]}${match[3] ?? ''}`;
}

/**
 * Whether TLS proves who answers at the redirect URI. Any program on the device can take a private-use scheme or a
 * loopback port.
 *
 * @see RFC 8252 §8.6
 */
export function isRedirectUriProven(redirectUri: string): boolean {
  return redirectUri.startsWith('https:');
}
