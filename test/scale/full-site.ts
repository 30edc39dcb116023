import { DEVICE_GRANT_TYPES } from '../support/device.js';
import { mergeOptions } from '../support/merge-options.js';
import { openSite, type Site, type SiteOptions } from '../support/site.js';
import { WEBHOOKS } from './webhooks.js';

export const JWT_API = 'https://albums.example';

/** So high that it is no limit. */
export const MANY = 100_000;

/** A site with every feature switched on. */
export async function openFullSite(options: SiteOptions = {}): Promise<Site> {
  const full: SiteOptions = {
    grantTypes: [...DEVICE_GRANT_TYPES, 'client_credentials', 'password', 'implicit'],
    resources: { [JWT_API]: { accessTokenFormat: 'jwt' } },
    registration: { open: true },
    audit: { ttl: 86_400 },
    tokens: { reuseGrace: 'untilUsed', migrated: true },
    pushedRequests: true,
    dpop: true,
    webhooks: WEBHOOKS,
    personalAccessTokens: { serviceTokens: true },
    openid: { claims: () => ({}) },
    // no document stays fresh
    clientIdMetadataDocuments: { allowLoopback: true },
    clientAuthentication: { secretKey: 'a key of the test, of 32 characters' },
    people: { findByName: (text) => ({ id: text }) },
    applications: {
      isAdministrator: ({ user }) => (user as unknown as { id: string } | undefined)?.id === 'grace',
    },
    // on, so that failures are counted, but never reached
    security: { rateLimits: { token: MANY, login: MANY, registration: MANY } },
  };
  const site = await openSite(mergeOptions(full, options));
  site.app.get('/albums', site.oauth.guard({ resource: JWT_API }), (req, res) => res.json(req.auth));
  return site;
}
