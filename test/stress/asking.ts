import { setTimeout as sleep } from 'node:timers/promises';

import type { ClientWithSecret } from '../../lib/index.js';
import type { Person } from '../support/person.js';
import { REDIRECT_URI } from '../support/site.js';
import { basic } from '../support/tokens.js';

export interface Answer {
  readonly status: number;
  readonly body: {
    readonly access_token: string;
    readonly refresh_token: string;
    readonly error?: string;
  };
}

/** A POST of a client to one of several processes of a site. */
export async function post(
  url: string,
  client: ClientWithSecret,
  fields: Readonly<Record<string, string>>,
  path = '/oauth/token',
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { Authorization: basic(client.clientId, client.clientSecret ?? '') },
    body: new URLSearchParams(fields),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Answer['body'] };
}

/** Like a client that follows Retry-After: repeats a request that gets 503, soon, but not for ever. */
export async function untilServed<Reply extends { readonly status: number }>(
  ask: () => PromiseLike<Reply>,
  onTurnedAway: () => void = () => undefined,
): Promise<Reply> {
  let reply = await ask();
  for (let tries = 1; reply.status === 503 && tries < 50; tries += 1) {
    onTurnedAway();
    await sleep(200);
    reply = await ask();
  }
  return reply;
}

/** The fields of a token request with a code. */
export const withCode = (code: string) => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: REDIRECT_URI,
});

export const withRefreshToken = (token: string) => ({ grant_type: 'refresh_token', refresh_token: token });

export const askForCode = (client: ClientWithSecret) => ({
  response_type: 'code',
  client_id: client.clientId,
  redirect_uri: REDIRECT_URI,
});

/** A code of a trusted client, without a consent page; null if it is refused. */
export async function codeFor(person: Person, client: ClientWithSecret): Promise<string | null> {
  return (await person.authorize(askForCode(client))).searchParams.get('code');
}
