import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** A response as it came over the wire. */
export interface RawResponse {
  readonly status: number;
  /** By lower-case name, with one entry for each occurrence of the header. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: string;
}

export interface RawRequest {
  /** Default: GET */
  readonly method?: string;
  /** Everything between method and version, sent unchanged. */
  readonly target: string;
  /** Default: 1.1. */
  readonly httpVersion?: '1.0' | '1.1';
  /** Sent in this order; a name may come twice. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
}

/** Milliseconds: less than the 30 s of the driver, so that no answer has waited for it. */
const PATIENCE = 25_000;

/** Sends a request byte for byte, as no HTTP library would; rejects if there is no complete answer in time. */
export function sendRaw(
  server: Server,
  { method = 'GET', target, httpVersion = '1.1', headers = [], body = '' }: RawRequest,
): Promise<RawResponse> {
  const { port } = server.address() as AddressInfo;
  const bytes = Buffer.from(body);
  const own = new Set(headers.map(([name]) => name.toLowerCase()));
  const length: readonly (readonly [string, string])[] =
    own.has('content-length') || own.has('transfer-encoding') || method === 'GET'
      ? []
      : [['Content-Length', String(bytes.length)]];
  const host: readonly (readonly [string, string])[] = own.has('host') ? [] : [['Host', `127.0.0.1:${port}`]];
  const lines = [...host, ...headers, ...length, ['Connection', 'close']].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  // latin1: each character is the byte it stands for
  return exchange(
    port,
    Buffer.concat([
      Buffer.from(`${method} ${target} HTTP/${httpVersion}\r\n${lines.join('')}\r\n`, 'latin1'),
      bytes,
    ]),
  );
}

function exchange(port: number, bytes: Buffer): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      const text = Buffer.concat(chunks).toString('latin1');
      if (text.includes('\r\n\r\n')) resolve(parseResponse(text));
      else reject(new Error(`no whole answer to ${bytes.subarray(0, 200).toString('latin1')}`));
    };
    const timer = setTimeout(finish, PATIENCE);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', finish);
    // a server may refuse before it has read everything, and close
    socket.on('error', finish);
  });
}

function parseResponse(text: string): RawResponse {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    (headers[line.slice(0, colon).toLowerCase()] ??= []).push(line.slice(colon + 1).trim());
  }
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    body: Buffer.from(text.slice(end + 4), 'latin1').toString('utf8'),
  };
}
