import { type JWTHeaderParameters, SignJWT } from 'jose';

import type { ClientWithSecret, NewClient } from '../../lib/index.js';
import { now, type TestKey } from './assertions.js';
import { REDIRECT_URI, type Site } from './site.js';

export interface RequestObjectOptions {
  /** Replaces or adds to the claims of a valid object; undefined removes a claim. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Partial<JWTHeaderParameters>;
}

/** A client with a secret, and a key to sign its requests with. */
export function signingClient(
  site: Pick<Site, 'client'>,
  { publicJwk }: Pick<TestKey, 'publicJwk'>,
  more: Partial<NewClient> = {},
): Promise<ClientWithSecret> {
  return site.client({
    tokenEndpointAuthMethod: 'client_secret_basic',
    jwks: { keys: [publicJwk] },
    trusted: true,
    ...more,
  });
}

/** A valid request object of the client for the site (RFC 9101 §4), except for the changes in the options. */
export function signRequest(
  site: Pick<Site, 'url'>,
  clientId: string,
  key: Pick<TestKey, 'alg' | 'publicJwk'> & { readonly privateKey: Parameters<SignJWT['sign']>[0] },
  { claims = {}, header }: RequestObjectOptions = {},
): Promise<string> {
  const all = {
    iss: clientId,
    aud: site.url,
    iat: now(),
    exp: now() + 60,
    client_id: clientId,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: 'photos:read',
    state: 'of the object',
    ...claims,
  };
  const kid = key.publicJwk.kid;
  return new SignJWT(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))
    .setProtectedHeader({
      alg: key.alg,
      typ: 'oauth-authz-req+jwt',
      ...(kid !== undefined && { kid }),
      ...header,
    })
    .sign(key.privateKey);
}
