import type { AnsweredPage } from './blocked-sources.js';
import { allows, directivesOf } from './content-policies.js';
import type { ReportFinding } from './finding.js';

/** The response with the login page, and the request that led to it. */
export interface LoginPage extends AnsweredPage {
  /** The redirect URI of the waiting client, if there was a request. */
  readonly redirectUri: string | undefined;
}

/** An example of a client's origin. RFC 2606 §2 */
const SOME_CLIENT = 'https://client.invalid/';
const PASSWORD = /type=["']?password/i;
/** A link to another login, such as "Log in with Google". */
const LINK = /<a\b[^>]*\shref=["']?[^"'\s>#]/i;

/** The address of a page without its long query. */
export function pageNameOf(url: string): string {
  return url.split('?')[0] ?? url;
}

/** Finds obstacles on the way from the login back to the client. */
export function checkLoginForm(report: ReportFinding, page: LoginPage): void {
  const { url, headers, html, redirectUri } = page;
  const name = pageNameOf(url);
  const { origin } = new URL(url);

  // the bundled page extends its policy for the client of the request: without a request there is nothing to check
  const isBundled = html.includes('id="login-form"');
  const target = redirectUri ?? (isBundled ? undefined : SOME_CLIENT);
  const refusing =
    target === undefined
      ? undefined
      : directivesOf(headers, 'form-action').find((sources) => !allows(sources, target, origin));
  if (refusing !== undefined)
    report(redirectUri === undefined ? 'note' : 'serious', 'page.form-action', {
      what: `the Content-Security-Policy of the login page ${name} has form-action ${refusing.join(' ')}, which stops the way on to ${redirectUri ?? 'clients'}`,
      why: 'Chromium and Safari hold every redirect after a form to it: who has allowed a client before goes from the login straight on to it, and nothing happens.',
      cure:
        redirectUri === undefined
          ? 'No client waited for this page, so nobody could see whether oauth.loginPage widens it: register a client (clients create), and run doctor again.'
          : isBundled
            ? 'This page sets its own policy, so something of yours changes the header afterwards (a proxy, a middleware): leave the form-action of this page as it is.'
            : "Put oauth.loginPage before it: app.use('/login', oauth.loginPage). It widens form-action by the client that waits, and by nothing else.",
    });

  // with the return cookie, any page after the login leads back; without it, the form must keep the return path
  const forms = html.match(/<form\b[^>]*>[^]*?(<\/form>|$)/gi) ?? [];
  const form = (forms.find((text) => PASSWORD.test(text)) ?? forms[0])?.replaceAll('&amp;', '&');
  if (form === undefined) {
    // an external login returns by a redirect, which needs no form
    report((!LINK.test(html) || PASSWORD.test(html)) && 'note', 'login.script', {
      what: `the login page ${name} has no form that could be seen`,
      why: 'People go on to the client from the first page that they open after the login: a script that logs them in opens none.',
      cure: 'Answer it with oauth.takeReturnPath(req, res), and let it go there: location.assign(goTo).',
    });
    return;
  }
  const [, action = ''] = /^<form\b[^>]*?\saction=["']?([^"'\s>]*)/i.exec(form) ?? [];
  const elsewhere = URL.canParse(action, url) ? new URL(action, url).origin : origin;
  if (elsewhere !== origin)
    return reportElsewhere(report, `the form of the login page ${name} is sent to ${elsewhere}`);
}

/** An external login cannot be checked from here, and no cookie of this site brings users back from there. */
export function reportElsewhere(report: ReportFinding, what: string): void {
  report('note', 'login.elsewhere', {
    what: `${what}, which is not looked at`,
    why: 'A login that ends there leaves the client waiting, unless it leads back: users go on to the client from a page of this site.',
    cure: 'Let it end at the URL in return_to, or at any page of this site.',
  });
}
