import { expect, test } from '@jest/globals';

import { runCli } from '../support/cli.js';
import { siteFor } from '../support/site-for.js';
import { callApi } from '../support/tokens.js';

const site = siteFor({ personalAccessTokens: true });

const run = (command: string) => runCli(`access-tokens ${command}`, { uri: site.database.uri });

test('access-tokens creates a token that the guard lets in, lists, rotates and revokes it', async () => {
  const made = await run('create --user ada --name "Nightly backup" --scope photos:read');
  const token = made.stdout.trim();
  expect(token).toMatch(/^eas_pat_/);
  expect((await callApi(site, token, '/api/photos')).body).toMatchObject({ kind: 'personal', userId: 'ada' });

  const listed = await run('list --user ada --json');
  const [{ id }] = JSON.parse(listed.stdout) as [{ id: string }];
  expect(listed.stdout).not.toContain(token);
  expect((await run('list --user ada')).stdout).toContain('Nightly backup');

  const next = (await run(`rotate ${id} --overlap 0`)).stdout.trim();
  expect([(await callApi(site, token)).status, (await callApi(site, next)).status]).toEqual([401, 200]);
  expect(await run(`revoke ${id}`)).toMatchObject({ code: 0, stdout: 'Nightly backup has ended.\n' });
  expect((await callApi(site, next)).status).toBe(401);
  expect(await run(`revoke ${id}`)).toMatchObject({ code: 1 });
});

test('access-tokens create stops at 50 tokens of a user', async () => {
  for (let made = 0; made < 50; made += 1)
    await site.oauth.personalAccessTokens.create({ userId: 'grace', name: 'Job', scopes: ['profile'] });
  const refused = await run('create --user grace --name Job --scope profile');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('there are 50 live tokens, or more');
});

test('access-tokens blocks and unblocks a token', async () => {
  const made = await run('create --user eve --name "Busy job" --scope profile --json');
  const { id, token } = JSON.parse(made.stdout) as { id: string; token: string };
  expect(await run(`block ${id} --reason "It calls too often"`)).toMatchObject({
    code: 0,
    stdout: 'Busy job is blocked.\n',
  });
  expect((await callApi(site, token)).status).toBe(401);
  expect((await run('list --user eve')).stdout).toContain('Busy job (blocked)');
  expect(await site.oauth.personalAccessTokens.find(id)).toMatchObject({
    blocked: { reason: 'It calls too often' },
  });
  expect((await run(`unblock ${id}`)).stdout).toBe('Busy job is not blocked any more.\n');
  expect((await callApi(site, token)).status).toBe(200);
  expect((await run('block no-such-token')).code).not.toBe(0);
});

test('access-tokens creates a service token without an end, and revokes it by its value', async () => {
  const made = await run('create --owner ada --owner grace --name Job --scope profile');
  const token = made.stdout.trim();
  expect((await callApi(site, token)).body).toMatchObject({ kind: 'service' });
  expect((await run('list --owner grace')).stdout).toContain('never');
  expect((await run(`revoke secret-token:${token}`)).code).toBe(0);
  expect((await callApi(site, token)).status).toBe(401);
});

test('access-tokens rotate leaves a token without an end', async () => {
  const made = await run('create --user bob --name "For good" --scope profile --no-expiry --json');
  const { id, expiresAt } = JSON.parse(made.stdout) as { id: string; expiresAt: string | null };
  expect(expiresAt).toBeNull();
  const next = await run(`rotate ${id} --json`);
  expect(JSON.parse(next.stdout)).toMatchObject({ id, expiresAt: null });
});

const JOB = 'create --user a --name x';

test.each([
  [`${JOB} --scope profile --days 0`, 'Write days, 1 to 36525'],
  [`${JOB} --scope profile --days 99999999`, 'Write days, 1 to 36525'],
  [`${JOB} --scope "profile photos:read"`, 'Write one scope'],
  [`${JOB} --scope ""`, 'Write one scope'],
  ['create --user "" --name x --scope profile', 'Write the id of a user'],
  ['rotate x --overlap 99999999', 'at most 2592000'],
  ['create --name x --scope profile', 'whose token?'],
  ['create --user a --owner b --name x --scope profile', 'whose token?'],
  ['create --user a --name x\u202ey --scope profile', 'cannot be seen'],
  ['list', 'whose tokens?'],
])('access-tokens refuses %j', async (command, problem) => {
  const { code, stderr } = await run(command);
  expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
});
