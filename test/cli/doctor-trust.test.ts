import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { checkTrust } from '../../lib/cli/doctor/trust.js';
import { createTestKey } from '../support/assertions.js';
import { runCli } from '../support/cli.js';
import { findingsOf } from '../support/findings.js';
import { type Folder, openFolder } from '../support/folder.js';
import { openJwksServer } from '../support/jwks-server.js';
import { fixture } from '../support/site-for.js';

describe('doctor on the trusted issuers in the source of a site', () => {
  let folder: Folder;
  const keys = fixture(() => openJwksServer());
  beforeEach(async () => {
    const dependencies = { 'express-authorization-server': '1' };
    folder = await openFolder({ 'package.json': JSON.stringify({ dependencies }) });
    keys.json({ keys: [(await createTestKey()).publicJwk] });
    keys.requests.length = 0;
  });
  afterEach(() => folder.close());

  const found = async (text: string) => {
    await folder.write('app.js', text);
    return (await findingsOf((report) => checkTrust(report, folder.path))).map(
      ({ severity, check, what }) => `${severity} ${check}: ${what}`,
    );
  };
  const entryWith = (subject: string) =>
    `assertions: [{ kind: 'workload', name: 'x', subject: ${subject}, scopes: ['a'] }]`;

  test.each([
    'repo:photos/*:ref:refs/heads/main',
    'repo:photos/*',
    'spiffe://photos.example/ns/*/sa/*',
    'spiffe://photos.example/*',
    'system:serviceaccount:prod:*',
    'arn:aws:iam::123456789012:*/x',
  ])('doctor warns of the broad subject %s', async (pattern) => {
    const warning = `warning trust.width: assertions has the subject '${pattern}', which lets in many`;
    expect(await found(entryWith(`'${pattern}'`))).toEqual([warning]);
    expect(await found(entryWith(`['repo:photos/site:ref:refs/heads/main', "${pattern}"]`))).toEqual([
      warning,
    ]);
  });

  test.each([
    'repo:photos/site:ref:refs/heads/main',
    'spiffe://photos.example/ns/prod/sa/*',
    'project:photos:branch:release-*',
    'repo:photos/site:*',
  ])('doctor does not warn of the subject %s', async (pattern) => {
    expect(await found(entryWith(`'${pattern}'`))).toEqual([]);
  });

  test('doctor ignores patterns in other code and in comments', async () => {
    expect(await found("app.use(cors({ origin: 'https://*.example', subject: 'a:*' }))")).toEqual([]);
    expect(await found("// kind: 'workload', subject: 'repo:photos/*:x'")).toEqual([]);
    await folder.write('package.json', '{}');
    expect(await found(entryWith("'repo:photos/*:x'"))).toEqual([]);
  });

  test('doctor fetches the keys of trusted issuers and trust domains', async () => {
    const source = (url: string) => `
      assertions: [{ findUser: () => { return true; }, kind: 'enterprise', jwksUri: '${url}' }],
      spiffe: { 'photos.example': { jwksUri: "${url}?of=domain" } },
      clients: [{ name: 'x', jwksUri: '${url}?of=client' }],`;
    expect(await found(source(keys.url))).toEqual([]);
    expect([...keys.requests].sort()).toEqual(['/jwks', '/jwks?of=domain']);
    keys.json({ keys: [] });
    expect(await found(source(keys.url))).toEqual([
      expect.stringMatching(
        /^warning trust.keys: the keys at .*\/jwks could not be fetched from here: .*0 keys/,
      ),
      expect.stringContaining('/jwks?of=domain could not be fetched'),
    ]);
    keys.answer((_req, res) => res.writeHead(404).end());
    expect((await found(source(keys.url)))[0]).toContain('status 404');
  });

  test('doctor --issuer reads the source, too', async () => {
    await folder.write('app.js', entryWith("'repo:photos/*:ref:refs/heads/main'"));
    const { stdout } = await runCli(['doctor', '--issuer', 'http://127.0.0.1:9'], { cwd: folder.path });
    expect(stdout).toContain('[trust.width]');
  });
});
