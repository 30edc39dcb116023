import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { authorizationServer } from '../../lib/index.js';
import { DEVICE_URI, type DocumentServer, openDocumentServer } from '../support/client-documents.js';
import { logInPerson, type Person } from '../support/person.js';
import { siteFor } from '../support/site-for.js';
import { createPkce, postToken } from '../support/tokens.js';

// the web servers of clients have two names here, so two hosts
const CAPPED = '127.0.0.1';
const SHORT = 'localhost';
let documents: DocumentServer;
let ada: Person;
let published = 0;

beforeAll(async () => {
  documents = await openDocumentServer();
});
const site = siteFor({
  clientIdMetadataDocuments: {
    allowLoopback: true,
    trust: {
      caps: {
        [CAPPED]: { tokensPerHour: 3, maxGrants: 4 },
        '*': { accessTokenTtl: 60, refreshTokenTtl: 120, maxGrants: 100 },
      },
    },
  },
});
beforeAll(async () => {
  ada = await logInPerson(site);
});
afterAll(() => documents.close());

const publish = (host: string) => documents.publish(`/client-${(published += 1)}.json`, {}, { host });

async function authorize(
  clientId: string,
): Promise<{ code: string | null; error: string | null; verifier: string }> {
  const { challenge, code_verifier: verifier } = createPkce();
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: DEVICE_URI,
    scope: 'photos:read',
  };
  const { searchParams } = await ada.authorize({ ...query, ...challenge });
  return { code: searchParams.get('code'), error: searchParams.get('error_description'), verifier };
}

async function tokensOf(clientId: string) {
  const { code, error, verifier } = await authorize(clientId);
  expect(error).toBeNull();
  return postToken(site, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code: String(code),
    redirect_uri: DEVICE_URI,
    code_verifier: verifier,
  });
}

describe('caps of a host', () => {
  test('tokens are counted for all of its clients together, grants too', async () => {
    const [one, other] = [publish(CAPPED), publish(CAPPED)];
    expect((await tokensOf(one)).status).toBe(200);
    expect((await tokensOf(one)).status).toBe(200);
    expect((await tokensOf(other)).status).toBe(200);
    const { status, headers, body } = await tokensOf(other);
    expect([status, body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(3000);
    // by now there are four grants, of one host and two clients
    expect((await authorize(publish(CAPPED))).error).toBe(
      'clients of this host may have 4 grants at once, and have them',
    );
    // a grant that ends makes room
    await site.oauth.grants.revoke({ userId: 'ada', clientId: one });
    expect((await authorize(publish(CAPPED))).error).toBeNull();
  });

  test('another host has its own: lifetimes are no longer than its, and nothing of it is stored', async () => {
    const clientId = publish(SHORT);
    const { body } = await tokensOf(clientId);
    expect(body.expires_in).toBe(60);
    const [grant] = await site.oauth.models.Grant.find({ clientId }).lean();
    const end = grant?.refreshToken?.expiresAt.getTime() ?? 0;
    expect(end - Date.now()).toBeLessThanOrEqual(120_000);
    const stored = await site.oauth.models.Client.findById(clientId).lean();
    expect(stored).toMatchObject({ document: { fetchedAt: expect.any(Date) } });
    expect(JSON.stringify(stored)).not.toMatch(/caps|Ttl|maxGrants/);
  });

  test('a client that the host has given less has that', async () => {
    const clientId = publish(SHORT);
    await tokensOf(clientId);
    await site.oauth.clients.update(clientId, { accessTokenTtl: 30 });
    expect((await tokensOf(clientId)).body.expires_in).toBe(30);
    await site.oauth.clients.update(clientId, { accessTokenTtl: 3600 });
    expect((await tokensOf(clientId)).body.expires_in).toBe(60);
  });

  test('registered clients have none of it', async () => {
    const client = await site.client();
    expect((await site.oauth.clients.find(client.clientId))?.accessTokenTtl).toBeUndefined();
  });
});

test.each([
  ['no host', { 'https://claude.ai': {} }, "'https://claude.ai' is no host in lower case"],
  ['a misspelt cap', { 'claude.ai': { tokenPerHour: 5 } }, "did you mean 'tokensPerHour'"],
  ['no number', { 'claude.ai': { maxGrants: 0 } }, 'maxGrants'],
])('the option says what is wrong: %s', (_what, caps, terms) => {
  const start = () =>
    authorizationServer({
      issuer: site.url,
      connection: site.database.connection,
      scopes: {},
      login: '/login',
      clientIdMetadataDocuments: { trust: { caps } },
    });
  expect(start).toThrow(terms);
});
