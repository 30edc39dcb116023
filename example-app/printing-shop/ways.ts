import * as client from 'openid-client';

import { carefulShop, printingShop } from '../demo.js';
import { isLocal } from '../settings.js';
import { createPhotoSiteClient, type PhotoSiteClient, type Way } from './photo-site-client.js';
import type { ShopKeys } from './shop-keys.js';

export interface PhotoSiteOptions {
  readonly issuer: string;
  readonly redirectUri: string;
  readonly keys: ShopKeys;
}

/** The photo site by either way; a flow continues in its way, whatever the visitor chooses meanwhile. */
export function createPhotoSite({ issuer, redirectUri, keys }: PhotoSiteOptions): PhotoSiteClient {
  const { clientId, clientSecret } = printingShop;
  const authentication = client.ClientSecretBasic(clientSecret);
  const by = {
    plain: createPhotoSiteClient({ way: 'plain', issuer, redirectUri, clientId, authentication }),
    fapi2: createPhotoSiteClient({
      way: 'fapi2',
      issuer,
      redirectUri,
      clientId: carefulShop.clientId,
      authentication: client.PrivateKeyJwt(keys.own),
      tokenKey: keys.ofTokens,
    }),
  };
  return {
    startAuthorization: (options) => by[options.way].startAuthorization(options),
    finishAuthorization: (url, pending) => by[pending.way].finishAuthorization(url, pending),
    refresh: (tokens) => by[tokens.way].refresh(tokens),
    revoke: (tokens) => by[tokens.way].revoke(tokens),
    fetch: (url, tokens) => by[tokens.way].fetch(url, tokens),
  };
}

/** The ways that the visitor can choose; a remote photo site could not fetch the keys of a shop on this machine. */
export function waysTo(issuer: string): readonly Way[] {
  return isLocal({ issuer }) ? ['plain', 'fapi2'] : ['plain'];
}
