import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';

import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import supertest from 'supertest';

import type { NewClient } from '../../../lib/index.js';
import { createTestKey, postAssertion, signAssertion } from '../../support/assertions.js';
import { letPass } from '../../support/clock.js';
import { type JwksServer, openJwksServer } from '../../support/jwks-server.js';
import { derOf, describeWithOpenssl, issue, type Issued } from '../../support/openssl.js';
import { openSite, type Site } from '../../support/site.js';
import { TEST_CERTIFICATE } from '../../support/tls.js';
import { openTlsSite, type TlsSite } from '../../support/tls-site.js';
import { callApi } from '../../support/tokens.js';

const DAY = 86_400;
const ID = 'spiffe://photos.example/ns/prod/sa/publisher';
const CA = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];
const MID = ['basicConstraints=critical,CA:TRUE,pathlen:0', 'keyUsage=critical,keyCertSign'];
const usage = 'keyUsage=critical,digitalSignature';
const leafOf = (...uris: readonly string[]) => [
  'basicConstraints=critical,CA:FALSE',
  usage,
  'extendedKeyUsage=clientAuth,serverAuth',
  ...(uris.length > 0 ? [`subjectAltName=${uris.map((uri) => `URI:${uri}`).join(',')}`] : []),
];
const LEAF = leafOf(ID);
const RSA = (bits: number) => ['-newkey', `rsa:${bits}`];
const EC = (curve: string) => ['-newkey', 'ec', '-pkeyopt', `ec_paramgen_curve:${curve}`];

/** As SPIRE publishes an authority: without a kid. The key itself is that of the certificate. */
const entryOf = (authority: Issued) => ({
  kty: 'EC',
  crv: 'P-256',
  use: 'x509-svid',
  x5c: [derOf(authority)],
});

describeWithOpenssl('a client with an X.509-SVID', () => {
  let site: TlsSite;
  /** The bundle endpoint of photos.example. */
  let bundle: JwksServer;
  let root: Issued;
  /** Of the trust domain partner.example. */
  let partner: Issued;

  beforeAll(async () => {
    [root, partner] = [issue({ extensions: CA, name: 'Photos' }), issue({ extensions: CA, name: 'Partner' })];
    bundle = await openJwksServer();
    bundle.json({
      keys: [
        entryOf(root),
        { use: 'x509-svid', kty: 'EC' },
        { use: 'wit-svid', kty: 'AKP' },
        // what is for another format is no authority here
        { ...entryOf(partner), use: 'jwt-svid' },
      ],
    });
    site = await openTlsSite({
      security: { rateLimits: false },
      mutualTls: true,
      spiffe: {
        trustDomains: {
          'photos.example': { jwksUri: bundle.url },
          'partner.example': { jwks: { keys: [entryOf(partner)] } },
        },
      },
    });
  });
  afterAll(async () => {
    await site?.close();
    await bundle?.close();
  });
  beforeEach(() => {
    site.errors.length = 0;
  });

  const workload = (options: Partial<NewClient> = {}) => workloadOf(site, options);
  const workloadOf = (at: Site, options: Partial<NewClient> = {}) =>
    at.client({
      grantTypes: ['client_credentials'],
      redirectUris: [],
      spiffeId: ID,
      tokenEndpointAuthMethod: 'spiffe_x509',
      ...options,
    });

  /** POST /oauth/token over a connection with the certificate, or with none. */
  async function present(clientId: string, svid: Issued | undefined, agent = new Agent()) {
    const sent = request(`${site.secureUrl}/oauth/token`, {
      method: 'POST',
      agent,
      ca: TEST_CERTIFICATE,
      ...(svid && { key: svid.key, cert: svid.chain || svid.cert }),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    sent.end(new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId }).toString());
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const isResumed = (response.socket as TLSSocket).isSessionReused();
    const body = JSON.parse(await text(response)) as { access_token: string; error?: string };
    return { status: response.statusCode, body, isResumed, isReused: sent.reusedSocket };
  }

  test('authenticates over mutual TLS, by the bundle of its trust domain [3.2-2] [4-3]', async () => {
    const { clientId, clientSecret } = await workload();
    expect(clientSecret).toBeUndefined();
    const { body } = await present(clientId, issue({ by: root, extensions: LEAF }));
    expect((await callApi(site, body.access_token)).body).toMatchObject({ clientId });
    const metadata = await fetch(`${site.url}/.well-known/oauth-authorization-server`);
    expect(await metadata.json()).toMatchObject({
      token_endpoint_auth_methods_supported: expect.arrayContaining(['spiffe_x509', 'spiffe_jwt']),
    });
  });

  test.each<[string, () => Issued]>([
    [
      'by an authority below that of the bundle',
      () => issue({ by: issue({ by: root, extensions: MID }), extensions: LEAF }),
    ],
    [
      'by the second authority below that of the bundle',
      () => {
        const first = issue({ by: root, extensions: CA, name: 'First' });
        return issue({ by: issue({ by: first, extensions: MID, name: 'Second' }), extensions: LEAF });
      },
    ],
    ['with an RSA key of 2048 bits', () => issue({ by: root, extensions: LEAF, options: RSA(2048) })],
    ['with a key of P-384', () => issue({ by: root, extensions: LEAF, options: EC('P-384') })],
    [
      'without basic constraints or extended key usage',
      () => issue({ by: root, extensions: [usage, `subjectAltName=URI:${ID}`] }),
    ],
    [
      'with the name of a host as well',
      () => issue({ by: root, extensions: [usage, `subjectAltName=URI:${ID},DNS:photos.example`] }),
    ],
  ])('may have one %s', async (_what, make) => {
    const { clientId } = await workload();
    const { status, body } = await present(clientId, make());
    expect([status, body.error, site.errors]).toEqual([200, undefined, []]);
  });

  const forged = () => issue({ extensions: CA, name: 'Photos' });
  test.each<[string, () => Issued]>([
    ['of another trust domain, which is trusted as well', () => issue({ by: partner, extensions: LEAF })],
    ['of an authority that has the name of ours', () => issue({ by: forged(), extensions: LEAF })],
    [
      'of such an authority, which does not say by which key',
      () => issue({ by: forged(), extensions: [...LEAF, 'authorityKeyIdentifier=none'] }),
    ],
    ['that has signed itself', () => issue({ extensions: LEAF })],
    [
      'of an authority of the trust domain',
      () => issue({ by: root, extensions: [...CA, `subjectAltName=URI:${ID}`] }),
    ],
    [
      'that may sign lists of revoked ones',
      () => issue({ by: root, extensions: [`${usage},cRLSign`, `subjectAltName=URI:${ID}`] }),
    ],
    ['with two URIs', () => issue({ by: root, extensions: leafOf(ID, 'https://photos.example') })],
    ['without a URI', () => issue({ by: root, extensions: leafOf() })],
    [
      'with the SPIFFE ID of a trust domain',
      () => issue({ by: root, extensions: leafOf('spiffe://photos.example') }),
    ],
    [
      'of a trust domain that nobody trusts',
      () => issue({ by: root, extensions: leafOf('spiffe://other.example/ns/prod/sa/publisher') }),
    ],
    [
      'that may not sign',
      () => issue({ by: root, extensions: ['keyUsage=critical,keyAgreement', `subjectAltName=URI:${ID}`] }),
    ],
    ['that does not say for what it is', () => issue({ by: root, extensions: [`subjectAltName=URI:${ID}`] })],
    [
      'that is for servers alone',
      () =>
        issue({ by: root, extensions: [usage, 'extendedKeyUsage=serverAuth', `subjectAltName=URI:${ID}`] }),
    ],
    [
      'with a critical extension that is not understood',
      () => issue({ by: root, extensions: [...LEAF, '1.2.3.4=critical,ASN1:NULL'] }),
    ],
    ['with an RSA key of 1024 bits', () => issue({ by: root, extensions: LEAF, options: RSA(1024) })],
    [
      'on a curve that is none of NIST',
      () => issue({ by: root, extensions: LEAF, options: EC('secp256k1') }),
    ],
    [
      'issued by another program',
      () => issue({ by: issue({ by: root, extensions: LEAF, name: 'Leaf' }), extensions: LEAF }),
    ],
    [
      'issued by one that is no authority, though it says that it may sign certificates',
      () => {
        const none = ['basicConstraints=critical,CA:FALSE', 'keyUsage=critical,keyCertSign'];
        return issue({ by: issue({ by: root, extensions: none, name: 'None' }), extensions: LEAF });
      },
    ],
    [
      'issued by an authority that may not sign certificates',
      () => {
        const unable = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,cRLSign'];
        return issue({ by: issue({ by: root, extensions: unable, name: 'Unable' }), extensions: LEAF });
      },
    ],
    [
      'issued by an authority that does not say for what it is',
      () => {
        const silent = ['basicConstraints=critical,CA:TRUE'];
        return issue({ by: issue({ by: root, extensions: silent, name: 'Silent' }), extensions: LEAF });
      },
    ],
    [
      'issued by an authority for servers alone',
      () => {
        const forServers = [...MID, 'extendedKeyUsage=serverAuth'];
        return issue({ by: issue({ by: root, extensions: forServers, name: 'Servers' }), extensions: LEAF });
      },
    ],
    [
      'below an authority that may have no other below it',
      () => {
        const first = issue({ by: root, extensions: MID, name: 'First' });
        return issue({ by: issue({ by: first, extensions: MID, name: 'Second' }), extensions: LEAF });
      },
    ],
    [
      'below an authority with constraints on names',
      () => {
        const bound = [...CA, 'nameConstraints=critical,permitted;URI:photos.example'];
        return issue({ by: issue({ by: root, extensions: bound, name: 'Bound' }), extensions: LEAF });
      },
    ],
    [
      'below five authorities',
      () => {
        let by = root;
        for (const name of ['1', '2', '3', '4', '5']) by = issue({ by, extensions: CA, name });
        return issue({ by, extensions: LEAF });
      },
    ],
    [
      'whose intermediate authority is missing',
      () => {
        const svid = issue({ by: issue({ by: root, extensions: MID, name: 'Absent' }), extensions: LEAF });
        return { ...svid, chain: svid.cert };
      },
    ],
  ])('is refused with a certificate %s', async (_what, make) => {
    const { clientId } = await workload();
    const { status, body } = await present(clientId, make());
    expect([status, body.error]).toEqual([401, 'invalid_client']);
    expect(site.errors).toEqual([expect.objectContaining({ error: 'invalid_client' })]);
  });

  test("is not known by an authority of the server's TLS: those are not of its trust domain [6.2.3-1]", async () => {
    // TLS lets each connection pass, and none of these authorities is one of TLS: a right one authenticates all the
    // same
    const { clientId } = await workload({ spiffeId: 'spiffe://partner.example/printer' });
    const svid = (by: Issued) => issue({ by, extensions: leafOf('spiffe://partner.example/printer') });
    expect((await present(clientId, svid(partner))).status).toBe(200);
    expect((await present(clientId, svid(root))).status).toBe(401);
  });

  test('needs a certificate, and that of its own SPIFFE ID [5.1-4] [5.1-6]', async () => {
    const { clientId } = await workload();
    expect((await present(clientId, undefined)).status).toBe(401);
    const other = issue({ by: root, extensions: leafOf('spiffe://photos.example/ns/prod/sa/other') });
    expect((await present(clientId, other)).status).toBe(401);
    const all = await workload({ spiffeId: 'spiffe://photos.example/ns/prod/*' });
    expect((await present(all.clientId, other)).status).toBe(200);
    const outside = issue({ by: root, extensions: leafOf('spiffe://photos.example/ns/production/x') });
    expect((await present(all.clientId, outside)).status).toBe(401);
  });

  test('whose id is a SPIFFE ID shows the certificate of exactly that, whatever pattern it has [3.2-2]', async () => {
    const clientId = 'spiffe://photos.example/by-id/one';
    await workload({ clientId, spiffeId: 'spiffe://photos.example/by-id/*' });
    const of = (uri: string) => issue({ by: root, extensions: leafOf(uri) });
    expect((await present(clientId, of(clientId))).status).toBe(200);
    expect((await present(clientId, of('spiffe://photos.example/by-id/two'))).status).toBe(401);
  });

  test('cannot use its certificate if it is registered for its JWT-SVID', async () => {
    const { clientId } = await workload({ tokenEndpointAuthMethod: 'spiffe_jwt' });
    expect((await present(clientId, issue({ by: root, extensions: LEAF }))).status).toBe(401);
  });

  test('has no JWT-SVID if the bundle of its trust domain has certificates alone', async () => {
    const sub = 'spiffe://partner.example/printer';
    const { clientId } = await workload({ spiffeId: sub, tokenEndpointAuthMethod: 'spiffe_jwt' });
    const assertion = await signAssertion(site, sub, await createTestKey());
    const { status, body } = await postAssertion(site, assertion, {
      client_id: clientId,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-spiffe',
    });
    expect([status, body.error]).toEqual([401, 'invalid_client']);
  });

  test('needs a SPIFFE ID to be registered', async () => {
    const { spiffeId: _none, ...nothing } = { spiffeId: ID };
    await expect(workload({ ...nothing, spiffeId: undefined as never })).rejects.toThrow(
      'spiffe_x509 needs the spiffeId',
    );
    await expect(workload({ spiffeId: 'spiffe://other.example/x' })).rejects.toThrow(
      'trust domain other.example',
    );
  });

  test('is known over a connection that stays open, and over a session that is resumed', async () => {
    const { clientId } = await workload();
    const svid = issue({ by: issue({ by: root, extensions: MID, name: 'Mid' }), extensions: LEAF });
    const keepAlive = new Agent({ keepAlive: true, maxSockets: 1 });
    const both = [await present(clientId, svid, keepAlive), await present(clientId, svid, keepAlive)];
    expect(both.map(({ status, isReused }) => [status, isReused])).toEqual([
      [200, false],
      [200, true],
    ]);
    keepAlive.destroy();
    const sessions = new Agent({ maxCachedSessions: 10 });
    const resumed = [await present(clientId, svid, sessions), await present(clientId, svid, sessions)];
    expect(resumed.map(({ status, isResumed }) => [status, isResumed])).toEqual([
      [200, false],
      [200, true],
    ]);
  });

  test('is known by an authority that the bundle has got meanwhile, and not by one that it has lost', async () => {
    const { clientId } = await workload();
    const next = issue({ extensions: CA, name: 'Next' });
    const [before, after] = [root, next].map((by) => issue({ by, extensions: LEAF })) as [Issued, Issued];
    expect((await present(clientId, before)).status).toBe(200);
    bundle.json({ keys: [entryOf(next)] });
    letPass(31);
    const fetched = bundle.requests.length;
    expect((await present(clientId, after)).status).toBe(200);
    expect((await present(clientId, before)).status).toBe(401);
    expect((await present(clientId, issue({ extensions: LEAF }))).status).toBe(401);
    // anybody can show a certificate of nobody
    expect(bundle.requests.length - fetched).toBe(1);
    bundle.json({ keys: [entryOf(root)] });
    letPass(601);
    expect((await present(clientId, before)).status).toBe(200);
    expect((await present(clientId, after)).status).toBe(401);
  });

  test('is told to come again while the bundle of its trust domain cannot be had', async () => {
    const { clientId } = await workload();
    bundle.answer((_req, res) => res.writeHead(500).end());
    // longer than the test before has moved the clock
    letPass(3600);
    const { status, body } = await present(clientId, issue({ by: root, extensions: LEAF }));
    expect([status, body.error]).toEqual([503, 'temporarily_unavailable']);
    bundle.json({ keys: [entryOf(root)] });
    letPass(31);
    expect((await present(clientId, issue({ by: root, extensions: LEAF }))).status).toBe(200);
  });

  test('behind a proxy shows the certificate alone, so that its issuer has to be in the bundle', async () => {
    const behind = await openSite({
      security: { rateLimits: false },
      issuer: 'https://photos.example',
      mutualTls: { proxy: { header: 'Client-Cert', from: ['loopback'] } },
      spiffe: { trustDomains: { 'photos.example': { jwks: { keys: [entryOf(root)] } } } },
    });
    const { clientId } = await workloadOf(behind);
    const statusOf = async (svid: Issued) => {
      const fields = { grant_type: 'client_credentials', client_id: clientId };
      const sent = supertest(behind.url).post('/oauth/token').type('form').send(fields);
      return (await sent.set('Client-Cert', `:${derOf(svid)}:`)).status;
    };
    expect(await statusOf(issue({ by: root, extensions: LEAF }))).toBe(200);
    const mid = issue({ by: root, extensions: MID, name: 'Mid' });
    expect(await statusOf(issue({ by: mid, extensions: LEAF }))).toBe(401);
    // OpenSSL takes none with SHA-1 into a connection of its own
    const weak = issue({ by: root, extensions: LEAF, options: [...EC('P-256'), '-sha1'] });
    expect(await statusOf(weak)).toBe(401);
    await behind.close();
  });

  test('is refused once its certificate has expired, or that of its authority', async () => {
    const { clientId } = await workload();
    const short = issue({ by: root, extensions: LEAF, days: 1 });
    const mid = issue({ by: root, extensions: MID, name: 'Mid', days: 3 });
    const below = issue({ by: mid, extensions: LEAF, days: 20 });
    const statuses = async () =>
      Promise.all([short, below].map(async (svid) => (await present(clientId, svid)).status));
    expect(await statuses()).toEqual([200, 200]);
    letPass(2 * DAY);
    expect(await statuses()).toEqual([401, 200]);
    letPass(2 * DAY);
    expect(await statuses()).toEqual([401, 401]);
    letPass(30 * DAY);
    expect((await present(clientId, issue({ by: root, extensions: LEAF, days: 90 }))).status).toBe(401);
  });
});
