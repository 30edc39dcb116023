import { beforeAll, describe, expect, test } from '@jest/globals';
import request, { type Response } from 'supertest';

import { letPass } from '../../support/clock.js';
import { codeQuery, logInPerson, type Query } from '../../support/person.js';
import { REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { createPkce, postToken } from '../../support/tokens.js';

const ISSUER = 'https://photos.example';
const MCP = `${ISSUER}/mcp`;
const OTHER = `${ISSUER}/other`;
const SCOPES = {
  'photos:read': 'See your photos',
  'photos:write': { description: 'Add photos', implies: ['photos:read'] },
  offline_access: 'Stay connected',
};

const scopes = ['photos:read', 'photos:write'];
const site = siteFor({
  issuer: ISSUER,
  scopes: SCOPES,
  agents: true,
  resources: { [MCP]: { scopes }, [OTHER]: { scopes } },
});
const client = fixture(() => site.client({ type: 'public', scopes: Object.keys(SCOPES) }));
const ada = fixture(() => logInPerson(site));
beforeAll(() => {
  const options = { scopes: ['photos:read'], tools: { add_photo: ['photos:write', 'photos:read'] } };
  for (const path of ['/mcp', '/other'])
    site.app.use(
      path,
      site.oauth.mcp({ ...options, resource: ISSUER + path, handle: (req, res) => res.json(req.auth) }),
    );
});

const get = (path: string) => request(site.server).get(path).set('Host', 'photos.example');
const call = (path: string, token?: string, tool = 'list_photos') => {
  const sent = request(site.server).post(path).set('Host', 'photos.example');
  if (token !== undefined) sent.set('Authorization', `Bearer ${token}`);
  return sent.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } });
};
const challengeOf = ({ headers }: Response) => String(headers['www-authenticate']);

const requestOf = (more: Query = {}) =>
  codeQuery(client, { state: 'xyz', scope: 'photos:read', resource: MCP, ...more });

async function connect(more: Query = {}) {
  const { code_verifier, challenge } = createPkce();
  const back = await ada.authorize(requestOf({ ...challenge, ...more }));
  expect(back.searchParams.get('iss')).toBe(ISSUER);
  return postToken(site, {
    grant_type: 'authorization_code',
    client_id: client.clientId,
    code: String(back.searchParams.get('code')),
    redirect_uri: REDIRECT_URI,
    code_verifier,
    resource: String(more.resource ?? MCP),
  }).expect(200);
}

describe('an agent that only knows the MCP endpoint', () => {
  test('the 401 challenge of an MCP endpoint leads to its metadata at the well-known address [overview-3] [discovery-1] [location-1]', async () => {
    const refused = await call('/mcp').expect(401);
    const [, address = ''] = /resource_metadata="([^"]+)"/.exec(challengeOf(refused)) ?? [];
    expect(address).toBe(`${ISSUER}/.well-known/oauth-protected-resource/mcp`);
    const { body } = await get(new URL(address).pathname).expect(200);
    expect(body).toMatchObject({ resource: MCP, authorization_servers: [ISSUER] });
  });

  test('the challenge of an MCP endpoint lists the same scopes each time, and the metadata omits offline_access [scopes-1] [scopes-2] [refresh-1]', async () => {
    const challenges = [await call('/mcp'), await call('/mcp', 'not-a-token'), await call('/mcp')].map(
      (answer) => /scope="([^"]*)"/.exec(challengeOf(answer))?.[1],
    );
    expect(challenges).toEqual(['photos:read', 'photos:read', 'photos:read']);
    const { body } = await get('/.well-known/oauth-protected-resource/mcp');
    expect(body.scopes_supported).toEqual(['photos:read', 'photos:write']);
  });

  test('both metadata documents of the authorization server list PKCE, iss and client documents [overview-2] [overview-4] [response-2] [code-1] [documents-1]', async () => {
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      const { body } = await get(`/.well-known/${name}`).expect(200);
      expect(body).toMatchObject({
        issuer: ISSUER,
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      });
      expect(body.response_types_supported).toEqual(['code']);
      expect(body.grant_types_supported).not.toContain('password');
      const addresses = Object.entries(body as Record<string, unknown>).filter(([key]) =>
        /_(endpoint|uri)$/.test(key),
      );
      expect(addresses.filter(([, url]) => !String(url).startsWith('https://'))).toEqual([]);
    }
  });
});

describe('a token', () => {
  test('an access token is accepted only at the MCP endpoint of its resource [handling-1] [handling-2] [handling-4] [handling-5] [privilege-1] [privilege-2]', async () => {
    const { access_token: token } = (await connect()).body as { access_token: string };
    const { body } = await call('/mcp', token).expect(200);
    expect(body).toMatchObject({ resource: MCP, clientId: client.clientId });
    for (const path of ['/other', '/api/me']) {
      const refused = await call(path, token);
      expect([path, refused.status, refused.text.includes(client.clientId)]).toEqual([
        path,
        path === '/api/me' ? 404 : 401,
        false,
      ]);
    }
    expect((await request(site.server).get('/api/me').set('Authorization', `Bearer ${token}`)).status).toBe(
      401,
    );
  });

  test('the resource of an MCP endpoint may be in upper case where case does not matter [resource-1]', async () => {
    const { body } = await connect({ resource: 'HTTPS://PHOTOS.EXAMPLE/mcp' });
    await call('/mcp', String(body.access_token)).expect(200);
  });

  test('an access token that is invalid, expired or in the query gets 401 [handling-3]', async () => {
    const { access_token: token } = (await connect()).body as { access_token: string };
    expect(challengeOf(await call('/mcp', 'nonsense').expect(401))).toContain('error="invalid_token"');
    await call(`/mcp?access_token=${token}`).expect(401);
    letPass(3601);
    expect(challengeOf(await call('/mcp', token).expect(401))).toContain('error="invalid_token"');
  });

  test('a scope that implies another scope grants both [step-up-1]', async () => {
    const { access_token: token } = (await connect({ scope: 'photos:write' })).body as {
      access_token: string;
    };
    await call('/mcp', token).expect(200);
    await call('/mcp', token, 'add_photo').expect(200);
  });
});
