import type { IncomingMessage, ServerResponse } from 'node:http';

import { type Disposable, disposable } from './disposable.js';
import { openJwksServer } from './jwks-server.js';

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

/** The web servers of clients, on one loopback port with two names. */
export interface DocumentServer extends Disposable {
  readonly port: number;
  /** The requested paths. */
  readonly requests: string[];
  /** The URL of a path, at `127.0.0.1` by default. */
  url(path: string, host?: string): string;
  /** Publishes a document that is valid except for the changes, and returns its client id. */
  publish(path: string, given?: Readonly<Record<string, unknown>>, options?: PublishOptions): string;
  answer(path: string, answer: Answer): string;
  close(): Promise<void>;
}

export interface PublishOptions {
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
}

/** Redirect URI of a client on the user's device. */
export const DEVICE_URI = 'http://127.0.0.1:7777/callback';

export async function openDocumentServer(): Promise<DocumentServer> {
  const server = await openJwksServer();
  const answers = new Map<string, Answer>();
  server.answer((req, res) => {
    const answer = answers.get(req.url ?? '');
    if (answer === undefined) res.writeHead(404).end();
    else answer(req, res);
  });
  const url = (path: string, host = '127.0.0.1') => `http://${host}:${server.port}${path}`;
  return {
    ...disposable,
    port: server.port,
    requests: server.requests,
    url,
    publish(path, given = {}, { host, headers = {}, status = 200 } = {}) {
      const clientId = url(path, host);
      const document = {
        client_id: clientId,
        client_name: 'Inkwell Printing',
        redirect_uris: [DEVICE_URI],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'none',
        ...given,
      };
      answers.set(path, (_req, res) =>
        res
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify(document)),
      );
      return clientId;
    },
    answer(path, answer) {
      answers.set(path, answer);
      return url(path);
    },
    close: () => server.close(),
  };
}
