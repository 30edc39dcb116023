import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { findFreePorts } from '../../interop/support/example.js';
import { createFetchByTls } from '../../support/fetch-by-tls.js';
import { TEST_CERTIFICATE, TEST_KEY } from '../../support/tls.js';
import { listenByTls } from '../../support/tls-site.js';
import { until } from '../../support/until.js';
import { fileText } from '../blocks.js';
import { caddyStandIn, readCaddyfile } from './caddy-stand-in.js';

/** A proxy before the two processes, with the configuration of the document. */
export interface Proxy {
  readonly url: string;
  /** Starts to forward requests to the ports of the processes. */
  begin(ports: readonly number[]): Promise<void>;
  close(): Promise<unknown>;
}

export const askByTls = createFetchByTls({ ca: TEST_CERTIFICATE });

/** With the ports of this machine, and shorter waits. */
function configurationFor(ports: readonly number[]): string {
  const text = fileText('Caddyfile');
  const { upstreams } = readCaddyfile(text);
  return upstreams
    .reduce((changed, upstream, index) => changed.replace(upstream, `127.0.0.1:${ports[index]}`), text)
    .replace('health_interval 2s', 'health_interval 200ms');
}

async function openStandIn(): Promise<Proxy> {
  let listener: RequestListener;
  const { url, close } = await listenByTls((req, res) => listener(req, res));
  let end = (): void => undefined;
  return {
    url,
    begin(ports) {
      ({ listener, close: end } = caddyStandIn(configurationFor(ports)));
      return Promise.resolve();
    },
    close() {
      end();
      return close();
    },
  };
}

/** The real Caddy, if `CADDY_PATH` is set. */
async function openCaddy(program: string): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), 'caddy-'));
  const [port] = (await findFreePorts(1)) as [number];
  const url = `https://localhost:${port}`;
  let close = (): Promise<unknown> => Promise.resolve();
  return {
    url,
    async begin(ports) {
      await writeFile(join(folder, 'cert.pem'), TEST_CERTIFICATE);
      await writeFile(join(folder, 'key.pem'), TEST_KEY);
      const { site } = readCaddyfile(fileText('Caddyfile'));
      const own = `${url} {\n\tbind 127.0.0.1\n\ttls ${folder}/cert.pem ${folder}/key.pem\n`;
      const text = configurationFor(ports).replace(`${site} {\n`, own);
      const quiet = '{\n\tadmin off\n\tauto_https disable_redirects\n\tlog {\n\t\tlevel ERROR\n\t}\n}\n';
      await writeFile(join(folder, 'Caddyfile'), quiet + text);
      const child = spawn(program, ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'], {
        cwd: folder,
        env: { HOME: folder },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      const ended = once(child, 'exit');
      close = async () => {
        child.kill();
        await ended;
        await rm(folder, { recursive: true });
      };
      const isThere = () =>
        askByTls(url).then(
          () => true,
          () => child.exitCode !== null,
        );
      await until(isThere);
    },
    close: () => close(),
  };
}

const { CADDY_PATH } = process.env;
/** Each way to run the configuration, with its name. */
export const proxies: [string, () => Promise<Proxy>][] = [['what its configuration says', openStandIn]];
if (CADDY_PATH !== undefined) proxies.push(['Caddy itself', () => openCaddy(CADDY_PATH)]);
