import { Passport } from 'passport';
import type { Page } from 'playwright-core';

import { createUsers, localLogin } from '../../lib/index.js';
import { mergeOptions } from './merge-options.js';
import { hostSession, openSite, type Site, type SiteOptions } from './site.js';

/** A whole site with the bundled login, for a browser: `http://localhost:<port>`. */
export interface PagesSite extends Site {
  /** The page of a client that waits for its answer, on this site: `/callback` shows the result. */
  readonly callback: string;
}

export const PERSON = { username: 'ada', password: 'correct horse battery', name: 'Ada Lovelace' };
export const OTHER_PERSON = { username: 'grace', password: 'nanoseconds of wire', name: 'Grace Hopper' };

/** Logs in on the login page of the package, or on one with its ids. */
export async function submitLogin(
  page: Page,
  { username, password }: { readonly username: string; readonly password: string } = PERSON,
): Promise<void> {
  await page.fill('#username', username);
  await page.fill('#password', password);
  await page.click('#login-submit');
}

/** The address of an authorization request of a client. */
export function requestOf(
  { url }: { readonly url: string },
  clientId: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const parameters = new URLSearchParams({ response_type: 'code', client_id: clientId, ...query });
  return `${url}/oauth/authorize?${parameters.toString()}`;
}

export async function openPagesSite({
  personName,
  ...options
}: SiteOptions & { readonly personName?: string } = {}): Promise<PagesSite> {
  const defaults = {
    siteName: 'Lantern Photos',
    scopes: {
      profile: { description: 'See your name', optional: false },
      'photos:read': 'See your photos',
      'photos:write': 'Add photos to your album',
      'friends:read': 'See who your friends are',
    },
    security: { rateLimits: false },
    onError: () => undefined,
  } satisfies SiteOptions;
  const site = await openSite({
    ...mergeOptions(defaults, options),
    hostname: 'localhost',
    async mountHost(app, connection) {
      const users = createUsers(connection, { rounds: 4 });
      await users.create({ ...PERSON, ...(personName !== undefined && { name: personName }) });
      await users.create(OTHER_PERSON);
      const passport = new Passport();
      app.use(hostSession(), passport.session(), localLogin({ passport, users }));
    },
  });
  site.app.get('/callback', (_req, res) =>
    res.send('<!doctype html><html lang="en"><title>Client</title><p id="back">back at the client</p>'),
  );
  site.app.get('/', (req, res) =>
    res.send(
      `<!doctype html><html lang="en"><title>Home</title><p id="who">${req.user === undefined ? 'nobody' : 'somebody'}</p>`,
    ),
  );
  const callback = `${site.url}/callback`;
  return {
    ...site,
    callback,
    /** A client that waits there. */
    client: (more) =>
      site.oauth.clients.create({ name: 'Inkwell Printing Shop', redirectUris: [callback], ...more }),
  };
}
