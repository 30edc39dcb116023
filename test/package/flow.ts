import { createHash, randomBytes } from 'node:crypto';

import { createVisitor, type Visitor } from './visitor.js';

/** The output of a scratch host. */
export interface ScratchSite {
  readonly issuer: string;
  readonly userId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const REDIRECT_URI = 'https://print.example/callback';
const PERSON = { username: 'ada', password: 'correct horse' };

/** All functions of a site: a code, tokens, a refresh, a device, another account, a revocation; and its refusals. */
export async function walkThrough(site: ScratchSite): Promise<void> {
  const visitor = createVisitor({ stopAt: REDIRECT_URI });
  const { refresh_token: refreshToken = '' } = await obtainToken(site, visitor);
  expectEqual((await post(site, 'token', { grant_type: 'authorization_code', code: 'x' })).status, 400);
  const wrong = { grant_type: 'refresh_token', refresh_token: refreshToken };
  expectEqual((await post({ ...site, clientSecret: 'wrong' }, 'token', wrong)).status, 401);
  const refreshed = await post(site, 'token', { grant_type: 'refresh_token', refresh_token: refreshToken });
  const { access_token: token = '' } = refreshed.body;
  expectEqual([refreshed.status, (await callApi(site, token))[0]], [200, 200]);
  await connectDevice(site, visitor);
  await switchAccount(site, visitor);
  expectEqual((await post(site, 'revoke', { token })).status, 200);
  expectEqual((await callApi(site, token))[0], 401);
}

/** A device asks for a code, is allowed by the person in their browser, and gets its tokens. (RFC 8628) */
async function connectDevice(site: ScratchSite, visitor: Visitor): Promise<void> {
  const { body: requested } = await post(site, 'device_authorization', { scope: 'photos:read' });
  const page = await visitor.open(requested.verification_uri_complete ?? '');
  const consent = await visitor.submit(page, { user_code: requested.user_code ?? '' }, 'device-form');
  await visitor.submit(consent, { decision: 'allow' }, 'consent-form');
  const { status, body } = await post(site, 'token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: requested.device_code ?? '',
  });
  expectEqual([status, (await callApi(site, body.access_token ?? ''))[0]], [200, 200]);
}

/** Ends the login on a page of the package, logs in again, and continues to the client, which was allowed before. */
async function switchAccount({ issuer, clientId }: ScratchSite, visitor: Visitor): Promise<void> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    prompt: 'login',
  });
  const account = await visitor.open(`${issuer}/oauth/authorize?${query.toString()}`);
  const login = await visitor.submit(account, { account: 'switch' }, 'account-form');
  const { url } = await visitor.submit(login, PERSON, 'login-form');
  expectEqual([url.href.startsWith(REDIRECT_URI), url.searchParams.has('code')], [true, true]);
}

async function post(
  { issuer, clientId, clientSecret }: ScratchSite,
  endpoint: string,
  fields: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly body: Partial<Record<string, string>> }> {
  const response = await fetch(`${issuer}/oauth/${endpoint}`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams(fields),
    // a request that hangs fails with a name
    signal: AbortSignal.timeout(600_000),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? {} : (JSON.parse(text) as Partial<Record<string, string>>),
  };
}

async function callApi({ issuer }: ScratchSite, token: string): Promise<readonly unknown[]> {
  const answer = await fetch(`${issuer}/api/photos`, {
    headers: token === '' ? {} : { Authorization: `Bearer ${token}` },
  });
  return [
    answer.status,
    answer.status === 200 ? await answer.json() : answer.headers.get('www-authenticate')?.split(' ')[0],
  ];
}

/** A person logs in on the host's pages and allows a client; only its token opens the API. */
async function obtainToken(site: ScratchSite, visitor: Visitor): Promise<Partial<Record<string, string>>> {
  const { issuer, userId, clientId } = site;
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const login = await visitor.open(`${issuer}/oauth/authorize?${query.toString()}`);
  await expectStylesheet(login.text, issuer);
  const consent = await visitor.submit(login, PERSON, 'login-form');
  const { url } = await visitor.submit(consent, { decision: 'allow' }, 'consent-form');

  const { status, body } = await post(site, 'token', {
    grant_type: 'authorization_code',
    code: url.searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  });
  expectEqual([status, body.scope, typeof body.refresh_token], [200, 'photos:read', 'string']);
  expectEqual(await callApi(site, body.access_token ?? ''), [200, { photosOf: userId }]);
  expectEqual(await callApi(site, ''), [401, 'Bearer']);
  expectEqual(await callApi(site, `${body.access_token}x`), [401, 'Bearer']);
  return body;
}

async function expectStylesheet(html: string, issuer: string): Promise<void> {
  const [, href = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(html) ?? [];
  const response = await fetch(new URL(href, issuer));
  expectEqual([response.status, response.headers.get('content-type')], [200, 'text/css; charset=utf-8']);
}

export function expectEqual(received: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(received), JSON.stringify(expected)];
  if (left !== right) throw new Error(`expected ${right}, received ${left}`);
}
