import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { disposable } from './disposable.js';

/** Another server on this machine: a client, an API, another site. */
export async function openServer(handler: RequestListener) {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...disposable,
    url: `http://127.0.0.1:${port}`,
    /** To a browser another site than `url`. */
    localhost: `http://localhost:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
