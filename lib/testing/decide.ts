import { checkForTests } from './for-tests.js';
import { createTestBrowser, formOf, type PageInTest, type TestBrowser } from './test-browser.js';

export interface PersonAtBrowser {
  /** The cookies of a logged-in user: a `Cookie` header, or the `Set-Cookie` headers of the login's response. */
  readonly cookie: string | readonly string[];
}

/**
 * A user opens a client's authorization request, allows everything in it, and is sent back to the client, through the
 * real pages with their cookies and forms. The site has to listen.
 *
 * @param authorizationUrl the URL to which the client sends users: `http://localhost:3000/oauth/authorize?client_id=…`
 * @returns the client's redirect URI with `code` and `state`, or with `error`
 * @throws Error if `NODE_ENV` is `production`, or a page other than the consent page is in between
 */
export async function allow(authorizationUrl: string | URL, person: PersonAtBrowser): Promise<URL> {
  return decide('allow', authorizationUrl, person);
}

/** A user denies a client's authorization request. @throws as `allow` */
export async function deny(authorizationUrl: string | URL, person: PersonAtBrowser): Promise<URL> {
  return decide('deny', authorizationUrl, person);
}

async function decide(
  decision: 'allow' | 'deny',
  authorizationUrl: string | URL,
  { cookie }: PersonAtBrowser,
): Promise<URL> {
  checkForTests(decision);
  const browser = createTestBrowser(cookie);
  const url = new URL(authorizationUrl);
  const requested = await browser.open(url);
  // with a stored consent there is no consent page
  if (formOf(requested.text, 'consent-form') === undefined) return checkedEnd(decision, url, requested);
  const answer = await submitDecision(browser, requested, decision);
  // a request of high risk is confirmed on a second page
  const isPromptRepeated = formOf(answer.text, 'consent-form')?.fields.some(
    ([name]) => name === 'confirmation_token',
  );
  const end = isPromptRepeated === true ? await submitDecision(browser, answer, decision) : answer;
  return checkedEnd(decision, url, end);
}

function submitDecision(browser: TestBrowser, page: PageInTest, decision: string): Promise<PageInTest> {
  const form = formOf(page.text, 'consent-form', decision === 'allow' ? ['granted_scope', 'detail'] : []);
  const fields = (form?.fields ?? []).filter(([name]) => name !== 'decision');
  return browser.submit(new URL(form?.action || page.url, page.url), [...fields, ['decision', decision]]);
}

/** The URL of the redirect back to the client, or to another site. */
function checkedEnd(decision: string, from: URL, { url, status, text }: PageInTest): URL {
  if (status >= 300 && status < 400) return url;
  const visibleText = text
    .replaceAll(/<(style|script|title)[\s\S]*?<\/\1>|<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  throw new Error(
    `${decision}: ${from.pathname} led to ${url.pathname} (${status}), which is not the consent page: is the user logged in? It says: ${visibleText.slice(0, 300)}`,
  );
}
