import request, { type Test } from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { REDIRECT_URI, type Site } from './site.js';
import { basic, type Fields } from './tokens.js';

/** POST /oauth/par by the client, with HTTP Basic if it has a secret: a code for its redirect URI. */
export function push(site: Site, client: ClientWithSecret, fields: Fields = {}): Test {
  const { clientId, clientSecret } = client;
  const sent = request(site.server).post('/oauth/par').type('form');
  if (clientSecret !== undefined) void sent.set('Authorization', basic(clientId, clientSecret));
  const given = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    state: 'xyz',
    ...fields,
  };
  return sent.send(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
}

/** Pushes a request and gives the query of the link to it. */
export async function pushed(site: Site, client: ClientWithSecret, fields: Fields = {}) {
  const { body } = await push(site, client, fields).expect(201);
  return { client_id: client.clientId, request_uri: (body as { request_uri: string }).request_uri };
}
