import type { Client } from '../../core/clients/client.js';
import { send } from '../metadata.js';
import { checkBlockedSources } from './blocked-sources.js';
import type { ReportFinding } from './finding.js';
import { checkLoginForm, pageNameOf, reportElsewhere } from './login-form.js';
import { checkPageHeaders } from './page-headers.js';
import { CHALLENGE, requestAuthorization } from './requests.js';

export interface PagesToCheck {
  /** A client whose authorization request leads to the login page. */
  readonly client?: Client | undefined;
  /** A public client, for the check of PKCE. */
  readonly publicClient?: Client | undefined;
  /** Clients that the site has registered. */
  readonly ofSite?: readonly Client[];
  /** Path or URL of the login page, from the flag. */
  readonly loginPage?: string | undefined;
}

const ACCEPT = { Accept: 'text/html' };
const COOKIE_FLAGS = [
  {
    flag: 'HttpOnly',
    severity: 'serious',
    isSet: /^httponly$/i,
    why: 'A script on any page of the site can take the session.',
    cure: 'session({ cookie: { httpOnly: true } })',
  },
  {
    flag: 'Secure',
    severity: 'serious',
    isSet: /^secure$/i,
    why: 'The browser sends it by http: too, where it can be read.',
    cure: "session({ cookie: { secure: true } }), with app.set('trust proxy', 1) behind a proxy",
  },
  {
    flag: 'SameSite',
    severity: 'warning',
    isSet: /^samesite=(lax|strict)$/i,
    why: 'Other sites can send requests in the name of whoever is logged in.',
    cure: "session({ cookie: { sameSite: 'lax' } })",
  },
] as const;

/** Checks the authorization endpoint, and cookies, headers and framing of the login page. */
export async function checkPages(
  report: ReportFinding,
  authorizationEndpoint: string,
  { client, loginPage }: PagesToCheck,
): Promise<void> {
  // without a client the endpoint shows an error page; another response comes from something before it
  const refusal = await send(authorizationEndpoint, { headers: ACCEPT });
  if ([400, 429, 503].includes(refusal.status)) {
    // the error page has the layout of the site, as the consent page has
    const page = { url: authorizationEndpoint, headers: refusal.headers, html: refusal.text };
    const name = 'the pages of the authorization server, as they stand in the layout of the site,';
    checkBlockedSources(report, page, name, true);
  } else
    report('serious', 'page.authorize', {
      what: `the authorization endpoint ${authorizationEndpoint} answers ${refusal.status || 'nothing'} to a request that it refuses with 400`,
      why: 'Something else answers in its place, such as a catch-all or a redirect to the login, or it is in trouble: nobody gets to a client.',
      cure: 'Write app.use(oauth.pageRouter), or oauth.router, right after the session and passport.session(), before the routes of the site; the log of the site says what else it may be.',
    });

  // the request of a client leads to the login page, or its error back to the client
  const sent = client && (await requestAuthorization(authorizationEndpoint, client, CHALLENGE));
  const error = sent?.params?.get('error') ?? undefined;
  if (error !== undefined) {
    const description = sent?.params?.get('error_description') ?? undefined;
    const answer = description === undefined ? error : `${error} (${description})`;
    const what = `the authorization request of the client ${client?.clientId} was answered with ${answer}`;
    return error === 'server_error'
      ? report('serious', 'page.authorize', {
          what,
          why: 'No client gets a user to the login page.',
          cure: 'The log of the site names the cause. If it is the session: write app.use(oauth.pageRouter), or oauth.router, after the session and passport.session().',
        })
      : report('note', 'page.unseen', {
          what: `the login page was not looked at: ${what}`,
          why: 'The login page is found by the authorization request of a client.',
          cure: 'Correct the client (clients show, clients update) and run doctor again, or name the page: --login-page /login',
        });
  }
  const waiting = sent?.params === undefined ? sent?.location : undefined;
  let login = waiting;
  if (loginPage !== undefined) {
    login = URL.canParse(loginPage, authorizationEndpoint)
      ? new URL(loginPage, authorizationEndpoint)
      : undefined;
    // with the query of a waiting client, since oauth.loginPage extends the policy only for one
    if (login?.search === '' && waiting !== undefined) login.search = waiting.search;
  }
  if (login === undefined)
    return report('note', 'page.unseen', {
      what: 'the login page was not looked at',
      why: 'It is found by the authorization request of a client, and there was none that could be used.',
      cure: 'Register a client (clients create) and run doctor again, or name the page: --login-page /login',
    });
  const { href: url, origin } = login;
  if (loginPage === undefined && origin !== new URL(authorizationEndpoint).origin)
    return reportElsewhere(report, `people log in at ${origin}`);

  const { status, headers, text: html } = await send(url, { headers: ACCEPT });
  if (status === 0 || status >= 400)
    return report('serious', 'page.login', {
      what: `the login page ${pageNameOf(url)} answers ${status || 'nothing'}`,
      why: 'Nobody can log in.',
      cure: 'Look at the option login, and into the log of the site.',
    });
  checkCookies(report, headers, url);
  // RFC 2606 §2: an origin that nobody has. Middleware that allows any origin only reacts to a request with one
  const crossOrigin = await send(url, { headers: { ...ACCEPT, Origin: 'https://client.invalid' } });
  checkPageHeaders(report, headers, url, crossOrigin.headers);
  const page = { url, headers, html, redirectUri: waiting && client?.redirectUris[0] };
  if (status < 300) checkLoginForm(report, page);
  const isOwn = html.includes('id="login-form"');
  checkBlockedSources(report, page, `the login page ${pageNameOf(url)}`, isOwn);
}

function checkCookies(report: ReportFinding, headers: Headers, url: string): void {
  const cookies = headers.getSetCookie();
  if (cookies.length === 0)
    return report('note', 'cookie.unseen', {
      what: 'the login page sets no cookie before the login',
      why: 'The flags of the session cookie could not be seen.',
      cure: 'Log in with a browser and look: HttpOnly, Secure, SameSite.',
    });
  for (const cookie of cookies) {
    const [name = ''] = cookie.split('=', 1);
    const set = cookie.split(';').slice(1);
    for (const { flag, severity, isSet, why, cure } of COOKIE_FLAGS)
      if (!set.some((each) => isSet.test(each.trim())) && (flag !== 'Secure' || url.startsWith('https:')))
        report(severity, `cookie.${flag.toLowerCase()}`, {
          what: `the cookie ${name} of the login page has no ${flag}`,
          why,
          cure,
        });
  }
}
