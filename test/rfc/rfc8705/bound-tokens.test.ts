import { X509Certificate } from 'node:crypto';

import { afterAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import request, { type Response } from 'supertest';

import { bearerGuard, type BearerGuardOptions } from '../../../lib/guard.js';
import { type CertificateName, CERTIFICATES } from '../../support/certificates.js';
import { createProofKey, prove } from '../../support/dpop.js';
import { KEY_SECRET, openSite, REDIRECT_URI } from '../../support/site.js';
import { fixture } from '../../support/site-for.js';
import {
  listenByTls,
  openTlsSite,
  postByTls,
  type TlsServer,
  withCertificate,
} from '../../support/tls-site.js';
import { createPkce, obtainCode, postToken, redeem } from '../../support/tokens.js';

const API = 'https://api.example';
const MTLS = 'https://mtls.photos.example';

const site = fixture(() =>
  openTlsSite({
    mutualTls: true,
    dpop: true,
    resources: { [API]: { accessTokenFormat: 'jwt' } },
    openid: { claims: () => ({}) },
  }),
);
/** The client authenticates with its certificate, and its tokens are bound to the certificate. */
const client = fixture(() =>
  site.client({
    tokenEndpointAuthMethod: 'tls_client_auth',
    tlsClientAuthSanDns: 'shop.example',
    tlsClientCertificateBoundAccessTokens: true,
    introspection: true,
  }),
);
/** A public client: its certificate binds its tokens, but does not authenticate the client. */
const app = fixture(() => site.client({ type: 'public', tlsClientCertificateBoundAccessTokens: true }));

const thumbprintOf = (name: CertificateName) =>
  Buffer.from(
    new X509Certificate(CERTIFICATES[name].cert).fingerprint256.replaceAll(':', ''),
    'hex',
  ).toString('base64url');
const ask = (fields: Record<string, string>, name?: CertificateName, of = client) =>
  postByTls(site.secureUrl, '/oauth/token', { client_id: of.clientId, ...fields }, name);
async function tokenOf(name: CertificateName, fields = {}): Promise<string> {
  const { status, body } = await ask({ grant_type: 'client_credentials', ...fields }, name);
  expect([status, body.token_type]).toEqual([200, 'Bearer']);
  return body.access_token as string;
}
const call = (token: string, name?: CertificateName, url = site.secureUrl) =>
  withCertificate(request(url).get('/api/me'), name).set('Authorization', `Bearer ${token}`);
const outcomeOf = ({ status, body }: Response) => [status, (body as { error?: string }).error];
async function codeOfApp() {
  const { challenge, code_verifier } = createPkce();
  const code = await obtainCode(site, app, { query: challenge });
  return { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier };
}

describe('§3 a token that is bound to a certificate', () => {
  test('a certificate-bound token is accepted at userinfo only with its certificate, in the header or a form [3-2]', async () => {
    const { challenge, code_verifier } = createPkce();
    const code = await obtainCode(site, app, { query: { ...challenge, scope: 'openid' } });
    const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier };
    const { body } = await ask(fields, 'shop', app);
    const token = String(body.access_token);
    for (const [name, status] of [
      ['shop', 200],
      ['other', 401],
      [undefined, 401],
    ] as const) {
      const userinfo = request(site.secureUrl);
      const read = await withCertificate(userinfo.get('/oauth/userinfo'), name).set(
        'Authorization',
        `Bearer ${token}`,
      );
      const posted = await postByTls(site.secureUrl, '/oauth/userinfo', { access_token: token }, name);
      expect([read.status, posted.status, read.body.sub]).toEqual([
        status,
        status,
        status === 200 ? 'ada' : undefined,
      ]);
    }
  });

  test('a certificate-bound token is a Bearer token that is accepted only with its certificate [3-1] [3-2] [3-3]', async () => {
    const token = await tokenOf('shop');
    const { status, body } = await call(token, 'shop');
    expect([status, body.cnf]).toEqual([200, { 'x5t#S256': thumbprintOf('shop') }]);
    for (const thief of ['other', 'forged', 'selfSigned', undefined] as const) {
      const refused = await call(token, thief);
      expect([thief, ...outcomeOf(refused)]).toEqual([thief, 401, 'invalid_token']);
      expect(refused.headers['www-authenticate']).toMatch(/^Bearer .*error="invalid_token"/);
    }
    // a header does not replace a certificate
    const header = {
      'Client-Cert': `:${new X509Certificate(CERTIFICATES.shop.cert).raw.toString('base64')}:`,
    };
    expect(outcomeOf(await call(token).set(header))).toEqual([401, 'invalid_token']);
    expect(outcomeOf(await call(token, 'other').set(header))).toEqual([401, 'invalid_token']);
  });

  test('§3.1 a JWT, and introspection (§3.2), have the thumbprint of the certificate [3.1-1] [3.1-2] [3.2-1]', async () => {
    const cnf = { 'x5t#S256': thumbprintOf('shop') };
    expect(cnf['x5t#S256']).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const jwt = await tokenOf('shop', { resource: API });
    const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as object;
    expect(claims).toMatchObject({ cnf });
    const { body } = await postByTls(
      site.secureUrl,
      '/oauth/introspect',
      { token: await tokenOf('shop'), client_id: client.clientId },
      'shop',
    );
    expect(body).toMatchObject({ active: true, token_type: 'Bearer', cnf });
  });

  test('§3.3 the metadata of the server and of resources lists bound tokens only with the option [3.3-1]', async () => {
    for (const path of ['oauth-authorization-server', 'oauth-protected-resource']) {
      const { body } = await withCertificate(request(site.secureUrl).get(`/.well-known/${path}`));
      expect(body).toMatchObject({ tls_client_certificate_bound_access_tokens: true });
      expect(body).not.toHaveProperty('mtls_endpoint_aliases');
    }
    await using off = await openSite();
    for (const path of ['oauth-authorization-server', 'oauth-protected-resource'])
      expect((await request(off.server).get(`/.well-known/${path}`)).body).not.toHaveProperty(
        'tls_client_certificate_bound_access_tokens',
      );
  });

  test('§3.4 a client with bound tokens gets no unbound token, and the code remains valid [3.4-1]', async () => {
    const fields = await codeOfApp();
    expect(outcomeOf(await ask(fields, undefined, app))).toEqual([400, 'invalid_request']);
    expect((await ask(fields, 'selfSigned', app)).status).toBe(200);
  });

  test('a certificate-bound token is refused once mutualTls is off', async () => {
    const token = await tokenOf('shop');
    await using off = await openSite({ database: site.database, issuer: site.secureUrl });
    const tls = await listenByTls(off.app);
    expect(outcomeOf(await call(token, 'shop', tls.url))).toEqual([401, 'invalid_token']);
    await tls.close();
  });

  test('a token may be bound to a key and a certificate, and then needs both', async () => {
    const key = await createProofKey();
    const url = `${site.secureUrl}/oauth/token`;
    const sent = ask({ grant_type: 'client_credentials' }, 'shop');
    const { body } = await sent.set('DPoP', await prove(key, 'POST', url));
    expect(body.token_type).toBe('DPoP');
    const accessToken = body.access_token as string;
    const callWith = async (name?: CertificateName) =>
      withCertificate(request(site.secureUrl).get('/api/me'), name).set({
        Authorization: `DPoP ${accessToken}`,
        DPoP: await prove(key, 'GET', `${site.secureUrl}/api/me`, { accessToken }),
      });
    expect((await callWith('shop')).body.cnf).toEqual({ jkt: key.jkt, 'x5t#S256': thumbprintOf('shop') });
    expect(outcomeOf(await callWith('other'))).toEqual([401, 'invalid_token']);
    expect(outcomeOf(await call(accessToken, 'shop'))).toEqual([401, 'invalid_token']);
  });
});

describe('§4 public clients', () => {
  test('a refresh token of a public client is bound to the certificate [4-1]', async () => {
    const { body } = await ask(await codeOfApp(), 'selfSigned', app);
    expect((await call(body.access_token as string, 'selfSigned')).status).toBe(200);
    const refresh = (name?: CertificateName) =>
      ask({ grant_type: 'refresh_token', refresh_token: body.refresh_token as string }, name, app);
    expect(outcomeOf(await refresh('otherSelfSigned'))).toEqual([400, 'invalid_grant']);
    expect(outcomeOf(await refresh())).toEqual([400, 'invalid_request']);
    const next = await refresh('selfSigned');
    expect(next.status).toBe(200);
    expect(outcomeOf(await call(next.body.access_token as string, 'otherSelfSigned'))).toEqual([
      401,
      'invalid_token',
    ]);
  });

  test('a refresh token of an authenticated client works with a new certificate of the client [7.1-1]', async () => {
    const bySubject = await site.client({
      tokenEndpointAuthMethod: 'self_signed_tls_client_auth',
      jwks: {
        keys: (['selfSigned', 'otherSelfSigned'] as const).map((name) => {
          const { publicKey, raw } = new X509Certificate(CERTIFICATES[name].cert);
          return { ...publicKey.export({ format: 'jwk' }), kty: 'EC', x5c: [raw.toString('base64')] };
        }),
      },
      tlsClientCertificateBoundAccessTokens: true,
    });
    const code = await obtainCode(site, bySubject);
    const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI };
    const { body } = await ask(fields, 'selfSigned', bySubject);
    const next = await ask(
      { grant_type: 'refresh_token', refresh_token: body.refresh_token as string },
      'otherSelfSigned',
      bySubject,
    );
    expect((await call(next.body.access_token as string, 'otherSelfSigned')).status).toBe(200);
    expect((await call(next.body.access_token as string, 'selfSigned')).status).toBe(401);
  });
});

test('§3.4 grants.create issues no unbound token for a client with bound tokens [3.4-1]', async () => {
  const byHost = site.oauth.grants.create({ clientId: client.clientId, userId: 'ada' });
  await expect(byHost).rejects.toThrow(/bound to a key or a certificate/);
});

describe('§5 addresses for clients with a certificate', () => {
  test('mtls_endpoint_aliases lists the endpoints, and a DPoP proof may have an address of the list [5-1] [5-2]', async () => {
    await using other = await openSite({
      mutualTls: { endpointAliases: MTLS },
      dpop: true,
      pushedRequests: true,
      registration: { open: true },
    });
    const { body } = await request(other.server).get('/.well-known/oauth-authorization-server');
    expect(body.mtls_endpoint_aliases).toEqual({
      token_endpoint: `${MTLS}/oauth/token`,
      revocation_endpoint: `${MTLS}/oauth/revoke`,
      introspection_endpoint: `${MTLS}/oauth/introspect`,
      pushed_authorization_request_endpoint: `${MTLS}/oauth/par`,
      registration_endpoint: `${MTLS}/oauth/register`,
    });
    const bySecret = await other.client();
    const proof = await prove(await createProofKey(), 'POST', `${MTLS}/oauth/token`);
    const { body: tokens } = await postToken(other, { grant_type: 'client_credentials' })
      .auth(bySecret.clientId, bySecret.clientSecret!)
      .set('DPoP', proof);
    expect(tokens.token_type).toBe('DPoP');
  });

  test('mtls_endpoint_aliases lists userinfo, and a DPoP proof may have that address [5-1]', async () => {
    await using signIn = await openSite({
      mutualTls: { endpointAliases: MTLS },
      dpop: true,
      signingKeys: { encryptionSecret: KEY_SECRET },
      openid: { claims: (userId: string) => ({ name: userId }) },
    });
    const { body } = await request(signIn.server).get('/.well-known/openid-configuration');
    const alias = `${MTLS}/oauth/userinfo`;
    expect(body.mtls_endpoint_aliases).toMatchObject({ userinfo_endpoint: alias });
    const both = await signIn.client();
    const code = await obtainCode(signIn, both, { query: { scope: 'openid' } });
    const key = await createProofKey();
    const tokenProof = await prove(key, 'POST', `${MTLS}/oauth/token`);
    const { body: tokens } = await redeem(signIn, both, code).set('DPoP', tokenProof);
    const accessToken = tokens.access_token as string;
    const { status, body: person } = await request(signIn.server)
      .get('/oauth/userinfo')
      .set({
        Authorization: `DPoP ${accessToken}`,
        DPoP: await prove(key, 'GET', alias, { accessToken }),
      });
    expect([status, person]).toEqual([200, expect.objectContaining({ sub: 'ada' })]);
  });
});

describe('bearerGuard', () => {
  const closing: (() => Promise<void>)[] = [];
  afterAll(() => Promise.all(closing.map((close) => close())));

  /** A separate API, and tokens for it; the issuer is behind a proxy, on loopback. */
  async function openApi(options: Partial<BearerGuardOptions>) {
    const proxy = { header: 'Client-Cert', from: ['loopback'], verified: true };
    const issuer = await openSite({
      mutualTls: { proxy },
      resources: { [API]: { accessTokenFormat: 'jwt' } },
    });
    const bound = await issuer.client({ tlsClientCertificateBoundAccessTokens: true });
    const guard = bearerGuard({ issuer: issuer.url, resource: API, ...options });
    const server = express().get('/api/me', guard(), (req, res) => void res.json(req.auth));
    server.use(((error, _req, res, _next) => {
      const { status, error: code } = error as { status: number; error: string };
      res.status(status).json({ error: code });
    }) as express.ErrorRequestHandler);
    const tls: TlsServer = await listenByTls(server);
    closing.push(tls.close, () => issuer.close());
    const { body } = await postToken(issuer, { grant_type: 'client_credentials', resource: API })
      .auth(bound.clientId, bound.clientSecret!)
      .set('Client-Cert', `:${new X509Certificate(CERTIFICATES.shop.cert).raw.toString('base64')}:`);
    const plain = await issuer.client();
    const { body: unbound } = await postToken(issuer, {
      grant_type: 'client_credentials',
      resource: API,
    }).auth(plain.clientId, plain.clientSecret!);
    return { url: tls.url, token: body.access_token as string, unbound: unbound.access_token as string };
  }

  test('bearerGuard accepts a bound token only with its certificate [3-1] [3-2] [3-3]', async () => {
    const { url, token } = await openApi({ mutualTls: true });
    expect((await call(token, 'shop', url)).body.cnf).toEqual({ 'x5t#S256': thumbprintOf('shop') });
    // a cached token is refused as well
    for (const thief of ['other', undefined] as const)
      expect(outcomeOf(await call(token, thief, url))).toEqual([401, 'invalid_token']);
  });

  test('bearerGuard with senderConstrained accepts only bound tokens', async () => {
    const both = { dpop: true, mutualTls: true, senderConstrained: true };
    const { url, token, unbound } = await openApi(both);
    expect((await call(token, 'shop', url)).status).toBe(200);
    expect(outcomeOf(await call(unbound, 'shop', url))).toEqual([401, 'invalid_token']);
    const options = { issuer: 'https://photos.example', resource: API, senderConstrained: true };
    expect(() => bearerGuard(options)).toThrow(/senderConstrained.*write dpop: true or mutualTls: true/);
  });

  test('bearerGuard without mutualTls refuses bound tokens', async () => {
    const { url, token } = await openApi({});
    expect(outcomeOf(await call(token, 'shop', url))).toEqual([401, 'invalid_token']);
  });
});
