import type { Response } from 'supertest';

import type { ClientWithSecret, NewClient } from '../../lib/index.js';
import { createTestKey, JWT_BEARER, signAssertion, type TestKey } from './assertions.js';
import { type ProofKey, prove } from './dpop.js';
import { createPerson } from './person.js';
import { push } from './pushed-requests.js';
import { REDIRECT_URI, type Site } from './site.js';
import { createPkce, type Fields, postToken } from './tokens.js';

/** A client that fulfils a profile, and can leave out any part of it. */
export interface FapiClient {
  readonly site: Site;
  readonly client: ClientWithSecret;
  /** Signs its assertions and requests. */
  readonly key: TestKey;
}

export async function createFapiClient(site: Site, options: Partial<NewClient> = {}): Promise<FapiClient> {
  const key = await createTestKey();
  const client = await site.client({
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    tokenEndpointAuthMethod: 'private_key_jwt',
    jwks: { keys: [key.publicJwk] },
    ...options,
  });
  return { site, client, key };
}

/** The proof of the client's identity. */
export async function credentialsOf(
  { site, client, key }: FapiClient,
  options?: Parameters<typeof signAssertion>[3],
): Promise<Fields> {
  return {
    client_assertion_type: JWT_BEARER,
    client_assertion: await signAssertion(site, client.clientId, key, options),
  };
}

/** Pushes a request that is valid except for these fields. */
export async function pushAs(fapi: FapiClient, fields: Fields = {}): Promise<Response> {
  const right = { ...createPkce().challenge, ...(await credentialsOf(fapi)) };
  return push(fapi.site, fapi.client, { ...right, ...fields });
}

/** Requests tokens with an assertion, and with a proof if there is a key for one. */
export async function askAs(fapi: FapiClient, fields: Fields, by?: ProofKey): Promise<Response> {
  const sent = postToken(fapi.site, { ...(await credentialsOf(fapi)), ...fields });
  return by === undefined ? sent : sent.set('DPoP', await prove(by, 'POST', `${fapi.site.url}/oauth/token`));
}

/** The whole way, from a pushed request to the answer of the authorization endpoint. */
export async function authorizeAs(fapi: FapiClient, fields: Fields = {}) {
  const { challenge, code_verifier } = createPkce();
  const { body } = await pushAs(fapi, { ...challenge, ...fields });
  const person = createPerson(fapi.site);
  await person.logIn();
  const query = {
    client_id: fapi.client.clientId,
    request_uri: (body as { request_uri: string }).request_uri,
  };
  const location = await person.authorize(query);
  return { location, code_verifier, code: location.searchParams.get('code') ?? '' };
}

export const redeemAs = (
  fapi: FapiClient,
  { code, code_verifier }: { readonly code: string; readonly code_verifier: string },
  by?: ProofKey,
): Promise<Response> =>
  askAs(fapi, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier }, by);
