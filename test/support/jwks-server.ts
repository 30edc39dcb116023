import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { type Disposable, disposable } from './disposable.js';
import { TEST_CERTIFICATE, TEST_KEY } from './tls.js';

/** A client's server, which answers its `jwks_uri` as the test wants. */
export interface JwksServer extends Disposable {
  readonly url: string;
  readonly port: number;
  /** The requested paths. */
  readonly requests: string[];
  /** Its answer from now on. */
  answer(listener: RequestListener): void;
  json(body: unknown): void;
  close(): Promise<void>;
}

export async function openJwksServer({ tls = false } = {}): Promise<JwksServer> {
  let listener: RequestListener = (_req, res) => res.end('{}');
  const requests: string[] = [];
  const listen: RequestListener = (req, res) => {
    requests.push(req.url ?? '');
    listener(req, res);
  };
  const server: Server = tls
    ? createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, listen)
    : createServer(listen);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const answer = (next: RequestListener) => {
    listener = next;
  };
  return {
    url: `${tls ? 'https://localhost' : 'http://127.0.0.1'}:${port}/jwks`,
    ...disposable,
    port,
    requests,
    answer,
    json: (body) =>
      answer((_req, res) => res.setHeader('content-type', 'application/json').end(JSON.stringify(body))),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
