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

  test('a workload gets an access token, and req.auth has its client and its subject', async () => {
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

  test('the event token.issued has the workload’s subject as the actor', async () => {
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
    ['the ref of a pull request', { ref: 'refs/pull/7/merge' }],
    ['the event of a pull request from a fork', { event_name: 'pull_request_target' }],
    ['no event', { event_name: undefined }],
    ['another environment', { environment: 'staging' }],
    ['no environment', { environment: undefined }],
    ['a list as a claim', { repository: ['photos/site'] }],
    ['another case in the repository', { repository: 'Photos/site' }],
    ['no subject', { sub: undefined }],
    ['a subject other than text', { sub: { toString: 'x' } }],
  ])('a job with %s is refused', async (_what, claims) => {
    const { body } = await present(site, await token({ claims })).expect(400);
    expect(body).toEqual({
      error: 'invalid_grant',
      error_description: 'the assertion is invalid, expired, was used before, or is not trusted here',
    });
  });

  test.each([
    ['another audience', { aud: 'https://other.example' }, /aud must be/],
    ['a prefix of the audience', { aud: 'http://127.0.0.1' }, /aud must be/],
    ['several audiences', { aud: ['https://other.example'] }, /aud must be/],
    ['no audience', { aud: undefined }, /aud/],
    ['an exp in the past', { exp: now() - 3600 }, /expired/],
    ['no exp', { exp: undefined }, /exp/],
    ['an exp far in the future', { exp: now() + 7200 }, /more than 3600 seconds ahead/],
    ['an nbf in the future', { nbf: now() + 600 }, /nbf/],
    ['an iat in the future', { iat: now() + 600 }, /iat is in the future/],
    ['no jti', { jti: undefined }, /jti/],
    ['a number as jti', { jti: 7 }, /jti/],
    ['a sub longer than a guard reads', { sub: 'x'.repeat(501) }, /sub names nobody, or is too long/],
  ])('an assertion with %s is refused, and the error says why', async (_what, claims, text) => {
    const { body } = await present(site, await token({ claims })).expect(400);
    expect(body.error).toBe('invalid_grant');
    expect(body.error_description).toMatch(text);
  });

  test('an assertion with another audience beside this server is refused', async () => {
    const aud = [site.url, 'https://other.example'];
    await present(site, await token({ claims: { aud } })).expect(400);
    await present(site, await token({ claims: { aud: [site.url] } })).expect(200);
  });

  test('an assertion of an unknown issuer is refused without a fetch of its keys', async () => {
    await using other = await openIssuer();
    const assertion = await other.sign(jobClaims(site));
    expect((await present(site, assertion).expect(400)).body.error).toBe('invalid_grant');
    expect(other.jwks.requests).toEqual([]);
  });

  test('a key outside the issuer’s set is refused, also if the header has jku, jwk or x5u', async () => {
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
    ['plain text', () => 'x'],
    ['a space', () => ' '],
    ['a JWE', () => 'a.b.c.d.e'],
    ['20,000 characters too many', (jwt: string) => `${jwt}${'x'.repeat(20_000)}`],
  ])('a malformed assertion is refused: %s', async (_what, change) => {
    const { body } = await present(site, change(await token())).expect(400);
    expect(body.error).toBe('invalid_grant');
  });

  test('an assertion with a MAC by the public key is refused (RFC 8725 §3.1)', async () => {
    const secret = new TextEncoder().encode(JSON.stringify(platform.key.publicJwk));
    const { SignJWT } = await import('jose');
    const claims = { ...jobClaims(site), iss: platform.issuer, jti: 'mac', exp: now() + 60 };
    const jwt = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret);
    expect((await present(site, jwt).expect(400)).body.error).toBe('invalid_grant');
  });

  test.each(['at+jwt', 'dpop+jwt', 'oauth-id-jag+jwt', 'client-authentication+jwt', 'logout+jwt'])(
    'an assertion with the typ %s is refused (RFC 8725 §3.11)',
    async (typ) => {
      await present(site, await token({ header: { typ } })).expect(400);
    },
  );

  test('a JWT bearer request without an assertion is refused with invalid_client', async () => {
    const { body } = await present(site, '').expect(401);
    expect(body.error).toBe('invalid_client');
  });

  test('a workload’s assertion is accepted once, in all processes', async () => {
    const used = await token();
    const answers = await Promise.all([present(site, used), present(second, used)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await present(second, used).expect(400)).body.error_description).toMatch(/used before/);
  });

  test('an assertion that was refused for its scope can be used again', async () => {
    const assertion = await token();
    expect((await present(site, assertion, { scope: 'profile' }).expect(400)).body.error).toBe(
      'invalid_scope',
    );
    await present(site, assertion, { scope: 'photos:read' }).expect(200);
  });

  test('a workload gets the scopes of its entry and no refresh token', async () => {
    const { body } = await present(site, await token()).expect(200);
    expect(body.scope).toBe('photos:read photos:write');
    expect(body).not.toHaveProperty('refresh_token');
    const claimed = await present(site, await token({ claims: { scope: 'profile' } })).expect(200);
    expect(claimed.body.scope).toBe('photos:read photos:write');
  });

  test('the access token of a workload expires after ten minutes', async () => {
    const { body } = await present(site, await token()).expect(200);
    letPass(601);
    expect((await callApi(site, body.access_token)).status).toBe(401);
  });

  test('a workload cannot use client_credentials', async () => {
    const { postToken } = await import('../../support/tokens.js');
    const fields = { grant_type: 'client_credentials', client_id: 'workload:publisher' };
    expect((await postToken(site, fields)).body.error).toBe('invalid_client');
  });

  test('a workload’s assertion beside client credentials is refused with invalid_grant', async () => {
    const client = await site.client();
    const { presentAs } = await import('../../support/issuer.js');
    expect((await presentAs(site, client, await token()).expect(400)).body.error).toBe('invalid_grant');
  });

  test('assertions with a wrong signature are rate limited, valid ones are not', async () => {
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
    // a valid assertion is still accepted
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
  /** A set of this many keys, with the platform's key in it. */
  const setOf = (count: number, key: object | undefined) => {
    const others = Array.from({ length: count - 1 }, (_each, index) => ({ ...key, kid: `other ${index}` }));
    return JSON.stringify({ keys: [key, ...others] });
  };

  test.each([
    ['with 10,000 keys', ([key]: object[]) => setOf(10_000, key), 200],
    ['with 21 keys', ([key]: object[]) => setOf(21, key), 200],
    ['from a redirect', () => '', 302],
    ['that is a list', () => '[]', 200],
    ['that is HTML', () => '<html>', 200],
    ['with status 500', () => '{}', 500],
    ['with a secret key', () => JSON.stringify({ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] }), 200],
  ])('a key set %s lets nobody in', async (_what, bodyOf, status) => {
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

  test('a key set that never arrives is given up after a time limit', async () => {
    await open();
    const endLimit = letLimitEnd(5000, 'by hand');
    platform.jwks.answer(() => endLimit());
    expect((await presented()).status).toBe(503);
    await close();
  });

  test('keys are fetched once, and again for an unknown key after a pause', async () => {
    await open();
    for (let count = 0; count < 3; count += 1) await presented();
    expect(platform.jwks.requests).toHaveLength(1);
    const unknown = await createTestKey('RS256');
    const guess = async () => present(site, await platform.sign(jobClaims(site), { key: unknown }));
    // the key may be newer than the cached set, and no client tries again after a 400
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

describe('workload entries that match too much', () => {
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
    ['no condition', {}, /lets in everybody whom the issuer knows/],
    ['a * alone', { subject: '*' }, /lets in everybody/],
    ['any owner', { subject: 'repo:*/site:ref:refs/heads/main' }, /lets in everybody/],
    ['any trust domain', { subject: 'spiffe://*/prod' }, /lets in everybody/],
    ['any namespace', { subject: 'system:serviceaccount:*:publisher' }, /lets in everybody/],
    ['any account of a cloud', { subject: 'arn:aws:iam::*:role/publisher' }, /lets in everybody/],
    [
      'only a branch at GitHub',
      { issuer: 'https://token.actions.githubusercontent.com', claims: { ref: 'refs/heads/main' } },
      /name one of the claims repository/,
    ],
    ['no keys', { jwksUri: undefined, subject: 'a:b' }, /keys in one place/],
    ['an unknown scope', { subject: 'a:b', scopes: ['x'] }, /not among scopes/],
    ['an http issuer', { subject: 'a:b', issuer: 'http://platform.example' }, /https/],
  ])('a workload entry with %s is refused when the server starts', async (_what, changes, text) => {
    await expect(openSite({ assertions: [workload(changes)] })).rejects.toThrow(text);
  });

  test('the * of a subject pattern matches within one part', async () => {
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
