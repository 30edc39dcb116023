import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { findFreePorts } from '../../interop/support/example.js';
import { createFetchByTls } from '../../support/fetch-by-tls.js';
import { TEST_CERTIFICATE, TEST_KEY } from '../../support/tls.js';
import { listenByTls } from '../../support/tls-site.js';
import { until } from '../../support/until.js';
import { fileText } from '../blocks.js';
import { describeInstalled } from './install.js';
import { nginxStandIn } from './nginx-stand-in.js';
import { openRecipe, type RunningRecipe } from './recipe.js';

/** A proxy before the program, with the configuration of the document. */
interface Proxy {
  readonly url: string;
  /** Starts to forward requests to the address of the program. */
  begin(address: string): Promise<void>;
  close(): Promise<unknown>;
}
const configurationFor = (address: string) =>
  fileText('nginx.conf').replaceAll('http://127.0.0.1:3000', address.replace('localhost', '127.0.0.1'));
const ask = createFetchByTls({ ca: TEST_CERTIFICATE });

async function openStandIn(): Promise<Proxy> {
  let answer: RequestListener;
  const { url, close } = await listenByTls((req, res) => answer(req, res));
  return {
    url,
    close,
    begin: (address) => Promise.resolve(void (answer = nginxStandIn(configurationFor(address)))),
  };
}

/** The real nginx, if `NGINX_PATH` is set. */
async function openNginx(program: string): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
  // the workers run as another user
  await chmod(folder, 0o755);
  const [port] = (await findFreePorts(1)) as [number];
  let close = (): Promise<unknown> => Promise.resolve();
  return {
    url: `https://localhost:${port}`,
    async begin(address) {
      await writeFile(join(folder, 'cert.pem'), TEST_CERTIFICATE);
      await writeFile(join(folder, 'key.pem'), TEST_KEY);
      const server = configurationFor(address)
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replace(/ssl_certificate \S+;/, `ssl_certificate ${folder}/cert.pem;`)
        .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${folder}/key.pem;`);
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      const text = `daemon off; pid ${folder}/pid; error_log stderr; events {}
http { access_log off; ${temporary.join(' ')}\n${server}}`;
      await writeFile(join(folder, 'nginx.conf'), text);
      const child = spawn(program, ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      const ended = once(child, 'exit');
      close = async () => {
        child.kill();
        await ended;
        await rm(folder, { recursive: true });
      };
      const url = `https://localhost:${port}/`;
      await until(() =>
        ask(url).then(
          () => true,
          () => child.exitCode !== null,
        ),
      );
    },
    close: () => close(),
  };
}

const { NGINX_PATH } = process.env;
const proxies: [string, () => Promise<Proxy>][] = [['what its configuration says', openStandIn]];
if (NGINX_PATH !== undefined) proxies.push(['nginx itself', () => openNginx(NGINX_PATH)]);

describeInstalled('docs/recipes: behind-nginx', () => {
  describe.each(proxies)('behind %s', (_name, openProxy) => {
    let recipe: RunningRecipe;
    let proxy: Proxy;
    beforeAll(async () => {
      proxy = await openProxy();
      recipe = await openRecipe('behind-nginx', {
        environment: () => ({ ISSUER: `${proxy.url}/photos` }),
        ca: TEST_CERTIFICATE,
      });
      await proxy.begin(recipe.address);
    });
    afterAll(async () => {
      await recipe?.close();
      await proxy?.close();
    });

    test('behind-nginx: the metadata of the issuer are at the root of the host', async () => {
      const response = await ask(`${proxy.url}/.well-known/oauth-authorization-server/photos`);
      expect(await response.json()).toMatchObject({
        issuer: recipe.issuer,
        token_endpoint: `${recipe.issuer}/oauth/token`,
      });
      for (const path of ['/elsewhere', '/.well-known/oauth-authorization-server/photos/elsewhere'])
        expect((await ask(`${proxy.url}${path}`)).status).toBe(404);
    });

    test('behind-nginx: a client gets the API’s metadata from the URL in the challenge', async () => {
      const refused = await ask(`${recipe.issuer}/api/photos`);
      const [, url = ''] =
        /resource_metadata="([^"]*)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
      expect(await (await ask(url)).json()).toMatchObject({
        resource: recipe.issuer,
        authorization_servers: [recipe.issuer],
      });
    });

    test('behind-nginx: people log in below the path, and a token works until revoked', async () => {
      const { access_token: token } = await recipe.obtainTokens('photos:read');
      expect(await recipe.get('/api/photos', token)).toMatchObject({
        status: 200,
        body: { photosOf: expect.any(String) },
      });
      expect(await recipe.get('/api/photos', await recipe.obtainOwnToken('photos:write'))).toMatchObject({
        status: 403,
        challenge: expect.stringMatching(/error="insufficient_scope"/),
      });
      await recipe.revoke(token);
      expect(await recipe.get('/api/photos', token)).toMatchObject({ status: 401 });
    });

    test('behind-nginx: the X-Forwarded-For of a client is ignored', async () => {
      const token = await recipe.obtainOwnToken('photos:read');
      const response = await ask(`${recipe.issuer}/api/photos`, {
        headers: { Authorization: `Bearer ${token}`, 'X-Forwarded-For': '203.0.113.9' },
      });
      expect(((await response.json()) as { from: string }).from).toMatch(/127\.0\.0\.1$/);
    });

    test('behind-nginx: the pages load their stylesheet and link nothing outside the path', async () => {
      const page = await recipe.person.open(`${recipe.issuer}/oauth/authorizations`);
      const links = [...page.text.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)].map(([, link = '']) => link);
      expect(links.length).toBeGreaterThan(2);
      expect(links.filter((link) => !link.startsWith('/photos/'))).toEqual([]);
      const stylesheet = links.find((link) => link.includes('.css')) ?? '';
      expect((await ask(`${proxy.url}${stylesheet}`)).status).toBe(200);
    });
  });
});
