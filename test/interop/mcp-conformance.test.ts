import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { type DocumentServer, openDocumentServer } from '../support/client-documents.js';
import { createPerson, locationOf, type Person } from '../support/person.js';
import { openSite, type Site } from '../support/site.js';
import { findFreePorts } from './support/example.js';

/**
 * The runner of the Model Context Protocol; 0.1 has no part for authorization servers. It needs Node 22, which npm has
 * as a package, so it is not a dependency here.
 */
const RUNNER = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const NPX = ['--yes', '--package', 'node@22', '--package', RUNNER, '--', 'conformance'];

/** A script installs the binary of the package `node`; without it the runner would start with the current Node. */
const env = { ...process.env, npm_config_ignore_scripts: 'false' };
const found = spawnSync('npx', [...NPX, '--version'], { env, encoding: 'utf8', timeout: 180_000 });
const isThere = found.status === 0;
// if the registry answers, a runner that does not start is a failure, which must not be skipped silently
const canFetch = isThere || spawnSync('npm', ['view', RUNNER, 'version'], { timeout: 60_000 }).status === 0;
const reason = isThere ? '' : `: npx brings no Node 22 with ${RUNNER}, ${whyOf(found)}`;
if (!isThere) process.stderr.write(`NOT CHECKED BY THE CONFORMANCE RUNNER OF MCP${reason}\n`);
const describeWithRunner = canFetch ? describe : describe.skip;

function whyOf({ error, stderr }: ReturnType<typeof spawnSync>): string {
  return error?.message ?? (String(stderr).trim().split('\n').at(-1) || 'it gave no reason');
}

/** One check of the runner. */
interface Check {
  readonly id: string;
  readonly description: string;
  readonly status: string;
  readonly errorMessage?: string;
}

const MCP = 'https://photos.example/mcp';

describeWithRunner(`the conformance runner of MCP ${reason}`, () => {
  let site: Site;
  let ada: Person;
  let documents: DocumentServer;
  let folder = '';
  const seen: (readonly [string, Check])[] = [];

  beforeAll(async () => {
    if (!isThere) throw new Error(`it does not start${reason}`);
    folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
    documents = await openDocumentServer();
    site = await openSite({
      agents: true,
      clientIdMetadataDocuments: { allowLoopback: true },
      resources: { [MCP]: { scopes: ['photos:read'] } },
    });
    ada = createPerson(site);
    await ada.logIn();
  });
  afterAll(async () => {
    const rows = seen.map(
      ([client, { status, description }]) => `  ${status.padEnd(8)} ${client.padEnd(15)} ${description}`,
    );
    process.stderr.write(`${RUNNER} has checked:\n${rows.join('\n')}\n`);
    await site?.close();
    await documents?.close();
    if (folder !== '') await rm(folder, { recursive: true });
  });

  /** Runs all its checks for authorization servers; a browser, if needed, is Ada's. */
  async function run(client: string, given: (port: number) => Promise<readonly string[]>): Promise<Check[]> {
    const [port] = (await findFreePorts(1)) as [number];
    const output = join(folder, client.replaceAll(' ', '-'));
    const flags = ['--url', site.url, '--port', String(port), '--resource', MCP, '--output-dir', output];
    const child = spawn('npx', [...NPX, 'authorization', ...flags, ...(await given(port))], { env });
    let said = '';
    let isAllowed = false;
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const [address] = /^http\S+\/authorize\?\S+$/m.exec(said) ?? [];
      if (address === undefined || isAllowed) return;
      isAllowed = true;
      void allow(address);
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`the runner ended with ${code}: ${said}`);
    const checks = await readChecks(output);
    seen.push(...checks.map((check) => [client, check] as const));
    return checks;
  }

  async function allow(address: string): Promise<void> {
    const page = await ada.openAuthorize(new URL(address).search.slice(1));
    const back = page.status === 200 ? await ada.choose(page) : page;
    await fetch(locationOf(back));
  }

  async function readChecks(output: string): Promise<Check[]> {
    const files = (await readdir(output, { recursive: true })).filter((name) => name.endsWith('checks.json'));
    const all = await Promise.all(files.map((name) => readFile(join(output, name), 'utf8')));
    return all.flatMap((text) => JSON.parse(text) as Check[]);
  }

  const expectAllRight = (checks: readonly Check[]) => {
    expect(checks.filter(({ status }) => status !== 'SUCCESS')).toEqual([]);
    expect(checks.map(({ id }) => id).sort()).toEqual([
      'authorization-code-grant',
      'authorization-server-metadata',
      'authorization-server-metadata-cimd',
    ]);
  };

  test('MCP conformance: a public client passes without a warning', async () => {
    const checks = await run('public', async (port) => {
      const redirectUris = [`http://127.0.0.1:${port}/callback`];
      const { clientId } = await site.client({ type: 'public', redirectUris });
      return ['--client-id', clientId];
    });
    expectAllRight(checks);
  });

  test('MCP conformance: a client by its document passes without a warning', async () => {
    const checks = await run('by document', (port) => {
      const clientId = documents.publish('/client.json', {
        redirect_uris: [`http://127.0.0.1:${port}/callback`],
      });
      return Promise.resolve(['--client-id', clientId]);
    });
    expectAllRight(checks);
  });

  test('MCP conformance: a self-registered client passes without a warning', async () => {
    const checks = await run('by registration', async (port) => {
      const answer = await fetch(`${site.url}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          client_name: 'Conformance',
          redirect_uris: [`http://127.0.0.1:${port}/callback`],
          token_endpoint_auth_method: 'none',
        }),
      });
      const { client_id: clientId } = (await answer.json()) as { client_id: string };
      return ['--client-id', clientId];
    });
    expectAllRight(checks);
  });

  // the runner sends no secret if a server allows public clients, so a client with a secret is not run
  test('MCP conformance: an unknown issuer fails', async () => {
    const scenario = ['--scenario', 'authorization-server-metadata-endpoint'];
    const elsewhere = run('elsewhere', () =>
      Promise.resolve(['--url', `${site.url}/elsewhere`, ...scenario]),
    );
    await expect(elsewhere).rejects.toThrow('the runner ended with 1');
  });
});
