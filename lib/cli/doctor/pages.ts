import type { Client } from '../../core/clients/client.js';
import { fetchOnce } from '../metadata.js';
import { checkBlockedSources } from './blocked-sources.js';
import { type Finding, finding } from './finding.js';
import { checkLoginForm, endsElsewhere, type LoginPage, pageNameOf } from './login-form.js';
import { checkPageHeaders } from './page-headers.js';

export interface PagesToCheck {
  readonly authorizationEndpoint: string;
  /** A client whose authorization request leads to the login page. */
  readonly client?: Client | undefined;
  /** A public client, for which it matters whether PKCE is needed. */
  readonly publicClient?: Client | undefined;
  /** Clients that the site itself has registered. */
  readonly ofSite?: readonly Client[];
  /** Path or URL of the login page, if it was given. */
  readonly loginPage: string | undefined;
}

/** Cookies, headers and framing of the page where users type their passwords. */
export async function checkPages(pages: PagesToCheck): Promise<Finding[]> {
  const ofAuthorize = await checkAuthorize(pages.authorizationEndpoint);
  const found = await findLoginPage(pages).catch(() => undefined);
  return [...ofAuthorize, ...(await checkFound(pages, found))];
}

async function checkFound(
  pages: PagesToCheck,
  found: FoundLogin | RefusedRequest | undefined,
): Promise<Finding[]> {
  if (found === undefined)
    return [
      finding('note', 'page.unseen', {
        what: 'the login page was not looked at',
        why: 'It is found by the authorization request of a client, and there was none that could be used.',
        cure: 'Register a client (clients create) and run doctor again, or name the page: --login-page /login',
      }),
    ];
  if ('error' in found) return [refusedRequest(found)];
  const { url, keepsWayBack, elsewhere } = found;
  if (elsewhere !== undefined) return [endsElsewhere(`people log in at ${elsewhere}`)];
  const response = await fetchOnce(url, { headers: { Accept: 'text/html' } }).catch(() => undefined);
  if (response === undefined || response.status >= 400) return [brokenLogin(url, response?.status)];
  const redirectUri = keepsWayBack === undefined ? undefined : pages.client?.redirectUris[0];
  const html = await response.text();
  const page: LoginPage = { url, headers: response.headers, html, redirectUri, keepsWayBack };
  // RFC 2606 §2: the origin of nobody. Middleware that answers any origin shows itself only to a request that has one
  const crossOrigin = await fetchOnce(url, {
    headers: { Accept: 'text/html', Origin: 'https://client.invalid' },
  }).catch(() => undefined);
  return [
    ...cookieFindings(response, url),
    ...checkPageHeaders(response.headers, url, crossOrigin?.headers),
    ...(response.ok ? checkLoginForm(page) : []),
    ...checkBlockedSources(page, `the login page ${pageNameOf(url)}`, html.includes('id="login-form"')),
  ];
}

function refusedRequest({ clientId, error, description }: RefusedRequest): Finding {
  const answer = description === null ? error : `${error} (${description})`;
  const what = `the authorization request of the client ${clientId} was answered with ${answer}`;
  if (error === 'server_error')
    return finding('serious', 'page.authorize', {
      what,
      why: 'No client gets a user to the login page.',
      cure: 'The log of the site names the cause. If it is the session: write app.use(oauth.pageRouter), or oauth.router, after the session and passport.session().',
    });
  return finding('note', 'page.unseen', {
    what: `the login page was not looked at: ${what}`,
    why: 'The login page is found by the authorization request of a client.',
    cure: 'Correct the client (clients show, clients update) and run doctor again, or name the page: --login-page /login',
  });
}

function brokenLogin(url: string, status: number | undefined): Finding {
  return finding('serious', 'page.login', {
    what: `the login page ${pageNameOf(url)} answers ${status ?? 'nothing'}`,
    why: 'Nobody can log in.',
    cure: 'Look at the option login, and into the log of the site.',
  });
}

/** Without a client it shows a page that says so; any other answer comes from something in front of it. */
async function checkAuthorize(authorizationEndpoint: string): Promise<Finding[]> {
  const response = await fetchOnce(authorizationEndpoint, { headers: { Accept: 'text/html' } }).catch(
    () => undefined,
  );
  // a page of ours in the layout of the site, as the consent page is
  if (response !== undefined && [400, 429, 503].includes(response.status)) {
    const page = { url: authorizationEndpoint, headers: response.headers, html: await response.text() };
    return checkBlockedSources(
      page,
      'the pages of the authorization server, as they stand in the layout of the site,',
      true,
    );
  }
  return [
    finding('serious', 'page.authorize', {
      what: `the authorization endpoint ${authorizationEndpoint} answers ${response?.status ?? 'nothing'} to a request that it refuses with 400`,
      why: 'Something else answers in its place, such as a catch-all or a redirect to the login, or it is in trouble: nobody gets to a client.',
      cure: 'Write app.use(oauth.pageRouter), or oauth.router, right after the session and passport.session(), before the routes of the site; the log of the site says what else it may be.',
    }),
  ];
}

interface FoundLogin {
  readonly url: string;
  readonly keepsWayBack: boolean | undefined;
  /** The origin of a login page that is not on this site. */
  readonly elsewhere?: string;
}

/** What a client is told in the place of a code. */
interface RefusedRequest {
  readonly clientId: string;
  readonly error: string;
  readonly description: string | null;
}

async function findLoginPage({
  authorizationEndpoint,
  client,
  loginPage,
}: PagesToCheck): Promise<FoundLogin | RefusedRequest | undefined> {
  const found = client && (await findLoginOf(authorizationEndpoint, client).catch(() => undefined));
  if (loginPage === undefined || (found !== undefined && 'error' in found)) return found;
  const named = new URL(loginPage, authorizationEndpoint);
  // as it is for a client that waits: oauth.loginPage widens no policy for anybody else
  if (found !== undefined && named.search === '') named.search = new URL(found.url).search;
  return { url: named.href, keepsWayBack: found?.keepsWayBack };
}

/** The challenge of RFC 7636 Appendix B; no code will be redeemed. */
export const CHALLENGE = {
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
};

/** Where somebody who is not logged in is sent when they ask for a code for the client. */
export async function requestAuthorization(
  authorizationEndpoint: string,
  { clientId, redirectUris: [redirectUri] }: Client,
  parameters: Readonly<Record<string, string>>,
): Promise<{ readonly location: URL; readonly keepsWayBack: boolean } | undefined> {
  if (redirectUri === undefined) return undefined;
  const url = new URL(authorizationEndpoint);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    ...parameters,
  }).toString();
  const { headers } = await fetchOnce(url.href);
  const location = headers.get('location');
  if (location === null) return undefined;
  const keepsWayBack = headers.getSetCookie().some((cookie) => /^(__Host-)?oauth-way-back=./.test(cookie));
  return { location: new URL(location, authorizationEndpoint), keepsWayBack };
}

/** The login page to which a request of a client leads, or the error with which the client gets its user back. */
async function findLoginOf(
  authorizationEndpoint: string,
  client: Client,
): Promise<FoundLogin | RefusedRequest | undefined> {
  const sent = await requestAuthorization(authorizationEndpoint, client, CHALLENGE);
  if (sent === undefined) return undefined;
  const { href, origin } = sent.location;
  const isAnswer = href.startsWith(client.redirectUris[0] ?? '');
  if (isAnswer) {
    const { searchParams } = sent.location;
    const error = searchParams.get('error');
    const description = searchParams.get('error_description');
    return error === null ? undefined : { clientId: client.clientId, error, description };
  }
  const found = { url: href, keepsWayBack: sent.keepsWayBack };
  return origin === new URL(authorizationEndpoint).origin ? found : { ...found, elsewhere: origin };
}

/**
 * Metadata cannot say whether PKCE is needed, so a public client asks without it. With `prompt=none` the answer does
 * not wait for a login: it is `login_required` if nothing else was wrong (OpenID Connect Core §3.1.2.6).
 */
export async function checkPkce({
  authorizationEndpoint,
  publicClient,
}: Pick<PagesToCheck, 'authorizationEndpoint' | 'publicClient'>): Promise<Finding[]> {
  const answer =
    publicClient &&
    (await requestAuthorization(authorizationEndpoint, publicClient, { prompt: 'none' }).catch(
      () => undefined,
    ));
  if (answer?.location.searchParams.get('error') !== 'login_required') return [];
  return [
    finding('warning', 'site.pkce-optional', {
      what: `the public client ${publicClient?.clientId} can ask for a code without PKCE`,
      why: 'A stolen code can be redeemed by the thief (RFC 9700 §2.1.1).',
      cure: "Take pkce: 'optional' out of the option security, or write security: { pkce: 'all' }.",
    }),
  ];
}

function cookieFindings({ headers }: Response, url: string): Finding[] {
  const cookies = headers.getSetCookie();
  if (cookies.length === 0) {
    return [
      finding('note', 'cookie.unseen', {
        what: 'the login page sets no cookie before the login',
        why: 'The flags of the session cookie could not be seen.',
        cure: 'Log in with a browser and look: HttpOnly, Secure, SameSite.',
      }),
    ];
  }
  return cookies.flatMap((cookie) => {
    const name = cookie.split('=', 1)[0] ?? '';
    const flags = cookie
      .split(';')
      .slice(1)
      .map((flag) => flag.trim().toLowerCase());
    const problem = (flag: string, why: string, cure: string) =>
      finding(flag === 'SameSite' ? 'warning' : 'serious', `cookie.${flag.toLowerCase()}`, {
        what: `the cookie ${name} of the login page has no ${flag}`,
        why,
        cure,
      });
    return [
      ...(flags.includes('httponly')
        ? []
        : [
            problem(
              'HttpOnly',
              'A script on any page of the site can take the session.',
              'session({ cookie: { httpOnly: true } })',
            ),
          ]),
      ...(flags.includes('secure') || !url.startsWith('https:')
        ? []
        : [
            problem(
              'Secure',
              'The browser sends it by http: too, where it can be read.',
              "session({ cookie: { secure: true } }), with app.set('trust proxy', 1) behind a proxy",
            ),
          ]),
      ...(flags.some((flag) => flag === 'samesite=lax' || flag === 'samesite=strict')
        ? []
        : [
            problem(
              'SameSite',
              'Other sites can send requests in the name of whoever is logged in.',
              "session({ cookie: { sameSite: 'lax' } })",
            ),
          ]),
    ];
  });
}
