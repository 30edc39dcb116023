import { expect } from '@jest/globals';
import type { Response } from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { type JwksServer, openJwksServer } from './jwks-server.js';
import { formatQuery, hiddenFields, pageAfter, type Person, type Query } from './person.js';
import { REDIRECT_URI, type Site } from './site.js';
import { redeem } from './tokens.js';

export const AFTER = 'https://print.example/after?from=logout';

/** A user signs in at a client with this site; returns the tokens of the client. */
export async function signIn(
  site: Site,
  person: Person,
  client: ClientWithSecret,
  more: Query = {},
): Promise<{ id_token: string; access_token: string; refresh_token: string }> {
  const query = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: REDIRECT_URI,
    scope: 'openid photos:read',
    ...more,
  };
  const { searchParams } = await person.authorize(query);
  return (await redeem(site, client, searchParams.get('code') ?? '')).body;
}

export function openLogout(person: Person, query: Query = {}): Promise<Response> {
  return person.agent.get(`/oauth/end_session?${formatQuery(query)}`);
}

/** Sends the user's answer on the page of the logout. */
export async function sendLogout(
  person: Person,
  page: Response,
  logout: 'yes' | 'no' = 'yes',
): Promise<Response> {
  const sent = await person.agent
    .post('/oauth/end_session')
    .type('form')
    .send({ ...hiddenFields(page), logout });
  expect([sent.status, sent.headers.location]).toEqual([303, expect.stringMatching(/^\//)]);
  return sent;
}

/** The same, and follows the redirect to the GET with the result. */
export async function answerLogout(...given: Parameters<typeof sendLogout>): Promise<Response> {
  return pageAfter(given[0].agent, await sendLogout(...given));
}

/** Whether a user is logged in: opens a client's page that needs a login. */
export async function isLoggedIn({ agent }: Person): Promise<boolean> {
  return (await agent.get('/oauth/authorizations')).status === 200;
}

/** The receiver of clients' logouts. */
export interface LogoutReceiver extends Pick<JwksServer, 'url' | 'port' | 'answer' | 'close'> {
  /** The received logout tokens, with the path of each. */
  readonly tokens: { readonly path: string; readonly token: string; readonly type: string | undefined }[];
  /** The statuses of its next answers; 200 from then on. */
  next(...statuses: number[]): void;
}

export async function openLogoutReceiver(): Promise<LogoutReceiver> {
  const server = await openJwksServer();
  const tokens: LogoutReceiver['tokens'] = [];
  let statuses: number[] = [];
  server.answer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () => {
      const token = new URLSearchParams(body).get('logout_token') ?? '';
      tokens.push({ path: req.url ?? '', token, type: req.headers['content-type'] });
      res.writeHead(statuses.shift() ?? 200).end();
    });
  });
  return { ...server, tokens, next: (...given) => void (statuses = given) };
}
