import { randomUUID } from 'node:crypto';

import { SignJWT } from 'jose';
import type { Test } from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { createTestKey, now, type TestKey } from './assertions.js';
import { type Disposable, disposable } from './disposable.js';
import { type JwksServer, openJwksServer } from './jwks-server.js';
import type { Site } from './site.js';
import { type Fields, postToken, tokenRequest } from './tokens.js';

export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** The changes of a test in a token: claims (undefined removes one) and members of its header. */
export interface TokenChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: TestKey;
}

/** An issuer of tokens, shaped like GitHub or an identity provider, with its keys at a separate address. */
export interface TestIssuer extends Disposable {
  readonly issuer: string;
  readonly jwks: JwksServer;
  readonly jwksUri: string;
  readonly key: TestKey;
  sign(claims: Readonly<Record<string, unknown>>, changes?: TokenChanges): Promise<string>;
  close(): Promise<void>;
}

export async function openIssuer(issuer?: string): Promise<TestIssuer> {
  const jwks = await openJwksServer();
  const key = await createTestKey('RS256');
  jwks.json({ keys: [key.publicJwk] });
  const name = issuer ?? new URL(jwks.url).origin;
  return {
    ...disposable,
    issuer: name,
    jwks,
    jwksUri: jwks.url,
    key,
    sign(claims, { claims: changed = {}, header = {}, key: other = key } = {}) {
      const all = { iss: name, jti: randomUUID(), iat: now(), exp: now() + 300, ...claims, ...changed };
      const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
      const { kid } = other.publicJwk;
      return new SignJWT(given)
        .setProtectedHeader({ alg: other.alg, typ: 'JWT', ...(kid !== undefined && { kid }), ...header })
        .sign(other.privateKey);
    },
    close: () => jwks.close(),
  };
}

/** The claims of a job of GitHub Actions, for a site. */
export function jobClaims({ url: aud }: Pick<Site, 'url'>): Readonly<Record<string, unknown>> {
  return {
    aud,
    sub: 'repo:photos/site:ref:refs/heads/main',
    repository: 'photos/site',
    repository_owner: 'photos',
    ref: 'refs/heads/main',
    environment: 'production',
    event_name: 'push',
  };
}

/** POST /oauth/token with an assertion, without client credentials. */
export function present(site: Site, assertion: string, fields: Fields = {}): Test {
  return postToken(site, { grant_type: JWT_BEARER_GRANT, assertion, ...fields });
}

/** The same by a client that authenticates. */
export function presentAs(
  site: Site,
  client: ClientWithSecret,
  assertion: string,
  fields: Fields = {},
): Test {
  return tokenRequest(site, client, { grant_type: JWT_BEARER_GRANT, assertion, ...fields });
}
