import type { Page, Request } from 'playwright-core';

import { debuggerOf } from './launch-chromium.js';

/** Stops requests away from the site before they reach a network, also after redirects, which `page.route` misses. */
export async function stopDepartures(page: Page, site: string): Promise<void> {
  const session = await debuggerOf(page);
  session.on('Fetch.requestPaused', ({ requestId, request: { url } }) => {
    const decided = isOnSite(url, site)
      ? session.send('Fetch.continueRequest', { requestId })
      : session.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionRefused' });
    // the page may be closed by now
    decided.catch(() => undefined);
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*', resourceType: 'Document' }] });
}

/**
 * The request with which the browser next leaves the site, even to an app. Rejects if a Content-Security-Policy refuses
 * anything before that.
 */
export function departureOf(page: Page, site: string): Promise<Request> {
  const refused = page
    .waitForEvent('console', (message) => message.text().includes('Content Security Policy'))
    .then((message): never => {
      throw new Error(message.text());
    });
  const departure = Promise.race([page.waitForRequest((request) => !isOnSite(request.url(), site)), refused]);
  // it may come before anybody waits for it
  departure.catch(() => undefined);
  return departure;
}

function isOnSite(url: string, site: string): boolean {
  return url.startsWith(`${site}/`);
}
