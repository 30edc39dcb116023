import { createHash, randomBytes } from 'node:crypto';

import { createVisitor } from './visitor.js';

/** A scratch host, as it prints itself. */
export interface ScratchSite {
  readonly issuer: string;
  readonly userId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const REDIRECT_URI = 'https://print.example/callback';

/** A person logs in on the host's pages and allows a client; its token opens the API, and nothing else does. */
export async function obtainToken({ issuer, userId, clientId, clientSecret }: ScratchSite): Promise<void> {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const visitor = createVisitor({ stopAt: REDIRECT_URI });
  const login = await visitor.open(`${issuer}/oauth/authorize?${query.toString()}`);
  await expectStylesheet(login.text, issuer);
  const consent = await visitor.submit(login, { username: 'ada', password: 'correct horse' }, 'login-form');
  const { url } = await visitor.submit(consent, { decision: 'allow' }, 'consent-form');

  const response = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: url.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
    }),
  });
  const tokens = (await response.json()) as { access_token?: string; refresh_token?: string; scope?: string };
  expectEqual([response.status, tokens.scope, typeof tokens.refresh_token], [200, 'photos:read', 'string']);

  const api = async (token: string) => {
    const answer = await fetch(`${issuer}/api/photos`, {
      headers: token === '' ? {} : { Authorization: `Bearer ${token}` },
    });
    return [
      answer.status,
      answer.status === 200 ? await answer.json() : answer.headers.get('www-authenticate')?.split(' ')[0],
    ];
  };
  expectEqual(await api(tokens.access_token ?? ''), [200, { photosOf: userId }]);
  expectEqual(await api(''), [401, 'Bearer']);
  expectEqual(await api(`${tokens.access_token}x`), [401, 'Bearer']);
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
