import { apiClient, playgroundClient } from '../clients.js';
import type { Header } from '../http.js';
import { proofHeader } from '../proofs.js';
import { type Answer, exchange } from '../runs.js';
import type { StepContext } from './flow.js';

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret?: string;
}

export interface TokenRequest {
  readonly title: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Default: the playground, with its secret. */
  readonly client?: Credentials;
  readonly headers?: readonly Header[];
}

/** Sends a token request, and stores its response for later steps. */
export async function requestToken(
  context: StepContext,
  { title, parameters, client = playgroundClient, headers: more = [] }: TokenRequest,
): Promise<Answer> {
  const { run, server, step } = context;
  const { clientId, clientSecret } = client;
  const headers = [...(clientSecret === undefined ? [] : [basic(clientId, clientSecret)]), ...more];
  const form = new URLSearchParams(
    clientSecret === undefined ? { ...parameters, client_id: clientId } : parameters,
  );
  const answer = await exchange(run, {
    step,
    title,
    from: 'client',
    to: 'server',
    request: { method: 'POST', url: new URL(server.token_endpoint), headers, form },
  });
  const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken, scope } = answer.json;
  if (typeof idToken === 'string') run.values = { ...run.values, idToken };
  if (typeof scope === 'string') run.values = { ...run.values, scope };
  if (typeof accessToken === 'string') run.values = { ...run.values, accessToken };
  if (typeof refreshToken === 'string')
    run.values = { ...run.values, refreshToken, usedRefreshToken: run.values.refreshToken ?? '' };
  return answer;
}

/** Pushes an authorization request (RFC 9126), and stores its `request_uri`. */
export async function pushRequest(
  { run, server, step }: StepContext,
  { title, parameters, client = playgroundClient }: TokenRequest,
): Promise<Answer> {
  const { clientId, clientSecret = '' } = client;
  const answer = await exchange(run, {
    step,
    title,
    from: 'client',
    to: 'server',
    request: {
      method: 'POST',
      url: new URL(server.pushed_authorization_request_endpoint),
      headers: [basic(clientId, clientSecret)],
      form: new URLSearchParams({ ...parameters, client_id: clientId }),
    },
  });
  const { request_uri: requestUri } = answer.json;
  if (typeof requestUri === 'string') run.values = { ...run.values, requestUri };
  return answer;
}

/** Opens another party's link with the cookies of the visitor's browser. */
export function browse({ run, step, cookies }: StepContext, title: string, url: URL): Promise<Answer> {
  const headers: Header[] = [
    ['Accept', 'text/html'],
    ['Cookie', cookies],
  ];
  return exchange(run, {
    step,
    title,
    from: 'browser',
    to: 'server',
    request: { method: 'GET', url, headers },
  });
}

export interface ApiCall {
  /** Default: `/api/me`. */
  readonly path?: string;
  /** Makes the call a POST. */
  readonly form?: URLSearchParams;
  /** Default: the newest access token; empty: none. */
  readonly token?: string;
  /** The proof for a token of type DPoP. */
  readonly proof?: string;
}

/** Calls the photo site's API with the newest access token. */
export function callApi(
  { run, issuer, step }: StepContext,
  title: string,
  { path = '/api/me', form, proof, token = run.values.accessToken ?? '' }: ApiCall = {},
): Promise<Answer> {
  const scheme = proof === undefined ? 'Bearer' : 'DPoP';
  const headers: Header[] = token === '' ? [] : [['Authorization', `${scheme} ${token}`]];
  if (proof !== undefined) headers.push(proofHeader(proof));
  const method = form === undefined ? 'GET' : 'POST';
  return exchange(run, {
    step,
    title,
    from: 'client',
    to: 'api',
    request: { method, url: new URL(path, issuer), headers, ...(form && { form }) },
  });
}

/** Introspects the newest access token, in the role of an API (RFC 7662). */
export async function introspect({ run, server, step }: StepContext, title: string): Promise<Answer> {
  const form = new URLSearchParams({ token: run.values.accessToken ?? '' });
  const headers = [basic(apiClient.clientId, apiClient.clientSecret)];
  const answer = await exchange(run, {
    step,
    title,
    from: 'api',
    to: 'server',
    request: { method: 'POST', url: new URL(server.introspection_endpoint), headers, form },
  });
  if (answer.status === 200)
    run.values = { ...run.values, introspection: JSON.stringify(answer.json, null, 2) };
  return answer;
}

/** Revokes the refresh token, and with it all tokens of the grant (RFC 7009 §2.1). */
export function revoke({ run, server, step }: StepContext, title: string): Promise<Answer> {
  const form = new URLSearchParams({
    token: run.values.refreshToken ?? '',
    token_type_hint: 'refresh_token',
  });
  const headers = [basic(playgroundClient.clientId, playgroundClient.clientSecret)];
  return exchange(run, {
    step,
    title,
    from: 'client',
    to: 'server',
    request: { method: 'POST', url: new URL(server.revocation_endpoint), headers, form },
  });
}

/** RFC 6749 §2.3.1: both parts are form-encoded before they are joined. */
function basic(clientId: string, clientSecret: string): Header {
  return [
    'Authorization',
    `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`,
  ];
}
