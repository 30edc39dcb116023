import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';

import { StartError } from './settings.js';

export interface ListenOptions {
  readonly port: number;
  /** The variable that sets the port, for the message if the port is taken. */
  readonly variable: 'PORT' | 'SHOP_PORT' | 'ALBUM_PORT' | 'MTLS_PORT';
  /** Whether other machines may connect. */
  readonly isLocal: boolean;
  /** Default: no TLS. */
  readonly tls?: ServerOptions;
}

/** A listening server; `stop` lets running requests end. */
export interface Listener {
  stop(): Promise<void>;
}

/** Both loopback addresses, because browsers, curl and Node resolve `localhost` differently. */
const LOOPBACK = ['127.0.0.1', '::1'];

/** @throws StartError if the port is taken */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<Listener> {
  const servers: Server[] = [];
  let isStopping = false;
  const stop = async () => {
    isStopping = true;
    await Promise.all(servers.map(close));
  };
  try {
    for (const host of options.isLocal ? LOOPBACK : [undefined]) {
      const answer: RequestListener = (req, res) => {
        // ends busy connections between two requests, rather than in the middle of one
        if (isStopping) res.setHeader('Connection', 'close');
        handler(req, res);
      };
      const server = options.tls === undefined ? createServer(answer) : createTlsServer(options.tls, answer);
      if (await startServer(server, options, host)) servers.push(server);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

/** @throws StartError if the port is taken */
export async function checkPort(options: ListenOptions): Promise<void> {
  const listener = await listen((_req, res) => res.destroy(), options);
  await listener.stop();
}

async function startServer(
  server: Server,
  { port, variable }: ListenOptions,
  host: string | undefined,
): Promise<boolean> {
  server.listen({ port, host });
  try {
    await once(server, 'listening');
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // this machine has no IPv6
    if (host === '::1' && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) return false;
    throw code === 'EADDRINUSE' || code === 'EACCES' ? portError(port, variable, code) : error;
  }
}

function portError(port: number, variable: string, code: string): StartError {
  const problem =
    code === 'EACCES'
      ? `Port ${port} is not for ordinary programs.`
      : `Port ${port} is taken by another program.`;
  const alone = variable === 'PORT' ? '' : `, or ${variable}=5000 for this one alone`;
  return new StartError(
    `${problem} Choose another one: PORT=4000 npm run example (the others take PORT + 1 and PORT + 2${alone}).`,
  );
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), 2000);
  await closed;
  clearTimeout(timer);
}
