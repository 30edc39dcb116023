import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import express from 'express';
import mongoose from 'mongoose';

import { allow, startServer } from '../../../lib/testing.js';

// S256 of the verifier (RFC 7636 Appendix B)
const CODE_VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CODE_CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const REDIRECT_URI = 'https://print.example/callback';

/** The list in which the functions of an instrumented `lib/` record their entry. */
const global = globalThis as { entered?: string[] };

/** The functions that a request has entered, in order. */
interface Walk {
  readonly status: number;
  readonly entered: readonly string[];
}

async function take(url: string, init?: RequestInit): Promise<Walk & { readonly text: string }> {
  global.entered = [];
  const response = await fetch(url, init);
  const text = await response.text();
  const { entered } = global;
  delete global.entered;
  return { status: response.status, entered, text };
}

/** Opens a consent page, redeems a code, calls an API, registers a client, and prints the walk of each request. */
async function main(): Promise<void> {
  await mongoose.connect(process.env.MONGODB_URI ?? '');
  const server = await startServer({
    connection: mongoose.connection,
    scopes: { 'photos:read': 'See your photos' },
  });
  const { oauth, issuer } = server;
  await oauth.ready();
  const { clientId, clientSecret } = await oauth.clients.create({
    name: 'Printing shop',
    redirectUris: [REDIRECT_URI],
  });
  const person = await server.logIn('ada');
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: CODE_CHALLENGE,
    code_challenge_method: 'S256',
  });
  const authorizationUrl = `${issuer}/oauth/authorize?${request.toString()}`;
  const authorize = await take(authorizationUrl, { headers: { cookie: person.cookie } });
  const answer = await allow(authorizationUrl, person);

  const token = await take(`${issuer}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: answer.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT_URI,
      code_verifier: CODE_VERIFIER,
    }),
  });
  const { access_token: accessToken } = JSON.parse(token.text) as { access_token: string };

  const app = express();
  app.get('/api/photos', oauth.guard('photos:read'), (_req, res) => void res.json([]));
  const api = app.listen(0, '127.0.0.1');
  await once(api, 'listening');
  const { port } = api.address() as AddressInfo;
  const guard = await take(`http://127.0.0.1:${port}/api/photos`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  api.close();
  await server.close();
  // the same database would belong to two issuers
  await mongoose.connection.dropDatabase();

  const open = await startServer({
    connection: mongoose.connection,
    scopes: { 'photos:read': 'See your photos' },
    registration: { open: true },
  });
  await open.oauth.ready();
  const registration = await take(`${open.issuer}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Printing shop', redirect_uris: [REDIRECT_URI] }),
  });
  await open.close();
  process.stdout.write(JSON.stringify({ authorize, token, guard, registration }));
  await mongoose.connection.dropDatabase();
  await mongoose.disconnect();
}

await main();
