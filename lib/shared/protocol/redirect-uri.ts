/** Schemes that would run code or read local data in the browser instead of reaching an application. */
const FORBIDDEN_SCHEME =
  /^(javascript|data|vbscript|file|blob|about|filesystem|view-source|wss?|ftp|mailto|tel|sms|intent|jar|mhtml|urn):$/;
/** 127.0.0.0/8, `[::1]`, `localhost` and all below it (RFC 6761 §6.3, RFC 8252 §7.3). */
const LOOPBACK_HOST = /^(127(\.\d{1,3}){3}|\[::1\]|([a-z0-9-]+\.)*localhost)$/;
/** The parameters of the authorization endpoint's responses (RFC 6749 §4.1.2, §4.1.2.1, §4.2.2, RFC 9207 §2). */
const RESPONSE_PARAMETERS =
  'code state iss error error_description error_uri access_token token_type expires_in scope'.split(' ');
const MAX_LENGTH = 2048;

/** Redirect URIs beyond those that strangers can register. Default: none. */
export interface RedirectUriRules {
  /** Private-use schemes without a dot, without the colon; `any`: all schemes of applications. */
  readonly privateSchemes?: readonly string[] | 'any';
  /** Whether `http:` may lead to another machine. */
  readonly allowsInsecureHttp?: boolean;
}

/** Whether a host is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK_HOST.test(hostname);
}

/**
 * Why a redirect URI cannot be registered; undefined if it can.
 *
 * @see RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.1, §4.1.3
 */
export function findRedirectUriProblem(value: string, rules: RedirectUriRules = {}) {
  if (value.length > MAX_LENGTH)
    return uriProblem('uriTooLong', `it is longer than ${MAX_LENGTH} characters`, { max: MAX_LENGTH });
  // RFC 3986 §2: a URI is printable ASCII; what a URL parser would silently drop or encode is refused
  if (!/^[\x21-\x7e]+$/.test(value) || /["<>\\^`{|}]/.test(value))
    return uriProblem('uriCharacters', 'it has a space or another character that must be percent-encoded');
  if (value.includes('*'))
    return uriProblem(
      'uriWildcard',
      'it has a *: each redirect URI is registered exactly, wildcards are not possible',
    );
  if (!URL.canParse(value) || !namesItsAuthority(value)) return findAbsenceProblem(value);
  // RFC 6749 §3.1.2: the endpoint URI MUST NOT include a fragment component
  if (value.includes('#'))
    return uriProblem('uriFragment', 'it has a fragment (#…), which a redirect URI must not have');
  const url = new URL(value);
  const { protocol, hostname, pathname, searchParams } = url;
  if (FORBIDDEN_SCHEME.test(protocol))
    return uriProblem('uriScheme', `the scheme ${protocol} is not possible`, { scheme: protocol });
  if (url.username !== '' || url.password !== '')
    return uriProblem('uriUserinfo', 'it has a user name or password before the host');
  // RFC 6749 §3.1.2.1, RFC 8252 §7.3: without TLS it must be on the user's machine
  if (protocol === 'http:' && rules.allowsInsecureHttp !== true && !isLoopbackHost(hostname))
    return uriProblem(
      'uriHttp',
      'http: is possible on loopback only (localhost, *.localhost, 127.0.0.0/8, [::1]); use https:',
    );
  if (protocol !== 'http:' && protocol !== 'https:') {
    const isPrivateUse = PRIVATE_USE.test(protocol);
    // in `localhost:3000/cb` a URL parser reads the scheme localhost:, although the user only omitted http://
    if ((protocol === 'localhost:' || isPrivateUse) && /^\d{1,5}(?:\/|$)/.test(pathname))
      return uriProblem(
        'uriNoScheme',
        `it does not begin with a scheme: write http:// or https:// before ${protocol}`,
      );
    // RFC 8252 §7.1: a private-use scheme is a reversed domain name, so that two apps do not choose the same one
    const { privateSchemes = [] } = rules;
    if (!isPrivateUse && privateSchemes !== 'any' && !privateSchemes.includes(protocol.slice(0, -1)))
      return uriProblem(
        'uriPrivateScheme',
        `the private-use scheme ${protocol} has no dot, such as com.example.app:/callback has (RFC 8252 §7.1), and is not among security.privateSchemes of the site`,
      );
  }
  // RFC 6749 §3.1: response parameters MUST NOT be included more than once
  const twice = RESPONSE_PARAMETERS.find((name) => searchParams.has(name));
  if (twice !== undefined)
    return uriProblem('uriQuery', `its query has ${twice}, which the response brings itself`, {
      parameter: twice,
    });
  return undefined;
}

/**
 * Why a URI cannot be registered: a key for pages in other languages, and a text for the user who registers the URI.
 */
export function uriProblem<Reason extends string>(
  reason: Reason,
  text: string,
  values?: Readonly<Record<string, string | number>>,
) {
  return { reason, text, values };
}

/** The missing part of a text that is no absolute URI (RFC 3986 §3.1, §4.3). */
function findAbsenceProblem(value: string) {
  const [, scheme] = /^([^/?#:]*):/.exec(value) ?? [];
  if (scheme === undefined || scheme === '')
    return uriProblem(
      'uriNoScheme',
      'it does not begin with a scheme, such as https:// in https://app.example/callback',
    );
  const character = /^[^a-z]/i.exec(scheme)?.[0] ?? /[^a-z0-9+.-]/i.exec(scheme)?.[0];
  if (character === undefined)
    return uriProblem('uriNotAbsolute', 'it is not an absolute URI such as https://app.example/callback');
  return uriProblem(
    'uriSchemeCharacter',
    `its scheme has ${character === '_' ? 'an underscore' : `a ${character}`} where RFC 3986 §3.1 has none: a scheme begins with a letter and has letters, digits, "+", "-" and "." alone`,
    { character },
  );
}

/**
 * Schemes of apps (RFC 8252 §7.1): javascript:, data: and the like have no dot. Editors chose theirs before a dot was
 * required, and have no other callback. Any program on the device can take them, like any private-use scheme, so users
 * are asked each time (§8.6).
 */
const PRIVATE_USE = /^([a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+|cursor|vscode|vscode-insiders|windsurf):$/;

/**
 * Whether a scheme leads to an application, and runs nothing in the browser. Wider than `PRIVATE_USE`: clients of
 * another server may have a scheme without a dot.
 */
export function isApplicationScheme(protocol: string): boolean {
  return !FORBIDDEN_SCHEME.test(protocol) && protocol !== 'http:' && protocol !== 'https:';
}

/**
 * The registered URI that matches a requested one: the same text, except that the port of a loopback URI is free.
 *
 * @see RFC 6749 §3.1.2.3, RFC 8252 §7.3, RFC 9700 §2.1
 */
export function findRegisteredRedirectUri(requested: string, registered: readonly string[]) {
  if (registered.includes(requested)) return requested;
  const portless = withoutLoopbackPort(requested);
  if (portless === undefined) return undefined;
  return registered.find((candidate) => withoutLoopbackPort(candidate) === portless);
}

/** Compares the text, not a parsed URL: everything but the port must be identical. */
function withoutLoopbackPort(uri: string): string | undefined {
  const match = /^(http:\/\/(\[::1\]|[a-z0-9.-]+))(?::(\d{1,5}))?([/?].*)?$/.exec(uri);
  if (match === null || !isLoopbackHost(match[2] ?? '') || Number(match[3] ?? 80) > 65535) return undefined;
  return `${match[1]}${match[4] ?? ''}`;
}

/**
 * Whether TLS proves the recipient at the redirect URI. Any program on the device can take a private-use scheme or a
 * loopback port.
 *
 * @see RFC 8252 §8.6
 */
export function isRedirectUriProven(redirectUri: string): boolean {
  return redirectUri.startsWith('https:');
}

/** Whether nobody can eavesdrop: https:, or http: on loopback, where clients and sites are developed. */
export function isSecureUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}

/**
 * Whether the text of an http: or https: URL names the same host and port as a URL parser reads. Browsers read
 * `https:a.example/cb` and `https:///a.example` as other addresses than users do, and may even read the first one as a
 * path of the current site. Other schemes need no authority.
 *
 * @see RFC 3986 §3.2, §4.2; the WHATWG URL Standard, "special authority slashes state"
 */
export function namesItsAuthority(value: string): boolean {
  if (!/^https?:/i.test(value)) return true;
  const [, scheme = '', authority] = /^(https?):\/\/(?:[^/?#\\@]*@)?([^/?#\\@]+)/i.exec(value) ?? [];
  if (authority === undefined || !URL.canParse(value)) return false;
  // the text may contain the default port
  const defaultPort = scheme.toLowerCase() === 'https' ? ':443' : ':80';
  const written = authority.toLowerCase();
  return [written, written.endsWith(defaultPort) ? written.slice(0, -defaultPort.length) : written].includes(
    new URL(value).host,
  );
}
