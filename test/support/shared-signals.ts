import { randomUUID } from 'node:crypto';

import request, { type Test } from 'supertest';

import { createTestKey, now, type TestKey } from './assertions.js';
import { openJwksServer } from './jwks-server.js';
import type { Site } from './site.js';
import { openIssuer, type TestIssuer } from './issuer.js';

export const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/';
export const RISC = 'https://schemas.openid.net/secevent/risc/event-type/';
export const SSF = 'https://schemas.openid.net/secevent/ssf/event-type/';
export const AUDIENCE = 'https://photos.example';

/** A transmitter of security event tokens that is none of ours, and says what a test wants. */
export interface TestTransmitter extends TestIssuer {
  /** What it answers at its well-known path; a test may change it. */
  metadata: Record<string, unknown>;
  /** A security event token about a person, as the framework wants it, with the changes of the test. */
  token(changes?: TokenParts): Promise<string>;
}

/** What a test changes in a security event token. */
export interface TokenParts {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: TestKey;
  readonly events?: Readonly<Record<string, unknown>>;
}

export async function openTransmitter(): Promise<TestTransmitter> {
  const issuer = await openIssuer();
  const transmitter: TestTransmitter = {
    ...issuer,
    metadata: { spec_version: '1_0', issuer: issuer.issuer, jwks_uri: issuer.jwksUri },
    token({
      claims,
      header,
      key,
      events = { [`${CAEP}session-revoked`]: { reason_admin: { en: 'Hijacked' } } },
    } = {}) {
      return issuer.sign(
        {
          aud: AUDIENCE,
          exp: undefined,
          txn: randomUUID(),
          sub_id: { format: 'iss_sub', iss: issuer.issuer, sub: 'ada' },
          events,
          ...claims,
        },
        { header: { typ: 'secevent+jwt', ...header }, ...(key && { key }) },
      );
    },
  };
  issuer.jwks.answer((req, res) => {
    const body = req.url?.startsWith('/.well-known/')
      ? transmitter.metadata
      : { keys: [issuer.key.publicJwk] };
    res.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  return transmitter;
}

/** POST of a security event token, as RFC 8935 §2.1 has it. */
export function push(
  site: Pick<Site, 'server'>,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Test {
  return request(site.server)
    .post('/oauth/ssf-events')
    .set({ 'Content-Type': 'application/secevent+jwt', Accept: 'application/json', ...headers })
    .send(token);
}

export { createTestKey, now, openJwksServer };
