import { describe, expect, test } from '@jest/globals';

import type { WorkloadTrust } from '../../../lib/index.js';
import { createTestKey } from '../../support/assertions.js';
import { letPass } from '../../support/clock.js';
import { openIssuer, present, type TestIssuer } from '../../support/issuer.js';
import { openSite } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi } from '../../support/tokens.js';

describe('the tokens of other platforms', () => {
  const scopes = ['photos:read'];
  /** A Kubernetes pod sends its projected token more than once, until the token is rotated. */
  const podOf = ({ issuer, jwksUri }: TestIssuer, name: string): WorkloadTrust => ({
    ...{ kind: 'workload', name, issuer, jwksUri, scopes, singleUse: false, maxTtl: 86_400 },
    subject: 'system:serviceaccount:prod:publisher',
  });
  const of = ({ issuer, jwksUri }: TestIssuer) => ({ issuer, jwksUri });
  const gitlabIssuer = fixture(() => openIssuer());
  const cluster = fixture(() => openIssuer());
  const spire = fixture(() => openIssuer());
  const cloud = fixture(() => openIssuer());
  const site = siteFor(() => ({
    security: { rateLimits: false },
    spiffe: { 'svid.example': { jwksUri: spire.jwksUri } },
    assertions: [
      {
        ...{ kind: 'workload', name: 'gitlab', ...of(gitlabIssuer), scopes },
        claims: {
          project_path: 'photos/site',
          ref: 'main',
          ref_type: 'branch',
          ref_protected: 'true',
          pipeline_source: 'push',
        },
      },
      podOf(cluster, 'pod'),
      {
        ...{ kind: 'workload', name: 'spiffe', ...of(spire), singleUse: false, scopes },
        subject: 'spiffe://photos.example/ns/prod/sa/*',
      },
      {
        ...{ kind: 'workload', name: 'svid', issuer: 'spiffe://svid.example', singleUse: false, scopes },
        subject: 'spiffe://svid.example/ns/prod/sa/*',
      },
      {
        ...{ kind: 'workload', name: 'other', issuer: 'spiffe://other.example', jwksUri: cloud.jwksUri },
        ...{ singleUse: false, scopes, subject: 'spiffe://other.example/job' },
      },
      { kind: 'workload', name: 'cloud', ...of(cloud), singleUse: false, scopes, subject: '1057' },
    ],
  }));

  const gitlabClaims = () => ({
    aud: site.url,
    sub: 'project_path:photos/site:ref_type:branch:ref:main',
    project_path: 'photos/site',
    ref: 'main',
    ref_type: 'branch',
    ref_protected: 'true',
    pipeline_source: 'push',
  });

  test.each([
    ['unchanged', {}, 200],
    ['of another project', { project_path: 'photos/other' }, 400],
    ['of another branch', { ref: 'other' }, 400],
    ['of a tag with the branch’s name', { ref_type: 'tag' }, 400],
    ['of an unprotected branch', { ref_protected: 'false' }, 400],
    ['of a merge request', { pipeline_source: 'merge_request_event' }, 400],
    ['of an external pull request', { pipeline_source: 'external_pull_request_event' }, 400],
    ['without pipeline_source', { pipeline_source: undefined }, 400],
  ])('only GitLab tokens of the trusted branch are accepted: %s', async (_what, claims, status) => {
    await present(site, await gitlabIssuer.sign(gitlabClaims(), { claims })).expect(status);
  });

  test('a Kubernetes token works more than once, and only for its service account', async () => {
    const of = (sub: string) => cluster.sign({ sub, aud: [site.url] });
    const assertion = await of('system:serviceaccount:prod:publisher');
    const { body } = await present(site, assertion).expect(200);
    expect((await callApi(site, body.access_token)).body).toMatchObject({ clientId: 'workload:pod' });
    await present(site, assertion).expect(200);
    await present(site, await of('system:serviceaccount:prod:publisher2')).expect(400);
    await present(site, await of('system:serviceaccount:dev:publisher')).expect(400);
  });

  test.each([
    ['unchanged', 'spiffe://photos.example/ns/prod/sa/publisher', {}, 200],
    ['with typ JOSE (JWT-SVID §2.3)', 'spiffe://photos.example/ns/prod/sa/publisher', { typ: 'JOSE' }, 200],
    ['of another namespace', 'spiffe://photos.example/ns/dev/sa/publisher', {}, 400],
    ['of another trust domain', 'spiffe://other.example/ns/prod/sa/publisher', {}, 400],
    ['with another path segment', 'spiffe://photos.example/ns/prod/sa/publisher/x', {}, 400],
  ])('only JWT-SVIDs of the trusted path are accepted: %s', async (_what, sub, header, status) => {
    await present(site, await spire.sign({ sub, aud: site.url, jti: undefined }, { header })).expect(status);
  });

  test.each<[string, string, object, number]>([
    ['without an iss', 'spiffe://svid.example/ns/prod/sa/publisher', { iss: undefined }, 200],
    ['with an iss, which is ignored', 'spiffe://svid.example/ns/prod/sa/publisher', {}, 200],
    ['of another path', 'spiffe://svid.example/ns/dev/sa/publisher', { iss: undefined }, 400],
    ['of a trust domain with other keys', 'spiffe://other.example/job', { iss: undefined }, 400],
    ['of an unknown trust domain', 'spiffe://third.example/job', { iss: undefined }, 400],
    ['without a path', 'spiffe://svid.example', { iss: undefined }, 400],
    ['with a trust domain only in iss', 'job', { iss: 'spiffe://svid.example' }, 400],
    [
      'for another audience',
      'spiffe://svid.example/ns/prod/sa/a',
      { iss: undefined, aud: 'https://x.example' },
      400,
    ],
  ])('a JWT-SVID is verified with the keys of its trust domain: %s', async (_what, sub, claims, status) => {
    const svid = await spire.sign({ sub, aud: site.url, jti: undefined }, { claims: claims as never });
    const { body } = await present(site, svid).expect(status);
    if (status === 200)
      expect((await callApi(site, body.access_token)).body).toMatchObject({ clientId: 'workload:svid' });
  });

  test('a SPIFFE entry without keys is refused when the server starts', async () => {
    const entry = { kind: 'workload', name: 'svid', issuer: 'spiffe://svid.example', scopes };
    const trust = [{ ...entry, subject: 'spiffe://svid.example/ns/*' }] as never;
    await expect(openSite({ assertions: trust })).rejects.toThrow('give jwksUri, or jwks');
  });

  test('two clusters with one issuer name are distinguished by their keys', async () => {
    const name = 'https://kubernetes.default.svc.cluster.local';
    const [east, west, third] = (await Promise.all([1, 2, 3].map(() => openIssuer(name)))) as [
      TestIssuer,
      TestIssuer,
      TestIssuer,
    ];
    const both = await openSite({
      security: { rateLimits: false },
      assertions: [podOf(east, 'east'), podOf(west, 'west')],
    });
    const claims = { sub: 'system:serviceaccount:prod:publisher', aud: [both.url] };
    const clientOf = async (cluster: TestIssuer) => {
      const { body } = await present(both, await cluster.sign(claims)).expect(200);
      return (await callApi(both, body.access_token)).body.clientId;
    };
    expect([await clientOf(east), await clientOf(west)]).toEqual(['workload:east', 'workload:west']);
    // an unknown key may be new until the keys are fetched again
    await present(both, await third.sign(claims)).expect(503);
    letPass(31);
    await present(both, await third.sign(claims)).expect(400);
    letPass(31);
    await present(both, await west.sign({ ...claims, aud: 'https://other.example' })).expect(400);
    await both.close();
    // while the keys of one cluster are unavailable, the other works, and no valid token is called invalid
    await east.close();
    const half = await openSite({
      security: { rateLimits: false },
      assertions: [podOf(east, 'east'), podOf(west, 'west')],
    });
    await present(half, await west.sign({ ...claims, aud: half.url })).expect(200);
    const { body } = await present(half, await third.sign({ ...claims, aud: half.url })).expect(503);
    expect(body.error).toBe('temporarily_unavailable');
    await Promise.all([half.close(), west.close(), third.close()]);
    const twice = [podOf(east, 'one'), podOf(east, 'other')];
    await expect(openSite({ assertions: twice })).rejects.toThrow(
      'is never used: an earlier workload has the same issuer, keys, subject and claims',
    );
  });

  test('an issuer may also publish unknown key types and encryption keys (RFC 7517 §5)', async () => {
    const encrypting = { ...(await createTestKey('RSA-OAEP')).publicJwk, use: 'enc', alg: 'RSA-OAEP' };
    const unknown = { kty: 'AKP', alg: 'ML-DSA-44', kid: 'new', pub: 'AAAA' };
    await using issuer = await openIssuer();
    issuer.jwks.json({ keys: [unknown, encrypting, issuer.key.publicJwk] });
    const { issuer: iss, jwksUri } = issuer;
    await using newer = await openSite({
      assertions: [{ kind: 'workload', name: 'new', issuer: iss, jwksUri, subject: '1057', scopes }],
    });
    await present(newer, await issuer.sign({ sub: '1057', aud: newer.url })).expect(200);
  });

  test('a cloud token is accepted only with its exact subject', async () => {
    await present(site, await cloud.sign({ sub: '1057', aud: site.url, jti: undefined })).expect(200);
    await present(site, await cloud.sign({ sub: '10570', aud: site.url, jti: undefined })).expect(400);
  });
});
