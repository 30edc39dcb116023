import { authorizationServer, type AuthorizationServerOptions } from '../../lib/index.js';
import { connectionFor } from './database.js';
import { SCOPES, type Site } from './site.js';

/** Makes another server on the database of a site, and ignores its indexes; for `toThrow`. */
export function starting(
  { database }: Pick<Site, 'database'>,
  options: Partial<AuthorizationServerOptions>,
): () => unknown {
  const issuer = 'https://photos.example';
  return () =>
    authorizationServer({
      onError: () => undefined,
      issuer,
      connection: connectionFor(issuer, database.connection),
      scopes: SCOPES,
      login: '/login',
      ...options,
    });
}
