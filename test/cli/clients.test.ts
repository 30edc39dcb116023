import { describe, expect, test } from '@jest/globals';

import { type CliOptions, runCli } from '../support/cli.js';
import { openFolder } from '../support/folder.js';
import { exitWith } from '../support/refusal.js';
import { siteFor } from '../support/site-for.js';
import { callApi, obtainTokens, tokenRequest } from '../support/tokens.js';

const REDIRECT = '--redirect-uri https://print.example/callback';

describe('express-authorization-server clients and grants', () => {
  const cli = (command: string, options: CliOptions = {}) =>
    runCli(command, { uri: site.database.uri, ...options });
  const json = async (command: string) => {
    const result = await cli(`${command} --json`);
    if (result.code !== 0) throw new Error(result.stderr);
    return JSON.parse(result.stdout);
  };

  const site = siteFor();

  test('clients create registers a client that works at once, and prints its secret', async () => {
    const client = await json(
      'clients create --name "Print shop" --id print-shop --scopes "photos:read profile" --grant-types client_credentials --introspection',
    );
    expect(client).toMatchObject({
      clientId: 'print-shop',
      type: 'confidential',
      scopes: ['photos:read', 'profile'],
      grantTypes: ['client_credentials'],
      introspection: true,
      trusted: false,
    });
    expect((await tokenRequest(site, client, { grant_type: 'client_credentials' })).status).toBe(200);
  });

  test('clients create refuses an http: initiate_login_uri unless the site is on loopback', async () => {
    const issuers = site.database.collection<{ _id: string }>('oauth_issuers');
    const create = () =>
      cli(`clients create --name "Print shop" ${REDIRECT} --set initiateLoginUri=http://127.0.0.1:8080/`);
    expect((await create()).code).toBe(0);
    await issuers.insertOne({ _id: 'issuer', issuer: 'https://as.example' } as never);
    const { stderr } = await cli(`clients create --name X ${REDIRECT} --scopes profile`);
    expect(stderr).toContain('add --issuer https://as.example while it runs');
    const refused = await create();
    await issuers.deleteMany({});
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/initiateLoginUri must be an https: URL/),
    ]);
  });

  test('clients create registers resource servers, which clients show prints', async () => {
    const urls = ['https://albums.example', site.url];
    const client = await json(
      `clients create --name "Albums API" --grant-types client_credentials --introspection --resources ${urls.join(' ')}`,
    );
    expect(client).toMatchObject({ introspection: true, resources: urls });
    expect((await cli(`clients show ${client.clientId}`)).stdout).toMatch(
      new RegExp(`^resources +${urls.join(' ')}$`, 'm'),
    );
    expect(await json(`clients update ${client.clientId} --name Albums`)).toMatchObject({
      name: 'Albums',
      resources: urls,
    });
    expect(
      await cli(
        'clients create --name No --grant-types client_credentials --resources https://albums.example',
      ),
    ).toMatchObject(exitWith(2, 'needs introspection'));
  });

  test('clients create prints the record on stdout, remarks on stderr, and the secret once', async () => {
    const { code, stdout, stderr } = await cli(
      `clients create --name "In words" ${REDIRECT} --scopes profile`,
    );
    expect(code).toBe(0);
    const [secret = ''] = /eas_cs_\S+/.exec(stdout) ?? [];
    const [, id = ''] = /client id +(\S+)/.exec(stdout) ?? [];
    expect(stdout).toMatch(/^name +In words$/m);
    expect(secret).not.toBe('');
    expect(stderr).toContain('cannot be shown again');
    expect(stderr).toContain('add --issuer and the address of the site while it runs');
    expect(stderr).not.toContain(secret);
    for (const command of [`show ${id}`, `show ${id} --json`, 'list', 'list --json']) {
      const displayed = await cli(`clients ${command}`);
      expect(displayed.stdout).toContain(id);
      expect(displayed.stdout + displayed.stderr).not.toContain('eas_cs_');
      expect(displayed.stdout).not.toContain('hash');
    }
  });

  test('clients create makes a public client without a secret', async () => {
    expect(await json(`clients create --name App --type public ${REDIRECT}`)).not.toHaveProperty(
      'clientSecret',
    );
  });

  test('clients create takes keys from a file or a URL, and then makes no secret', async () => {
    const key = {
      kty: 'OKP',
      crv: 'Ed25519',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      kid: 'first',
    };
    await using folder = await openFolder();
    const file = await folder.write('key.json', JSON.stringify(key));
    const create = `clients create --name Archive ${REDIRECT}`;
    const byFile = await json(`${create} --jwks ${file}`);
    expect(byFile).toMatchObject({ tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [key] } });
    expect(byFile).not.toHaveProperty('clientSecret');
    const { stdout } = await cli(`clients show ${byFile.clientId}`);
    expect(stdout).toMatch(/authenticates by +private_key_jwt/);
    expect(stdout).toMatch(/keys +first/);
    const jwksUri = 'https://archive.example/jwks.json';
    expect(await json(`${create} --jwks-uri ${jwksUri}`)).toMatchObject({ jwksUri, secrets: [] });
    await folder.write('key.json', 'no JSON');
    const wrong = await cli(`${create} --jwks ${file}`);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('It is no file of JSON')]);
  });

  test('clients create sets the authentication method, and refuses one that needs the site', async () => {
    const create = `clients create --name "By hand" ${REDIRECT} --token-endpoint-auth-method`;
    expect(await json(`${create} client_secret_post`)).toMatchObject({
      tokenEndpointAuthMethod: 'client_secret_post',
      clientSecret: expect.any(String),
    });
    const jwt = await cli(`${create} client_secret_jwt`);
    expect([jwt.code, jwt.stderr]).toEqual([2, expect.stringContaining('clientAuthentication.secretKey')]);
    const unknown = await cli(`${create} client_secret_telepathy`);
    expect(unknown.stderr).toContain('there are client_secret_basic');
  });

  test('clients create takes an existing secret from standard input and does not print it', async () => {
    const result = await cli(
      'clients create --name Old --id old --secret-stdin --grant-types client_credentials',
      { input: 'a secret of long ago\n' },
    );
    expect(result.code).toBe(0);
    expect(result.stdout + result.stderr).not.toContain('a secret of long ago');
    expect(
      (
        await tokenRequest(
          site,
          { ...(await site.client()), clientId: 'old', clientSecret: 'a secret of long ago' },
          { grant_type: 'client_credentials' },
        )
      ).status,
    ).toBe(200);
  });

  test('clients list prints a table and continues after --limit', async () => {
    const { stdout } = await cli('clients list');
    const [header = '', ...rows] = stdout.trimEnd().split('\n');
    expect(header).toMatch(/^CLIENT ID +NAME +TYPE +GRANT TYPES +SCOPES +CREATED$/);
    for (const row of rows) expect(row.slice(header.indexOf('TYPE'))).toMatch(/^(confidential|public)/);
    const first = await cli('clients list --limit 1 --json');
    const [client] = JSON.parse(first.stdout) as { clientId: string }[];
    expect(first.stderr).toContain(`--after ${client?.clientId}`);
    expect(
      (await json(`clients list --after ${client!.clientId}`)).map(
        ({ clientId }: { clientId: string }) => clientId,
      ),
    ).not.toContain(client?.clientId);
  });

  test('clients list replaces control characters in a name', async () => {
    await site.database.update('oauth_clients', 'old', { $set: { name: 'Old\u001b[2J\nfake' } });
    const { stdout } = await cli('clients list');
    expect(stdout).toContain('Old?[2J?fake');
    expect(stdout).not.toContain('\u001b');
  });

  test('clients update changes its options and nothing else', async () => {
    const client = await site.client({ scopes: ['profile'] });
    const updated = await json(
      `clients update ${client.clientId} --name Renamed --trusted --redirect-uri https://new.example/cb`,
    );
    expect(updated).toMatchObject({
      name: 'Renamed',
      trusted: true,
      redirectUris: ['https://new.example/cb'],
      scopes: ['profile'],
      grantTypes: client.grantTypes,
    });
    expect(await cli(`clients update ${client.clientId}`)).toMatchObject(exitWith(2, 'nothing to change'));
  });

  test('clients update leaves the authentication method', async () => {
    const tokenEndpointAuthMethod = 'client_secret_post';
    const { clientId } = await site.client({ tokenEndpointAuthMethod });
    expect(await json(`clients update ${clientId} --name "Other name"`)).toMatchObject({
      name: 'Other name',
      tokenEndpointAuthMethod,
    });
  });

  test('clients rotate-secret prints a secret that works, and the old one works for --overlap', async () => {
    const client = await site.client();
    const ask = (clientSecret: string | undefined) =>
      tokenRequest(
        site,
        { ...client, ...(clientSecret !== undefined && { clientSecret }) },
        { grant_type: 'client_credentials' },
      );
    const rotated = await json(`clients rotate-secret ${client.clientId}`);
    expect((await ask(rotated.clientSecret)).status).toBe(200);
    expect((await ask(client.clientSecret)).status).toBe(200);
    const again = await json(`clients rotate-secret ${client.clientId} --overlap 0`);
    expect((await ask(again.clientSecret)).status).toBe(200);
    expect((await ask(rotated.clientSecret)).status).toBe(401);
  });

  test('clients delete needs a confirmation and ends the tokens', async () => {
    const client = await site.client();
    const { access_token } = await obtainTokens(site, client);
    expect(await cli(`clients delete ${client.clientId}`)).toMatchObject(exitWith(2, '--yes'));
    const terminal = { isTerminal: true, input: 'n\n' };
    const decline = await cli(`clients delete ${client.clientId}`, terminal);
    expect(decline).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\[y\/N\] [^]*nothing was deleted/),
    });
    expect((await callApi(site, access_token)).status).toBe(200);
    expect(await json(`clients delete ${client.clientId} --yes`)).toEqual({
      clientId: client.clientId,
      deleted: true,
    });
    expect((await callApi(site, access_token)).status).toBe(401);
    const other = await site.client();
    const agree = await cli(`clients delete ${other.clientId}`, { ...terminal, input: 'y\n' });
    expect(agree).toMatchObject({ code: 0, stdout: expect.stringContaining('Deleted') });
  });

  test('clients block suspends a client with a reason, and clients unblock restores it', async () => {
    const client = await site.client();
    const { access_token: token } = await obtainTokens(site, client);
    const { clientId } = client;
    const reason = 'It sends spam.\u001b[2J';
    expect(await cli(`clients block ${clientId} --reason "${reason}"`)).toMatchObject({ code: 2 });
    expect(await json(`clients block ${clientId} --reason "It sends spam."`)).toMatchObject({
      clientId,
      blocked: { at: expect.any(String), reason: 'It sends spam.' },
    });
    expect((await callApi(site, token)).status).toBe(401);
    expect((await cli(`clients show ${clientId}`)).stdout).toMatch(/^blocked +since .*: It sends spam\.$/m);
    expect((await cli('clients list --limit 1000')).stdout).toContain('Printing shop (blocked)');
    expect((await json(`clients unblock ${clientId}`)).blocked).toBeUndefined();
    expect((await callApi(site, token)).status).toBe(200);
    expect((await cli(`clients show ${clientId}`)).stdout).not.toContain('blocked');
    for (const command of ['block', 'unblock'])
      expect(await cli(`clients ${command} nobody`)).toMatchObject(exitWith(1, 'there is no client nobody'));
  });

  test('clients add-owner and remove-owner change the owners, which clients show prints', async () => {
    const { clientId } = await json(`clients create --name Shared ${REDIRECT} --owner ada`);
    expect((await json(`clients add-owner ${clientId} bob`)).coOwnerIds).toEqual(['bob']);
    expect((await cli(`clients show ${clientId}`)).stdout).toMatch(/^owner +ada\nother owners +bob$/m);
    const removed = await cli(`clients remove-owner ${clientId} ada`);
    expect(removed).toMatchObject(exitWith(0, 'clients rotate-secret'));
    expect(removed.stdout).toMatch(/^owner +bob$/m);
    expect(removed.stdout).not.toContain('other owners');
    expect(await cli(`clients remove-owner ${clientId} bob`)).toMatchObject(
      exitWith(2, 'nobody else owns the client'),
    );
    expect(await cli(`clients remove-owner ${clientId} eve`)).toMatchObject(exitWith(1, 'eve is no owner'));
    expect((await cli('clients add-owner nobody bob')).code).toBe(1);
    expect((await cli('clients remove-owner nobody bob')).code).toBe(1);
  });

  test('clients approve removes the wait for approval', async () => {
    const { clientId } = await site.client();
    await site.database.update('oauth_clients', clientId, { $set: { awaitsApprovalSince: new Date() } });
    expect((await cli(`clients show ${clientId}`)).stdout).toMatch(/^waits for approval +since /m);
    expect((await json(`clients approve ${clientId}`)).awaitsApprovalSince).toBeUndefined();
    expect((await cli(`clients show ${clientId}`)).stdout).not.toContain('waits for approval');
    expect((await cli('clients approve nobody')).code).toBe(1);
  });

  test('--verified verifies a client, and --no-verified removes it', async () => {
    const { clientId } = await json(`clients create --name "Looked at" ${REDIRECT} --verified`);
    expect((await cli(`clients show ${clientId}`)).stdout).toMatch(/^verified +yes$/m);
    expect((await json(`clients update ${clientId} --no-verified`)).verified).toBe(false);
    expect((await json(`clients update ${clientId} --name "Still not"`)).verified).toBe(false);
  });

  test('--no-granular-consent gives users all or nothing, and --granular-consent a choice', async () => {
    const { clientId } = await json(`clients create --name Old ${REDIRECT} --no-granular-consent`);
    expect((await cli(`clients show ${clientId}`)).stdout).toMatch(/^granular consent +no, all or nothing$/m);
    await cli(`clients update ${clientId} --granular-consent`);
    expect((await cli(`clients show ${clientId}`)).stdout).not.toContain('granular consent');
  });

  test('--publisher sets the publisher of a verified client, and --no-publisher removes it', async () => {
    const verified = `--name Published ${REDIRECT} --verified --publisher "Ink Ltd"`;
    const { clientId } = await json(`clients create ${verified}`);
    expect((await cli(`clients show ${clientId}`)).stdout).toMatch(/^published by +Ink Ltd$/m);
    expect(await json(`clients update ${clientId} --no-publisher`)).not.toHaveProperty('publisher');
    await cli(`clients update ${clientId} --publisher "Ink Ltd"`);
    expect(await json(`clients update ${clientId} --no-verified`)).not.toHaveProperty('publisher');
    const refused = await cli(`clients update ${clientId} --publisher "Ink Ltd"`);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Only a verified client')]);
  });

  test('grants revoke ends the grants of one user at a client', async () => {
    const client = await site.client();
    const [ada, grace] = [
      await obtainTokens(site, client),
      await obtainTokens(site, client, { as: 'grace' }),
    ];
    expect(await json(`grants revoke --user ada --client ${client.clientId}`)).toEqual({
      userId: 'ada',
      clientId: client.clientId,
      revoked: 1,
    });
    expect((await callApi(site, ada.access_token)).status).toBe(401);
    expect((await callApi(site, grace.access_token)).status).toBe(200);
    expect((await cli(`grants revoke --client ${client.clientId}`)).stdout).toBe('1 grant has ended.\n');
    expect((await cli('grants revoke --user nobody')).code).toBe(1);
  });

  test('--issuer checks scopes against the running site', async () => {
    const create = (scope: string) =>
      cli(`clients create --name Checked ${REDIRECT} --scopes ${scope} --issuer ${site.url}`);
    const refused = await create('photos:raed');
    expect(refused).toMatchObject(exitWith(2, "There is no scope photos:raed; did you mean 'photos:read'?"));
    expect(refused.stderr).toContain('photos:write');
    const right = await create('photos:read');
    expect(right.code).toBe(0);
    expect(right.stderr).not.toContain('not checked');
  });

  test.each([
    ['no name', 'clients create', 2, '--name'],
    ['an unknown command', 'client list', 2, 'Did you mean clients'],
    [
      'a redirect URI without TLS',
      'clients create --name x --redirect-uri http://print.example/cb',
      2,
      'use https:',
    ],
    ['a client without redirect URI', 'clients create --name x', 2, 'redirect URI is needed'],
    ['a malformed scope', `clients create --name x ${REDIRECT} --scopes a\\b`, 2, 'is not a scope'],
    ['an invalid limit', 'clients list --limit many', 2, 'whole number'],
    [
      'an existing id',
      `clients create --name x --id print-shop ${REDIRECT}`,
      2,
      'there is a client print-shop already\n  `clients update` changes it',
    ],
    ['no user and no client', 'grants revoke', 2, 'which grants'],
    ['an unknown client to delete', 'clients delete nope --yes', 1, 'no client nope'],
  ])('a command with %s exits with a code and a sentence', async (_title, command, code, sentence) => {
    expect(await cli(command)).toEqual({ code, stdout: '', stderr: expect.stringContaining(sentence) });
  });

  test('a missing, unreachable or invalid database gets its error, without a password', async () => {
    expect(await runCli(['clients', 'list'])).toMatchObject(exitWith(2, 'MONGODB_URI'));
    expect(await runCli(['clients', 'list'], { uri: 'postgres://x' })).toMatchObject(
      exitWith(2, 'no MongoDB URI'),
    );
    const down = await runCli(['clients', 'list'], {
      uri: 'mongodb://user:geheim@127.0.0.1:1/x?serverSelectionTimeoutMS=500',
    });
    expect(down).toMatchObject({ code: 3, stdout: '' });
    expect(down.stderr).not.toContain('geheim');
  });

  test('--help lists the exit codes and describes each command', async () => {
    const { code, stdout } = await cli('--help');
    expect(code).toBe(0);
    expect(stdout).toContain('Exit codes:');
    expect((await cli('clients create --help')).stdout).toContain('--redirect-uri');
  });
});
