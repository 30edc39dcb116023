import type { RequestListener } from 'node:http';

import { afterEach, describe, expect, test } from '@jest/globals';

import { PUBLIC_ADDRESSES } from '../../lib/core/clients/untrusted-fetch-limits.js';
import { createTestKey, postAssertion, signAssertion } from '../support/assertions.js';
import { letLimitEnd } from '../support/clock.js';
import { type JwksServer, openJwksServer } from '../support/jwks-server.js';
import { HOSTILE_ANSWERS, openRawServer, type RawServer } from '../support/raw-server.js';
import { openSite } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { until } from '../support/until.js';

/** The number of requests that may wait for the keys of one client. */
const WAITING = 250;

describe('a client with a hostile key server', () => {
  let raw: RawServer | undefined;

  const key = fixture(() => createTestKey());
  const site = siteFor({
    security: { rateLimits: false },
    clientAuthentication: { allowPrivateAddresses: true },
  });
  afterEach(() => raw?.close());

  const register = (jwksUri: string) =>
    site.client({ grantTypes: ['client_credentials'], redirectUris: [], jwksUri });

  test.each(HOSTILE_ANSWERS)('%s: the client is refused, and no request hangs', async (_what, answer) => {
    const endLimit = letLimitEnd(PUBLIC_ADDRESSES.timeout, 'by hand');
    raw = await openRawServer((socket) => {
      answer(socket);
      setTimeout(endLimit, 100);
    });
    const { clientId } = await register(`${raw.url}/jwks`);
    const send = async () => postAssertion(site, await signAssertion(site, clientId, key));
    for (const response of await Promise.all([send(), send()]))
      expect(response).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(raw.connections()).toBe(1);
  });

  test(`a hanging key server lets ${WAITING} requests wait, and further ones are 503 at once`, async () => {
    const patient = await openSite({
      database: site.database,
      issuer: site.url,
      security: { rateLimits: false },
      clientAuthentication: { allowPrivateAddresses: true },
    });
    const keys: JwksServer = await openJwksServer();
    const granted: Parameters<RequestListener>[1][] = [];
    keys.answer((_req, res) => void granted.push(res));
    const [slow, other] = await Promise.all([register(keys.url), register(`${keys.url}/other`)]);
    const signed = Array.from({ length: WAITING + 3 }, () => signAssertion(site, slow.clientId, key));
    const statuses: number[] = [];
    letLimitEnd(PUBLIC_ADDRESSES.timeout, 'by hand');
    const waiting = (await Promise.all(signed)).map(async (assertion) => {
      const { status, headers } = await postAssertion(patient, assertion);
      if (status === 503) expect(headers['retry-after']).toBe('5');
      statuses.push(status);
    });
    await until(() => statuses.length >= 3);
    expect(statuses).toEqual([503, 503, 503]);
    expect(keys.requests).toEqual(['/jwks']);
    // another client is served, and so are the requests that have waited
    keys.json({ keys: [key.publicJwk] });
    expect((await postAssertion(patient, await signAssertion(site, other.clientId, key))).status).toBe(200);
    for (const res of granted) res.end(JSON.stringify({ keys: [key.publicJwk] }));
    await Promise.all(waiting);
    expect(statuses.filter((status) => status === 200)).toHaveLength(WAITING);
    await Promise.all([patient.close(), keys.close()]);
  });
});
