import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as client from 'openid-client';

import { openTransmitter, POLL, type TestTransmitter } from '../support/shared-signals.js';
import { openSuite, shareCredentials, type Suite } from './support/open-suite.js';

/* The hosts of the Shared Signals Framework, reached by the printed configuration alone. */

const credentials = shareCredentials();

describe('shared-signals-transmitter', () => {
  let suite: Suite;
  let token: string;
  let endpoints: Record<string, string>;
  beforeAll(async () => {
    suite = await openSuite(credentials(), 'shared-signals-transmitter');
    const { ssf, client: suiteClient } = suite.configuration;
    const metadata = await suite.fetchAs()(`${ssf!.transmitter.issuer}/.well-known/ssf-configuration`);
    endpoints = (await metadata.json()) as Record<string, string>;
    const as = await suite.discover();
    const { scope = '' } = suiteClient!;
    ({ access_token: token } = await client.clientCredentialsGrant(as, { scope }));
  });
  afterAll(() => suite.close());

  const call = (method: string, url: string, body?: object, bearer = token) =>
    suite.fetchAs()(url, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });

  test('shared-signals-transmitter gives its client a stream with its verification and events', async () => {
    const made = await call('POST', endpoints.configuration_endpoint!, { delivery: { method: POLL } });
    expect(made.status).toBe(201);
    const stream = (await made.json()) as { stream_id: string; delivery: { endpoint_url: string } };
    const { stream_id: id } = stream;
    const verified = await call('POST', endpoints.verification_endpoint!, { stream_id: id, state: 'abc' });
    expect(verified.status).toBe(204);
    expect(await suite.host.commands.get('signal')!()).toBe('3 events are on their way.');
    const polled = await call('POST', stream.delivery.endpoint_url, { returnImmediately: true });
    expect(Object.keys(((await polled.json()) as { sets: object }).sets)).toHaveLength(4);
  });

  test.each(['POST', 'GET', 'PUT', 'PATCH', 'DELETE'])(
    'shared-signals-transmitter answers %s with a malformed token with 401, as four modules want',
    async (method) => {
      const body = method === 'GET' || method === 'DELETE' ? undefined : {};
      const { status } = await call(method, endpoints.configuration_endpoint!, body, 'invalid:abc');
      expect(status).toBe(401);
    },
  );
});

describe('shared-signals-receiver', () => {
  let suite: Suite;
  let transmitter: TestTransmitter;
  beforeAll(async () => {
    transmitter = await openTransmitter();
    suite = await openSuite(credentials(), 'shared-signals-receiver', {
      suite: transmitter.issuer,
      variant: { ssf_profile: 'default' },
    });
    transmitter.metadata = { ...transmitter.metadata, issuer: suite.url };
  });
  afterAll(() => Promise.all([suite.close(), transmitter.close()]));

  test('shared-signals-receiver manages a stream by its commands', async () => {
    const { audience } = suite.configuration.ssf!.stream!;
    const stream = { stream_id: 'one', iss: suite.url, aud: audience, delivery: { method: POLL } };
    const { api } = transmitter;
    api.set('POST /streams', { status: 201, body: stream });
    for (const method of ['GET', 'PATCH', 'PUT'])
      api.set(`${method} /streams`, { status: 200, body: stream });
    for (const method of ['GET', 'POST'])
      api.set(`${method} /status`, { status: 200, body: { stream_id: 'one', status: 'enabled' } });
    api.set('POST /verify', { status: 204 });
    expect(await suite.host.commands.get('stream')!()).toBe('The stream one is enabled.');
    api.set('GET /streams', { status: 200, body: [stream] });
    api.set('DELETE /streams', { status: 204 });
    expect(await suite.host.commands.get('delete')!()).toBe('1 streams are deleted.');
  });
});
