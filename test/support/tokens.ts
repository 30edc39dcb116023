import { createHash, randomBytes } from 'node:crypto';

import request, { type Response, type Test } from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { type Choice, createPerson, type Query } from './person.js';
import { REDIRECT_URI, type Site } from './site.js';

export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** POST /oauth/token without credentials in the header. */
export function postToken(site: Site, fields: Fields): Test {
  return request(site.server).post('/oauth/token').type('form').send(withoutUndefined(fields));
}

/** POST /oauth/token by the client, with HTTP Basic if it has a secret. */
export function tokenRequest(site: Site, client: ClientWithSecret, fields: Fields): Test {
  if (client.clientSecret === undefined) return postToken(site, { client_id: client.clientId, ...fields });
  return postToken(site, fields).set('Authorization', basic(client.clientId, client.clientSecret));
}

/** POST of a form to another endpoint by the client, with HTTP Basic. */
export function clientRequest(site: Site, client: ClientWithSecret, path: string, fields: object): Test {
  const context = request(site.server).post(path).type('form');
  return context.set('Authorization', basic(client.clientId, client.clientSecret ?? '')).send(fields);
}

export function basic(clientId: string, clientSecret: string): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')}`;
}

function withoutUndefined(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** RFC 7636 §4.1, §4.2 */
export function createPkce(): {
  code_verifier: string;
  challenge: { code_challenge: string; code_challenge_method: string };
} {
  const verifier = randomBytes(32).toString('base64url');
  return {
    code_verifier: verifier,
    challenge: {
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    },
  };
}

export interface CodeOptions {
  readonly query?: Query;
  readonly choice?: Choice;
  readonly as?: string;
}

/** A fresh authorization code: a user logs in and allows the request. */
export async function obtainCode(
  site: Site,
  client: ClientWithSecret,
  { query = {}, choice, as }: CodeOptions = {},
): Promise<string> {
  const person = createPerson(site);
  await person.logIn(as);
  const location = await person.authorize(
    { response_type: 'code', client_id: client.clientId, redirect_uri: REDIRECT_URI, state: 'xyz', ...query },
    choice,
  );
  const code = location.searchParams.get('code');
  if (code === null) throw new Error(`no code in ${location.href}`);
  return code;
}

/** Redeems a code that was requested with REDIRECT_URI. */
export function redeem(site: Site, client: ClientWithSecret, code: string, fields: Fields = {}): Test {
  return tokenRequest(site, client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    ...fields,
  });
}

export function refreshTokens(
  site: Site,
  client: ClientWithSecret,
  token: string,
  fields: Fields = {},
): Test {
  return tokenRequest(site, client, { grant_type: 'refresh_token', refresh_token: token, ...fields });
}

export interface ObtainedTokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
  /** Present if the scope has `openid`. */
  readonly id_token: string;
}

/** The whole code flow of a confidential client: the token response's body. */
export async function obtainTokens(
  site: Site,
  client: ClientWithSecret,
  options?: CodeOptions,
): Promise<ObtainedTokens> {
  const response = await redeem(site, client, await obtainCode(site, client, options));
  if (response.status !== 200) throw new Error(`no tokens but ${response.status}: ${response.text}`);
  return response.body;
}

/** Finds the stored grant of a code or token, which contains its id after the prefix. */
export function whoseGrantIs(secret: string): { readonly _id: never } {
  return { _id: secret.slice(7, 29) as never };
}

/** The introspection response for a client that may introspect (RFC 7662 §2.2). */
export async function introspectAs(
  site: Site,
  client: ClientWithSecret,
  token: string,
): Promise<Record<string, unknown>> {
  return (await clientRequest(site, client, '/oauth/introspect', { token })).body as Record<string, unknown>;
}

/** GET of a guarded route with a token. */
export function callApi(site: Site, token: string, path = '/api/me'): Promise<Response> {
  return request(site.server).get(path).set('Authorization', `Bearer ${token}`);
}
