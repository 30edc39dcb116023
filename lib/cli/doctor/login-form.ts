import { carryText } from '../../core/http/carried-text.js';
import { allows, directivesOf } from './content-policies.js';
import { type Finding, finding } from './finding.js';

/** The login page as it was answered, and how it was reached. */
export interface LoginPage {
  readonly url: string;
  readonly headers: Headers;
  readonly html: string;
  /** Where the client of the request waits, if there was a request. */
  readonly redirectUri: string | undefined;
  /** Whether the browser was given the way back in a cookie; undefined if no request led here. */
  readonly keepsWayBack: boolean | undefined;
}

/** Finds what keeps users who log in here from getting back to the client. */
export function checkLoginForm(page: LoginPage): Finding[] {
  return [...formActionFindings(page), ...wayBackFindings(page)];
}

/** The address of a page without the query, which says at length who asks for what. */
export function pageNameOf(url: string): string {
  return url.split('?')[0] ?? url;
}

/** Stands for any client, if none is known. RFC 2606 §2 */
const SOME_CLIENT = 'https://client.invalid/';

/** The bundled page widens its policy for the client of the request: without a request there is nothing to see. */
function formActionFindings({ url, headers, html, redirectUri }: LoginPage): Finding[] {
  const isBundled = html.includes('id="login-form"');
  const target = redirectUri ?? (isBundled ? undefined : SOME_CLIENT);
  const isSeen = redirectUri !== undefined;
  const { origin } = new URL(url);
  const refusing =
    target === undefined
      ? undefined
      : directivesOf(headers, 'form-action').find((sources) => !allows(sources, { target, origin }));
  if (refusing === undefined) return [];
  return [
    finding(isSeen ? 'serious' : 'note', 'page.form-action', {
      what: `the Content-Security-Policy of the login page ${pageNameOf(url)} has form-action ${refusing.join(' ')}, which stops the way on to ${redirectUri ?? 'clients'}`,
      why: 'Chromium and Safari hold every redirect after a form to it: who has allowed a client before goes from the login straight on to it, and nothing happens.',
      cure: !isSeen
        ? 'No client waited for this page, so nobody could see whether oauth.loginPage widens it: register a client (clients create), and run doctor again.'
        : isBundled
          ? 'This page sets its own policy, so something of yours changes the header afterwards (a proxy, a middleware): leave the form-action of this page as it is.'
          : "Put oauth.loginPage before it: app.use('/login', oauth.loginPage). It widens form-action by the client that waits, and by nothing else.",
    }),
  ];
}

const PASSWORD = /type=["']?password/i;
/** A link to another login, such as "Log in with Google". */
const LINK = /<a\b[^>]*\shref=["']?[^"'\s>#]/i;

/** With the cookie, users go on from any page that the login opens; without it, the form must keep the way back. */
function wayBackFindings({ url, html, keepsWayBack }: LoginPage): Finding[] {
  const text = findForm(html);
  // a login elsewhere comes back by a redirect, from which users go on by themselves
  if (text === undefined && isOfLinks(html)) return [];
  if (text === undefined)
    return [
      finding('note', 'login.script', {
        what: `the login page ${pageNameOf(url)} has no form that could be seen`,
        why: 'People go on to the client from the first page that they open after the login: a script that logs them in opens none.',
        cure: 'Answer it with oauth.takeReturnPath(req, res), and let it go there: location.assign(goTo).',
      }),
    ];
  const elsewhere = originElsewhere(text, url);
  if (elsewhere !== undefined)
    return [endsElsewhere(`the form of the login page ${pageNameOf(url)} is sent to ${elsewhere}`)];
  if (keepsWayBack !== false || carriesQuery(text, url)) return [];
  return [
    finding('serious', 'login.return-path', {
      what: `the form of the login page ${pageNameOf(url)} drops the way back, and no cookie keeps it (advanced.resumeAfterLogin is false)`,
      why: 'Whoever logs in lands somewhere on the site, and the client waits for ever.',
      cure: 'Leave advanced: { resumeAfterLogin: false } out; or keep the query: <form method="post"> without action, or a hidden field with the path.',
    }),
  ];
}

/**
 * What happens at another origin cannot be seen from here, and no cookie of this site brings users back from there.
 */
export function endsElsewhere(what: string): Finding {
  return finding('note', 'login.elsewhere', {
    what: `${what}, which is not looked at`,
    why: 'A login that ends there leaves the client waiting, unless it leads back: users go on to the client from a page of this site.',
    cure: 'Let it end at the URL in return_to, or at any page of this site.',
  });
}

/** Another origin to which a form leads. */
function originElsewhere(form: string, url: string): string | undefined {
  const action = actionOf(form).replaceAll('&amp;', '&');
  if (!URL.canParse(action, url)) return undefined;
  const { origin } = new URL(action, url);
  return origin === new URL(url).origin ? undefined : origin;
}

/** The form with a password, or the first one. */
function findForm(html: string): string | undefined {
  const forms = html.match(/<form\b[^>]*>[^]*?(<\/form>|$)/gi) ?? [];
  return forms.find((text) => PASSWORD.test(text)) ?? forms[0];
}

/** Whether the page has nothing but links to other logins. */
function isOfLinks(html: string): boolean {
  return LINK.test(html) && !PASSWORD.test(html);
}

/** Whether the form sends on what is in the query of its page: in its own address, or in a field. */
function carriesQuery(form: string, url: string): boolean {
  if (actionOf(form) === '') return true;
  const text = form.replaceAll('&amp;', '&');
  return [...new URL(url).searchParams.values()].some(
    (value) =>
      value !== '' &&
      [value, encodeURIComponent(value), carryText(value)].some((written) => text.includes(written)),
  );
}

function actionOf(form: string): string {
  const [, action = ''] = /^<form\b[^>]*?\saction=["']?([^"'\s>]*)/i.exec(form) ?? [];
  return action;
}
