import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import request, { type Response, type Test } from 'supertest';

import type { ClientWithSecret, SharedSignalsOptions } from '../../lib/index.js';
import { createTestKey, now, type TestKey } from './assertions.js';
import { openIssuer, type TestIssuer } from './issuer.js';
import { openJwksServer } from './jwks-server.js';
import { openSite, SCOPES, type Site, type SiteOptions } from './site.js';
import { tokenRequest } from './tokens.js';

export const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/';
export const RISC = 'https://schemas.openid.net/secevent/risc/event-type/';
export const SSF = 'https://schemas.openid.net/secevent/ssf/event-type/';
export const AUDIENCE = 'https://photos.example';

/** A transmitter of security event tokens outside the package, which sends what a test wants. */
export interface TestTransmitter extends TestIssuer {
  /** Its metadata at its well-known path; a test may change them. */
  metadata: Record<string, unknown>;
  /** The answers of its management API, by method and path: `POST /streams`. */
  readonly api: Map<string, { readonly status: number; readonly body?: unknown }>;
  /** A security event token about a user, in the form of the framework, with the changes of the test. */
  token(changes?: TokenParts): Promise<string>;
}

/** The changes of a test in a security event token. */
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
    metadata: {
      spec_version: '1_0',
      issuer: issuer.issuer,
      jwks_uri: issuer.jwksUri,
      configuration_endpoint: `${issuer.issuer}/streams`,
      status_endpoint: `${issuer.issuer}/status`,
      verification_endpoint: `${issuer.issuer}/verify`,
    },
    api: new Map(),
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
    const { pathname } = new URL(req.url ?? '', issuer.issuer);
    const answer = transmitter.api.get(`${req.method} ${pathname}`);
    const body = pathname.startsWith('/.well-known/')
      ? transmitter.metadata
      : { keys: [issuer.key.publicJwk] };
    res
      .writeHead(answer?.status ?? 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer === undefined ? body : answer.body));
  });
  return transmitter;
}

/** POST of a security event token, as in RFC 8935 §2.1. */
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

/** The scopes of the management API, besides those of the test site. */
export const SSF_SCOPES = {
  ...SCOPES,
  'ssf.manage': 'Manage streams of security events',
  'ssf.read': 'Read streams of security events',
};

/** A site that transmits, with a client that may have streams. */
export interface TransmittingSite extends Site {
  /** The client of the receiver. */
  readonly desk: ClientWithSecret;
  /** An access token of a client, by default of the receiver for `ssf.manage`. */
  tokenOf(client?: ClientWithSecret, scope?: string): Promise<string>;
  /** Calls the management API. */
  api(
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: string,
    body?: object,
    token?: string,
  ): Promise<Response>;
  /** Makes a stream for the receiver, and gives its id. */
  stream(body?: object): Promise<string>;
}

type TransmitterOptions = NonNullable<Exclude<SharedSignalsOptions['transmitter'], false>>;

/** A site with `sharedSignals.transmitter` for the client `desk`. */
export async function openTransmittingSite(
  transmitter: Partial<TransmitterOptions> = {},
  options: SiteOptions = {},
): Promise<TransmittingSite> {
  const site = await openSite({
    scopes: SSF_SCOPES,
    sharedSignals: {
      transmitter: {
        receivers: [{ clientId: 'desk', audience: AUDIENCE }],
        minVerificationInterval: 0,
        allowPrivateAddresses: true,
        ...transmitter,
      },
    },
    ...options,
  });
  const registration = {
    grantTypes: ['client_credentials'],
    scopes: ['ssf.manage', 'ssf.read'],
    redirectUris: [],
  };
  const desk = await site.client({ ...registration, clientId: 'desk' });
  const tokenOf = async (client = desk, scope = 'ssf.manage'): Promise<string> =>
    String((await tokenRequest(site, client, { grant_type: 'client_credentials', scope })).body.access_token);
  let own: string | undefined;
  const api: TransmittingSite['api'] = async (method, path, body, token) => {
    own ??= await tokenOf();
    const agent = request(site.server);
    const sent = agent[method](`/oauth/ssf${path}`).set('Authorization', `Bearer ${token ?? own}`);
    return body === undefined ? sent : sent.send(body);
  };
  return {
    ...site,
    desk,
    tokenOf,
    api,
    stream: async (body = {}) => String((await api('post', '/streams', body)).body.stream_id),
  };
}

/** A receiver of pushes outside the package: it answers as the test says, and records the pushes. */
export interface TestReceiver {
  readonly url: string;
  readonly pushes: { readonly headers: IncomingHttpHeaders; readonly body: string }[];
  /** The status of its next answers; at first 202. */
  status: number;
  close(): Promise<void>;
}

export async function openReceiver(): Promise<TestReceiver> {
  const server = await openJwksServer();
  const receiver: TestReceiver = {
    url: server.url.replace('/jwks', '/events'),
    pushes: [],
    status: 202,
    close: () => server.close(),
  };
  server.answer((req, res) => {
    let body = '';
    req.on('data', (part: Buffer) => (body += part.toString()));
    req.on('end', () => {
      receiver.pushes.push({ headers: req.headers, body });
      res.writeHead(receiver.status).end();
    });
  });
  return receiver;
}

export const PUSH = 'urn:ietf:rfc:8935';
export const POLL = 'urn:ietf:rfc:8936';

/** Verifies a token with jose alone: by the keys in the metadata of its transmitter. */
export async function openToken(site: Pick<Site, 'server'>, token: string) {
  const { body: metadata } = await request(site.server).get('/.well-known/ssf-configuration');
  const { body: keys } = await request(site.server).get(new URL(metadata.jwks_uri as string).pathname);
  return jwtVerify(token, createLocalJWKSet(keys as JSONWebKeySet), {
    issuer: metadata.issuer as string,
    audience: AUDIENCE,
    typ: 'secevent+jwt',
    algorithms: ['RS256'],
  });
}
