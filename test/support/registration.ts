import request, { type Test } from 'supertest';

import { REDIRECT_URI, type Site } from './site.js';

export const METADATA = {
  client_name: 'Frame maker',
  redirect_uris: [REDIRECT_URI],
  grant_types: ['authorization_code', 'refresh_token'],
};

/** POST /oauth/register, with an initial access token if there is one. */
export function register(site: Site, metadata: object | string = METADATA, token?: string): Test {
  const call = request(site.server).post('/oauth/register').type('application/json');
  if (token !== undefined) void call.set('Authorization', `Bearer ${token}`);
  return call.send(metadata);
}

/** A call of the client configuration endpoint, with the registration access token. */
export function manage(
  site: Site,
  method: 'get' | 'put' | 'delete' | 'patch',
  client: { client_id: string; registration_access_token: string },
  body?: object,
): Test {
  const path = `/oauth/register/${encodeURIComponent(client.client_id)}`;
  const agent = request(site.server);
  const call = agent[method](path).set('Authorization', `Bearer ${client.registration_access_token}`);
  return body === undefined ? call : call.type('application/json').send(body);
}

/** The registered client in the form of the other helpers of the tests. */
export function asClient(site: Site, registered: { client_id: string; client_secret?: string }) {
  return site.oauth.clients.find(registered.client_id).then((client) => {
    if (client === null) throw new Error('the client is not registered');
    return {
      ...client,
      ...(registered.client_secret !== undefined && { clientSecret: registered.client_secret }),
    };
  });
}
