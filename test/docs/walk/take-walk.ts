import mongoose from 'mongoose';

import { allow, startServer } from '../../../lib/testing.js';

// S256 of the verifier (RFC 7636 Appendix B)
const CODE_VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CODE_CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const REDIRECT_URI = 'https://print.example/callback';

/** Where the functions of an instrumented `lib/` note that they are entered. */
const global = globalThis as { entered?: string[] };

/** Redeems a code, and prints which functions the request has entered, in their order. */
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
  const answer = await allow(`${issuer}/oauth/authorize?${request.toString()}`, person);

  global.entered = [];
  const response = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: answer.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT_URI,
      code_verifier: CODE_VERIFIER,
    }),
  });
  const { entered } = global;
  process.stdout.write(JSON.stringify({ status: response.status, entered }));
  await server.close();
  await mongoose.connection.dropDatabase();
  await mongoose.disconnect();
}

await main();
