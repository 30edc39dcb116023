import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { gitlab, kubernetes } from '../../../lib/index.js';
import { createTestKey } from '../../support/assertions.js';
import { openIssuer, present, type TestIssuer } from '../../support/issuer.js';
import { openSite, type Site } from '../../support/site.js';
import { callApi } from '../../support/tokens.js';

describe('the tokens of other platforms', () => {
  let gitlabIssuer: TestIssuer;
  let cluster: TestIssuer;
  let spire: TestIssuer;
  let cloud: TestIssuer;
  let site: Site;
  const scopes = ['photos:read'];
  beforeAll(async () => {
    [gitlabIssuer, cluster, spire, cloud] = (await Promise.all([1, 2, 3, 4].map(() => openIssuer()))) as [
      TestIssuer,
      TestIssuer,
      TestIssuer,
      TestIssuer,
    ];
    const of = ({ issuer, jwksUri }: TestIssuer) => ({ issuer, jwksUri });
    site = await openSite({
      rateLimits: false,
      assertions: {
        trust: [
          { ...gitlab({ name: 'gitlab', project: 'photos/site', ref: 'main', scopes }), ...of(gitlabIssuer) },
          kubernetes({ name: 'pod', ...of(cluster), namespace: 'prod', serviceAccount: 'publisher', scopes }),
          {
            ...{ kind: 'workload', name: 'spiffe', ...of(spire), singleUse: false, scopes },
            subject: 'spiffe://photos.example/ns/prod/sa/*',
          },
          { kind: 'workload', name: 'cloud', ...of(cloud), singleUse: false, scopes, subject: '1057' },
        ],
      },
    });
  });
  afterAll(async () => {
    await site.close();
    await Promise.all([gitlabIssuer, cluster, spire, cloud].map((issuer) => issuer.close()));
  });

  /** What a job of GitLab says about itself. */
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
    ['as it is', {}, 200],
    ['of another project', { project_path: 'photos/other' }, 400],
    ['of another branch', { ref: 'other' }, 400],
    ['of a tag of the name', { ref_type: 'tag' }, 400],
    ['of a branch that anybody can push to', { ref_protected: 'false' }, 400],
    ['of a merge request', { pipeline_source: 'merge_request_event' }, 400],
    ['of a pull request elsewhere', { pipeline_source: 'external_pull_request_event' }, 400],
    ['that does not say what started it', { pipeline_source: undefined }, 400],
  ])('one of GitLab %s', async (_what, claims, status) => {
    await present(site, await gitlabIssuer.sign(gitlabClaims(), { claims })).expect(status);
  });

  test('one of Kubernetes is good until it is rotated, for its service account alone', async () => {
    const of = (sub: string) => cluster.sign({ sub, aud: [site.url] });
    const assertion = await of('system:serviceaccount:prod:publisher');
    const { body } = await present(site, assertion).expect(200);
    expect((await callApi(site, body.access_token)).body).toMatchObject({ clientId: 'workload:pod' });
    await present(site, assertion).expect(200);
    await present(site, await of('system:serviceaccount:prod:publisher2')).expect(400);
    await present(site, await of('system:serviceaccount:dev:publisher')).expect(400);
  });

  test.each([
    ['as it is', 'spiffe://photos.example/ns/prod/sa/publisher', {}, 200],
    [
      'with the other typ of JWT-SVID §2.3',
      'spiffe://photos.example/ns/prod/sa/publisher',
      { typ: 'JOSE' },
      200,
    ],
    ['of another namespace', 'spiffe://photos.example/ns/dev/sa/publisher', {}, 400],
    ['of another trust domain', 'spiffe://other.example/ns/prod/sa/publisher', {}, 400],
    ['with a part more', 'spiffe://photos.example/ns/prod/sa/publisher/x', {}, 400],
  ])('one of SPIFFE %s', async (_what, sub, header, status) => {
    await present(site, await spire.sign({ sub, aud: site.url, jti: undefined }, { header })).expect(status);
  });

  test('is good although the issuer has keys of a kind that is not known here, and keys to encrypt to (RFC 7517 §5)', async () => {
    const encrypting = { ...(await createTestKey('RSA-OAEP')).publicJwk, use: 'enc', alg: 'RSA-OAEP' };
    const unknown = { kty: 'AKP', alg: 'ML-DSA-44', kid: 'new', pub: 'AAAA' };
    const issuer = await openIssuer();
    issuer.jwks.json({ keys: [unknown, encrypting, issuer.key.publicJwk] });
    const { issuer: iss, jwksUri } = issuer;
    const newer = await openSite({
      assertions: {
        trust: [{ kind: 'workload', name: 'new', issuer: iss, jwksUri, subject: '1057', scopes }],
      },
    });
    await present(newer, await issuer.sign({ sub: '1057', aud: newer.url })).expect(200);
    await newer.close();
    await issuer.close();
  });

  test('one of a cloud is known by its exact subject', async () => {
    await present(site, await cloud.sign({ sub: '1057', aud: site.url, jti: undefined })).expect(200);
    await present(site, await cloud.sign({ sub: '10570', aud: site.url, jti: undefined })).expect(400);
  });
});
