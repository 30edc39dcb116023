import { Pool, type PoolAnswer, type PoolRequest } from 'undici';

import type { ContenderDescription } from './contender.js';

export type TokenFormat = 'opaque' | 'jwt';
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
}

/** An application of the authorization server under load. Each method is one request, whose answer it checks. */
export interface Client {
  readonly site: ContenderDescription;
  clientCredentials(format: TokenFormat): Promise<Tokens>;
  /** Resolves to the code. */
  authorize(): Promise<string>;
  redeem(code: string): Promise<Tokens>;
  refresh(refreshToken: string): Promise<Tokens>;
  callApi(path: string, accessToken: string): Promise<void>;
  introspect(accessToken: string): Promise<void>;
  close(): Promise<void>;
}

/** An answer that is not the expected one: no figure is told of a server that gives it. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

const FORM = 'application/x-www-form-urlencoded';
const STATE = 'of-the-benchmark';
/** RFC 7636 Appendix B */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** `connections` to the server, each used by one request at a time. */
export function createClient(site: ContenderDescription, connections: number): Client {
  const pool = new Pool(site.url, { connections, pipelining: 1 });
  const { paths, client, redirectUri, scope } = site;
  const basic = `Basic ${Buffer.from(`${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`).toString('base64')}`;
  const formHeaders = { authorization: basic, 'content-type': FORM, accept: 'application/json' };
  const formatForm = (form: Readonly<Record<string, string>>) => new URLSearchParams(form).toString();
  const authorizePath = `${paths.authorize}?${formatForm({ response_type: 'code', client_id: client.id, redirect_uri: redirectUri, scope: site.authorizationScope ?? scope, state: STATE, code_challenge: CHALLENGE, code_challenge_method: 'S256' })}`;
  const credentials = (more: object) => formatForm({ grant_type: 'client_credentials', scope, ...more });
  const credentialsForms = { opaque: credentials({}), jwt: credentials(site.jwtParameters ?? {}) };

  const post = async (path: string, body: string) => {
    const request = { path, method: 'POST', headers: formHeaders, body };
    return readJson(request, await pool.request(request));
  };
  const token = async (body: string, format: TokenFormat, withRefreshToken: boolean): Promise<Tokens> => {
    const answer = await post(paths.token, body);
    const { access_token: accessToken, refresh_token: refreshToken, token_type: type } = answer;
    const isRight =
      typeof accessToken === 'string' &&
      String(type).toLowerCase() === 'bearer' &&
      JWT.test(accessToken) === (format === 'jwt');
    if (!isRight)
      throw new WrongAnswer(`POST ${paths.token}: no ${format} bearer token in ${excerpt(answer)}`);
    if (withRefreshToken && typeof refreshToken !== 'string')
      throw new WrongAnswer(`POST ${paths.token}: no refresh token in ${excerpt(answer)}`);
    return { accessToken, refreshToken: refreshToken as string | undefined };
  };

  return {
    site,
    clientCredentials: (format) => token(credentialsForms[format], format, false),
    async authorize() {
      const answer = await pool.request({
        path: authorizePath,
        method: 'GET',
        headers: { cookie: site.cookie },
      });
      await answer.body.text();
      const location = answer.headers.location;
      const code =
        typeof location === 'string' && location.startsWith(`${redirectUri}?`)
          ? new URL(location).searchParams.get('code')
          : null;
      if (![302, 303].includes(answer.statusCode) || code === null)
        throw new WrongAnswer(
          `GET ${paths.authorize}: no redirect with a code but ${answer.statusCode} ${String(location)}`,
        );
      return code;
    },
    redeem: (code) =>
      token(
        formatForm({
          grant_type: 'authorization_code',
          code,
          redirect_uri: redirectUri,
          code_verifier: VERIFIER,
        }),
        'opaque',
        true,
      ),
    async refresh(refreshToken) {
      const tokens = await token(
        formatForm({ grant_type: 'refresh_token', refresh_token: refreshToken }),
        'opaque',
        true,
      );
      if (tokens.refreshToken === refreshToken && site.isConstant !== true)
        throw new WrongAnswer(`POST ${paths.token}: the refresh token was not rotated`);
      return tokens;
    },
    async callApi(path, accessToken) {
      const request = { path, method: 'GET', headers: { authorization: `Bearer ${accessToken}` } };
      const answer = await readJson(request, await pool.request(request));
      if (typeof answer.photosOf !== 'string' || answer.photosOf === '')
        throw new WrongAnswer(`GET ${path}: no photos in ${excerpt(answer)}`);
    },
    async introspect(accessToken) {
      const path = paths.introspect ?? '';
      const answer = await post(path, formatForm({ token: accessToken }));
      if (answer.active !== true || answer.client_id !== client.id)
        throw new WrongAnswer(`POST ${path}: not the active token in ${excerpt(answer)}`);
    },
    close: () => pool.close(),
  };
}

async function readJson({ method, path }: PoolRequest, answer: PoolAnswer): Promise<Record<string, unknown>> {
  const text = await answer.body.text();
  if (answer.statusCode !== 200)
    throw new WrongAnswer(`${method} ${path}: ${answer.statusCode} instead of 200: ${text.slice(0, 300)}`);
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new WrongAnswer(`${method} ${path}: no JSON: ${text.slice(0, 300)}`);
  }
}

function excerpt(value: unknown): string {
  return JSON.stringify(value).slice(0, 300);
}
