import type { Test } from 'supertest';

import type { ClientWithSecret, NewClient } from '../../lib/index.js';
import type { Site } from './site.js';
import { type Fields, tokenRequest } from './tokens.js';

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

/** A client that may exchange tokens, named like its id. */
export function exchanger(site: Site, options: Partial<NewClient> = {}): Promise<ClientWithSecret> {
  return site.client({
    name: 'Print',
    grantTypes: [TOKEN_EXCHANGE],
    redirectUris: [],
    mayExchange: true,
    ...options,
  });
}

/** A client whose tokens the others may exchange, with users who log in. */
export function handingOn(
  site: Site,
  others: readonly ClientWithSecret[],
  options: Partial<NewClient> = {},
): Promise<ClientWithSecret> {
  return site.client({
    name: 'Photos',
    grantTypes: ['authorization_code', 'refresh_token'],
    mayAct: others.map(({ clientId }) => clientId),
    ...options,
  });
}

/** POST /oauth/token of a token exchange; an access token of this server unless the fields say otherwise. */
export function exchange(site: Site, client: ClientWithSecret, token: string, fields: Fields = {}): Test {
  return tokenRequest(site, client, {
    grant_type: TOKEN_EXCHANGE,
    subject_token: token,
    subject_token_type: ACCESS_TOKEN,
    ...fields,
  });
}

export async function exchanged(...given: Parameters<typeof exchange>): Promise<string> {
  const response = await exchange(...given);
  if (response.status !== 200) throw new Error(`no token but ${response.status}: ${response.text}`);
  return (response.body as { access_token: string }).access_token;
}
