import { Pool, type PoolAnswer, type PoolRequest } from 'undici';

import type { ContenderDescription } from './contender.js';
import { createProver } from './proofs.js';

/** `stateless`: a JWT that is stored nowhere. */
export type TokenFormat = 'opaque' | 'jwt' | 'stateless';
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
}

/** An application of the authorization server under load. Each method is one request, whose answer it checks. */
export type Client = ReturnType<typeof createClient>;

export interface AuthorizeOptions {
  readonly requestUri?: string;
  /** Whether it signs the user in (OpenID Connect). */
  readonly isSignIn?: boolean;
}

/** An unexpected answer: a server that gives one gets no figures. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

const FORM = 'application/x-www-form-urlencoded';
const STATE = 'of-the-benchmark';
/** RFC 7636 Appendix B */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

const prover = createProver();

/** `connections` to the server, each used by one request at a time. */
export function createClient(site: ContenderDescription, connections: number) {
  const pool = new Pool(site.url, { connections, pipelining: 1 });
  const { paths, client, redirectUri, scope } = site;
  const basic = `Basic ${Buffer.from(`${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`).toString('base64')}`;
  const formHeaders = { authorization: basic, 'content-type': FORM, accept: 'application/json' };
  const formatForm = (form: Readonly<Record<string, string>>) => new URLSearchParams(form).toString();
  const requested = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    scope: site.authorizationScope ?? scope,
    state: STATE,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  };
  const authorizePath = `${paths.authorize}?${formatForm(requested)}`;
  const signInPath = `${paths.authorize}?${formatForm({ ...requested, scope: 'openid', nonce: STATE })}`;
  const pathOf = ({ requestUri, isSignIn = false }: AuthorizeOptions) =>
    requestUri === undefined
      ? isSignIn
        ? signInPath
        : authorizePath
      : `${paths.authorize}?${formatForm({ client_id: client.id, request_uri: requestUri })}`;
  const originOf = (path: string) => (path === paths.dpopJwtApi ? site.dpopJwtOrigin : undefined) ?? site.url;
  const codeForm = (code: string) =>
    formatForm({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: VERIFIER,
    });
  const credentials = (more: object) => formatForm({ grant_type: 'client_credentials', scope, ...more });
  const credentialsForms = {
    opaque: credentials({}),
    jwt: credentials(site.jwtParameters ?? {}),
    stateless: credentials(site.statelessParameters ?? {}),
  };

  const post = async (path: string, body: string, { proof, status }: PostOptions = {}) => {
    const headers = proof === undefined ? formHeaders : { ...formHeaders, dpop: proof };
    const request = { path, method: 'POST', headers, body };
    return readJson(request, await pool.request(request), status);
  };
  const token = async (
    body: string,
    format: TokenFormat,
    { hasRefreshToken = true, hasIdToken = false, proof }: Expected = {},
  ): Promise<Tokens> => {
    const answer = await post(paths.token, body, { proof });
    const { access_token: accessToken, refresh_token: refreshToken, token_type: type } = answer;
    const isRight =
      typeof accessToken === 'string' &&
      String(type).toLowerCase() === (proof === undefined ? 'bearer' : 'dpop') &&
      JWT.test(accessToken) === (format !== 'opaque');
    if (!isRight) throw new WrongAnswer(`POST ${paths.token}: no ${format} token in ${excerpt(answer)}`);
    if (hasIdToken && !JWT.test(String(answer.id_token)))
      throw new WrongAnswer(`POST ${paths.token}: no ID token in ${excerpt(answer)}`);
    if (hasRefreshToken && typeof refreshToken !== 'string')
      throw new WrongAnswer(`POST ${paths.token}: no refresh token in ${excerpt(answer)}`);
    return { accessToken, refreshToken: refreshToken as string | undefined };
  };

  return {
    site,
    /** With a proof the token is bound to its key. */
    clientCredentials: (format: TokenFormat, proof?: string) =>
      token(credentialsForms[format], format, { hasRefreshToken: false, proof }),
    /** Pushes the authorization request; resolves to its `request_uri`. */
    async push() {
      const path = paths.par ?? '';
      const answer = await post(path, formatForm(requested), { status: 201 });
      if (typeof answer.request_uri !== 'string')
        throw new WrongAnswer(`POST ${path}: no request_uri in ${excerpt(answer)}`);
      return answer.request_uri;
    },
    /** Resolves to the code. */
    async authorize(how: AuthorizeOptions = {}) {
      const answer = await pool.request({
        path: pathOf(how),
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
    redeem: (code: string) => token(codeForm(code), 'opaque'),
    /** The same for a code of a sign-in, with an ID token. Here each server decides whether there is a refresh token. */
    signIn: (code: string) => token(codeForm(code), 'opaque', { hasRefreshToken: false, hasIdToken: true }),
    async userinfo(accessToken: string) {
      const path = paths.userinfo ?? '';
      const request = { path, method: 'GET', headers: { authorization: `Bearer ${accessToken}` } };
      const answer = await readJson(request, await pool.request(request));
      if (answer.sub !== site.userId)
        throw new WrongAnswer(`GET ${path}: not the person in ${excerpt(answer)}`);
    },
    async refresh(refreshToken: string) {
      const tokens = await token(
        formatForm({ grant_type: 'refresh_token', refresh_token: refreshToken }),
        'opaque',
      );
      if (tokens.refreshToken === refreshToken && site.isConstant !== true)
        throw new WrongAnswer(`POST ${paths.token}: the refresh token was not rotated`);
      return tokens;
    },
    /** For the token endpoint, or with a token for that path of the API. */
    prove: (api?: { readonly path: string; readonly accessToken: string }) =>
      api === undefined
        ? prover.prove('POST', site.url + paths.token)
        : prover.prove('GET', originOf(api.path) + api.path, api.accessToken),
    async callApi(path: string, accessToken: string, proof?: string) {
      const headers: Record<string, string> =
        proof === undefined
          ? { authorization: `Bearer ${accessToken}` }
          : { authorization: `DPoP ${accessToken}`, dpop: proof };
      const request = { path, method: 'GET', headers };
      const answer = await readJson(request, await pool.request(request));
      if (typeof answer.photosOf !== 'string' || answer.photosOf === '')
        throw new WrongAnswer(`GET ${path}: no photos in ${excerpt(answer)}`);
    },
    async introspect(accessToken: string) {
      const path = paths.introspect ?? '';
      const answer = await post(path, formatForm({ token: accessToken }));
      if (answer.active !== true || answer.client_id !== client.id)
        throw new WrongAnswer(`POST ${path}: not the active token in ${excerpt(answer)}`);
    },
    close: () => pool.close(),
  };
}

interface PostOptions {
  readonly proof?: string | undefined;
  readonly status?: number;
}

/** The required members of a token response. */
interface Expected {
  readonly hasRefreshToken?: boolean;
  readonly hasIdToken?: boolean;
  readonly proof?: string | undefined;
}

async function readJson(
  { method, path }: PoolRequest,
  answer: PoolAnswer,
  status = 200,
): Promise<Record<string, unknown>> {
  const text = await answer.body.text();
  if (answer.statusCode !== status)
    throw new WrongAnswer(
      `${method} ${path}: ${answer.statusCode} instead of ${status}: ${String(answer.headers['www-authenticate'])} ${text.slice(0, 300)}`,
    );
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new WrongAnswer(`${method} ${path}: no JSON: ${text.slice(0, 300)}`);
  }
}

function excerpt(value: unknown): string {
  return JSON.stringify(value).slice(0, 300);
}
