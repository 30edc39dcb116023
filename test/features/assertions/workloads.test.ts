import { describe, expect, test } from '@jest/globals';

import type { WorkloadTrust } from '../../../lib/index.js';
import { createTestKey, now } from '../../support/assertions.js';
import { letLimitEnd, letPass } from '../../support/clock.js';
import { jobClaims, JWT_BEARER_GRANT, openIssuer, present, type TestIssuer } from '../../support/issuer.js';
import { openSite, type Site } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi } from '../../support/tokens.js';

/** The entry of docs/callers.md, with the issuer of the test in the place of GitHub. */
const job = ({ issuer, jwksUri }: TestIssuer, changes: Partial<WorkloadTrust> = {}): WorkloadTrust => ({
  kind: 'workload',
  name: 'publisher',
  issuer,
  jwksUri,
  scopes: ['photos:read', 'photos:write'],
  claims: {
    repository: 'photos/site',
    ref: 'refs/heads/main',
    environment: 'production',
    event_name: ['push', 'workflow_dispatch'],
  },
  ...changes,
});

describe('a job of a platform, without a secret (RFC 7523 §2.1, SEP-1933)', () => {
  const platform = fixture(() => openIssuer());
  const site = siteFor(() => ({
    assertions: [job(platform)],
    defaultScopes: ['profile'],
    security: { rateLimits: false },
  }));
  const second = siteFor(() => ({
    assertions: [job(platform)],
    issuer: site.url,
    database: site.database,
    security: { rateLimits: false },
  }));

  const token = (changes?: Parameters<TestIssuer['sign']>[1]) => platform.sign(jobClaims(site), changes);

  test('gets an access token, and the site sees which job calls', async () => {
    const { body } = await present(site, await token(), { scope: 'photos:write' }).expect(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^eas_at_/),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'photos:write',
    });
    const { body: auth } = await callApi(site, body.access_token);
    expect(auth).toMatchObject({
      clientId: 'workload:publisher',
      scopes: ['photos:write'],
      actor: { sub: 'repo:photos/site:ref:refs/heads/main', iss: platform.issuer },
    });
    expect(auth).not.toHaveProperty('userId');
  });

  test('is in the events by its subject', async () => {
    const events: unknown[] = [];
    site.oauth.events.once('token.issued', (event) => events.push(event));
    await present(site, await token()).expect(200);
    expect(events).toMatchObject([
      {
        clientId: 'workload:publisher',
        grantType: JWT_BEARER_GRANT,
        actors: ['repo:photos/site:ref:refs/heads/main'],
      },
    ]);
  });

  test.each([
    ['another repository', { repository: 'photos/other', sub: 'repo:photos/other:ref:refs/heads/main' }],
    ['another owner with a repository of the same name', { repository: 'evil/site' }],
    ['another branch', { ref: 'refs/heads/other' }],
    ['a pull request', { ref: 'refs/pull/7/merge' }],
    ['a fork, by its pull request', { event_name: 'pull_request_target' }],
    ['no event', { event_name: undefined }],
    ['another environment', { environment: 'staging' }],
    ['no environment', { environment: undefined }],
    ['a claim that is a list', { repository: ['photos/site'] }],
    ['another spelling', { repository: 'Photos/site' }],
    ['no subject', { sub: undefined }],
    ['a subject that is no text', { sub: { toString: 'x' } }],
  ])('%s is refused', async (_what, claims) => {
    const { body } = await present(site, await token({ claims })).expect(400);
    expect(body).toEqual({
      error: 'invalid_grant',
      error_description: 'the assertion is invalid, expired, was used before, or is not trusted here',
    });
  });

  test.each([
    ['another audience', { aud: 'https://other.example' }, /aud must be/],
    ['an audience that begins like this one', { aud: 'http://127.0.0.1' }, /aud must be/],
    ['several audiences', { aud: ['https://other.example'] }, /aud must be/],
    ['no audience', { aud: undefined }, /aud/],
    ['an end long ago', { exp: now() - 3600 }, /expired/],
    ['no end', { exp: undefined }, /exp/],
    ['an end far ahead', { exp: now() + 7200 }, /more than 3600 seconds ahead/],
    ['a beginning in the future', { nbf: now() + 600 }, /nbf/],
    ['a moment of issue in the future', { iat: now() + 600 }, /iat is in the future/],
    ['no jti', { jti: undefined }, /jti/],
    ['a jti that is no text', { jti: 7 }, /jti/],
    ['a name that no guard would read', { sub: 'x'.repeat(501) }, /sub names nobody, or is too long/],
  ])('%s is refused, and it is said', async (_what, claims, text) => {
    const { body } = await present(site, await token({ claims })).expect(400);
    expect(body.error).toBe('invalid_grant');
    expect(body.error_description).toMatch(text);
  });

  test('an audience beside ours is refused', async () => {
    const aud = [site.url, 'https://other.example'];
    await present(site, await token({ claims: { aud } })).expect(400);
    await present(site, await token({ claims: { aud: [site.url] } })).expect(200);
  });

  test('another issuer is refused, and no key is fetched for it', async () => {
    await using other = await openIssuer();
    const assertion = await other.sign(jobClaims(site));
    expect((await present(site, assertion).expect(400)).body.error).toBe('invalid_grant');
    expect(other.jwks.requests).toEqual([]);
  });

  test('a key that the issuer has not, though the header names where it is, is refused', async () => {
    await using other = await openIssuer();
    const key = await createTestKey('RS256', platform.key.publicJwk.kid);
    for (const header of [{}, { jku: other.jwksUri }, { jwk: key.publicJwk }, { x5u: other.jwksUri }]) {
      const { body } = await present(site, await token({ key, header })).expect(400);
      expect(body.error).toBe('invalid_grant');
    }
    expect(other.jwks.requests).toEqual([]);
  });

  test.each([
    ['no signature', (jwt: string) => `${jwt.split('.').slice(0, 2).join('.')}.`],
    ['alg none', (jwt: string) => `${encode({ alg: 'none' })}.${jwt.split('.')[1]}.`],
    ['another payload', (jwt: string) => jwt.replace(/\.[^.]+\./, `.${encode({ iss: 'x' })}.`)],
    ['text', () => 'x'],
    ['nothing', () => ' '],
    ['a JWE', () => 'a.b.c.d.e'],
    ['too much', (jwt: string) => `${jwt}${'x'.repeat(20_000)}`],
  ])('%s is refused', async (_what, change) => {
    const { body } = await present(site, change(await token())).expect(400);
    expect(body.error).toBe('invalid_grant');
  });

  test('a MAC with the public key is refused (RFC 8725 §3.1)', async () => {
    const secret = new TextEncoder().encode(JSON.stringify(platform.key.publicJwk));
    const { SignJWT } = await import('jose');
    const claims = { ...jobClaims(site), iss: platform.issuer, jti: 'mac', exp: now() + 60 };
    const jwt = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret);
    expect((await present(site, jwt).expect(400)).body.error).toBe('invalid_grant');
  });

  test.each(['at+jwt', 'dpop+jwt', 'oauth-id-jag+jwt', 'client-authentication+jwt', 'logout+jwt'])(
    'what says that it is %s is refused (RFC 8725 §3.11)',
    async (typ) => {
      await present(site, await token({ header: { typ } })).expect(400);
    },
  );

  test('without an assertion it is invalid_request or invalid_client', async () => {
    const { body } = await present(site, '').expect(401);
    expect(body.error).toBe('invalid_client');
  });

  test('is good once, in all processes', async () => {
    const used = await token();
    const answers = await Promise.all([present(site, used), present(second, used)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await present(second, used).expect(400)).body.error_description).toMatch(/used before/);
  });

  test('that is refused is not used up', async () => {
    const assertion = await token();
    expect((await present(site, assertion, { scope: 'profile' }).expect(400)).body.error).toBe(
      'invalid_scope',
    );
    await present(site, assertion, { scope: 'photos:read' }).expect(200);
  });

  test('gets no more than its entry has, and no refresh token', async () => {
    const { body } = await present(site, await token()).expect(200);
    expect(body.scope).toBe('photos:read photos:write');
    expect(body).not.toHaveProperty('refresh_token');
    const claimed = await present(site, await token({ claims: { scope: 'profile' } })).expect(200);
    expect(claimed.body.scope).toBe('photos:read photos:write');
  });

  test('its token ends soon, since nobody can say whether the job still runs', async () => {
    const { body } = await present(site, await token()).expect(200);
    letPass(601);
    expect((await callApi(site, body.access_token)).status).toBe(401);
  });

  test('is not a client that can do something else', async () => {
    const { postToken } = await import('../../support/tokens.js');
    const fields = { grant_type: 'client_credentials', client_id: 'workload:publisher' };
    expect((await postToken(site, fields)).body.error).toBe('invalid_client');
  });

  test('with client credentials beside it, the client is meant, which may not', async () => {
    const client = await site.client();
    const { presentAs } = await import('../../support/issuer.js');
    expect((await presentAs(site, client, await token()).expect(400)).body.error).toBe('invalid_grant');
  });

  test('too many wrong ones are stopped for a while', async () => {
    await using limited = await openSite({
      assertions: [job(platform)],
      security: { rateLimits: { token: 3 } },
    });
    const wrong = await createTestKey('RS256', platform.key.publicJwk.kid);
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      const assertion = await platform.sign(jobClaims(limited), { key: wrong });
      statuses.push((await present(limited, assertion)).status);
    }
    expect(statuses).toEqual([400, 400, 400, 429, 429]);
    // a right one is let in all the same
    await present(limited, await platform.sign(jobClaims(limited))).expect(200);
  });
});

describe('the keys of a platform', () => {
  let platform: TestIssuer;
  let site: Site;
  const open = async () => {
    platform = await openIssuer();
    site = await openSite({ assertions: [job(platform)], security: { rateLimits: false } });
  };
  const close = async () => {
    await site.close();
    await platform.close();
  };
  const presented = async () => present(site, await platform.sign(jobClaims(site)));
  /** A set of so many keys, with that of the platform among them. */
  const setOf = (count: number, key: object | undefined) => {
    const others = Array.from({ length: count - 1 }, (_each, index) => ({ ...key, kid: `other ${index}` }));
    return JSON.stringify({ keys: [key, ...others] });
  };

  test.each([
    ['of 10,000 keys', ([key]: object[]) => setOf(10_000, key), 200],
    ['of one key more than there can be', ([key]: object[]) => setOf(21, key), 200],
    ['that redirects', () => '', 302],
    ['that is no set', () => '[]', 200],
    ['that is no JSON', () => '<html>', 200],
    ['that is an error', () => '{}', 500],
    ['with a secret in it', () => JSON.stringify({ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] }), 200],
  ])('an answer %s lets nobody in, and is asked for once in a while', async (_what, bodyOf, status) => {
    await open();
    platform.jwks.answer((_req, res) => {
      res.writeHead(status, { location: 'http://169.254.169.254/', 'content-type': 'application/json' });
      res.end(bodyOf([platform.key.publicJwk]));
    });
    const answer = await presented();
    expect([400, 503]).toContain(answer.status);
    expect(JSON.stringify(answer.body)).not.toContain('127.0.0.1');
    await close();
  });

  test('that never come are not waited for without end', async () => {
    await open();
    const endLimit = letLimitEnd(5000, 'by hand');
    platform.jwks.answer(() => endLimit());
    expect((await presented()).status).toBe(503);
    await close();
  });

  test('are fetched once, and once more for a key that is new', async () => {
    await open();
    for (let count = 0; count < 3; count += 1) await presented();
    expect(platform.jwks.requests).toHaveLength(1);
    const unknown = await createTestKey('RS256');
    const guess = async () => present(site, await platform.sign(jobClaims(site), { key: unknown }));
    // the key may be younger than the keys, and nobody repeats what is answered 400
    for (let count = 0; count < 3; count += 1)
      expect(await guess()).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
    expect(platform.jwks.requests).toHaveLength(1);
    letPass(31);
    expect((await guess()).status).toBe(400);
    expect((await guess()).status).toBe(503);
    expect(platform.jwks.requests).toHaveLength(2);
    await close();
  });
});

describe('an entry cannot be written too wide', () => {
  const scopes = ['photos:write'];
  const workload = (changes: object) => ({
    kind: 'workload' as const,
    name: 'a',
    issuer: 'https://platform.example',
    jwksUri: 'https://platform.example/keys',
    scopes,
    ...changes,
  });
  test.each([
    ['nothing that tells', {}, /lets in everybody whom the issuer knows/],
    ['a * alone', { subject: '*' }, /lets in everybody/],
    ['an owner that is open', { subject: 'repo:*/site:ref:refs/heads/main' }, /lets in everybody/],
    ['a trust domain that is open', { subject: 'spiffe://*/prod' }, /lets in everybody/],
    ['any namespace', { subject: 'system:serviceaccount:*:publisher' }, /lets in everybody/],
    ['any account of a cloud', { subject: 'arn:aws:iam::*:role/publisher' }, /lets in everybody/],
    [
      'a branch at GitHub alone',
      { issuer: 'https://token.actions.githubusercontent.com', claims: { ref: 'refs/heads/main' } },
      /name one of the claims repository/,
    ],
    ['no keys', { jwksUri: undefined, subject: 'a:b' }, /keys in one place/],
    ['an unknown scope', { subject: 'a:b', scopes: ['x'] }, /not among scopes/],
    ['http', { subject: 'a:b', issuer: 'http://platform.example' }, /https/],
  ])('an entry with %s is refused while the site starts', async (_what, changes, text) => {
    await expect(openSite({ assertions: [workload(changes)] })).rejects.toThrow(text);
  });

  test('a pattern stands for one part', async () => {
    await using platform = await openIssuer();
    const entry = workload({
      ...{ issuer: platform.issuer, jwksUri: platform.jwksUri },
      subject: 'repo:photos/site:ref:refs/heads/release-*',
    });
    await using site = await openSite({ assertions: [entry] });
    const answers = await Promise.all(
      ['release-1', 'release-1/x', 'release-1:environment', 'releases'].map(async (branch) => {
        const sub = `repo:photos/site:ref:refs/heads/${branch}`;
        return (await present(site, await platform.sign({ aud: site.url, sub }))).status;
      }),
    );
    expect(answers).toEqual([200, 400, 400, 400]);
  });
});

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
