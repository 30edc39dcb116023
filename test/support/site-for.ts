import { afterAll, beforeAll } from '@jest/globals';

import { openSite, type Site, type SiteOptions } from './site.js';

/**
 * The site of a file or a `describe`: opened before its tests and closed after them. A function makes options of what an
 * earlier `beforeAll` has set.
 */
export function siteFor(options: SiteOptions | (() => SiteOptions | Promise<SiteOptions>) = {}): Site {
  let site: Site;
  beforeAll(async () => {
    site = await openSite(typeof options === 'function' ? await options() : options);
  });
  afterAll(() => site.close());
  return {
    get app() {
      return site.app;
    },
    get server() {
      return site.server;
    },
    get url() {
      return site.url;
    },
    get oauth() {
      return site.oauth;
    },
    get database() {
      return site.database;
    },
    get errors() {
      return site.errors;
    },
    client: (overrides) => site.client(overrides),
    close: () => site.close(),
  };
}
