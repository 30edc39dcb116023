import { demoUser } from '../../../example-app/demo.js';
import { type BrowserPage, createHttpBrowser, type HttpBrowser } from './http-browser.js';

/** The demo user's browser, logged in at the photo site. */
export async function openLoggedInBrowser(
  issuer: string,
  options?: Parameters<typeof createHttpBrowser>[0],
): Promise<HttpBrowser> {
  const browser = createHttpBrowser(options);
  await logIn(browser, await browser.open(`${issuer}/login`));
  return browser;
}

export function logIn(browser: HttpBrowser, page: BrowserPage): Promise<BrowserPage> {
  return browser.submit(page, 'login-form', {
    fields: { username: demoUser.username, password: demoUser.password },
    button: 'login-submit',
  });
}

/** Opens an authorization request as the demo user and allows it; resolves to the URL of the callback. */
export async function authorize(
  issuer: string,
  authorizationUrl: string | URL,
  redirectUri: string,
): Promise<URL> {
  const browser = await openLoggedInBrowser(issuer, { stopAt: redirectUri });
  const page = await browser.open(authorizationUrl);
  return (
    page.status === 200 ? await browser.submit(page, 'consent-form', { button: 'consent-allow' }) : page
  ).url;
}
