import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Receives the authorization response from the browser, on a port of this machine, as RFC 8252 §7.3 recommends. */
export interface Callback {
  readonly url: string;
  /** The address of this program's metadata, also on this machine. It is the client id. */
  readonly document: string;
  /**
   * Begins to wait for a response. Returns the `state` of the request: a response without it belongs to another
   * request.
   */
  readonly begin: () => string;
  /**
   * The response, with the code and its sender (`iss`, RFC 9207).
   *
   * @throws DeniedError if the person did not allow it
   */
  answer(): Promise<URLSearchParams>;
  close(): void;
}

/** The person or the authorization server has refused. */
export class DeniedError extends Error {
  override readonly name = 'DeniedError';
}

/** @param describe returns the program's metadata for its client id and redirect URI */
export async function openCallback(
  describe: (clientId: string, redirectUri: string) => object,
): Promise<Callback> {
  let waiting: { readonly state: string; readonly resolve: (answer: URLSearchParams) => void } | undefined;
  let answered: Promise<URLSearchParams> | undefined;
  const server = createServer();
  const at = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  server.on('request', (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://127.0.0.1');
    if (pathname === '/client.json') {
      res.writeHead(200, { 'Content-Type': 'application/json' });
      return res.end(JSON.stringify(describe(at('/client.json'), at('/callback'))));
    }
    if (waiting === undefined || pathname !== '/callback' || searchParams.get('state') !== waiting.state)
      return showPage(res, 404, 'Nothing here', 'This program waits for another answer.');
    if (searchParams.has('code'))
      showPage(res, 200, 'Connected', 'You can close this window and go back to the terminal.');
    else showPage(res, 200, 'Not connected', 'Nothing was allowed. You can close this window.');
    waiting.resolve(searchParams);
    waiting = undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: at('/callback'),
    document: at('/client.json'),
    begin() {
      const state = randomBytes(32).toString('base64url');
      answered = new Promise((resolve) => (waiting = { state, resolve }));
      return state;
    },
    async answer() {
      const answer = await answered;
      if (answer === undefined) throw new Error('no request was begun');
      if (!answer.has('code')) throw new DeniedError(answer.get('error') ?? 'an answer without code');
      return answer;
    },
    close: () => void server.close(),
  };
}

function showPage(res: ServerResponse, status: number, title: string, text: string): void {
  res.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', Connection: 'close' });
  res.end(`<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>:root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif } body { max-width: 30rem; margin: 20vh auto; padding: 0 1.5rem }</style>
<h1>${title}</h1>
<p>${text}</p>
`);
}
