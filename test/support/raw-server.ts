import { type AddressInfo, createServer, type Socket } from 'node:net';

import { type Disposable, disposable } from './disposable.js';

/** A server that can send bytes that no HTTP library would. */
export interface RawServer extends Disposable {
  readonly url: string;
  /** The number of connections so far. */
  readonly connections: () => number;
  /** The number of open ones. */
  readonly open: () => number;
  close(): Promise<void>;
}

/** @param answer what it does with a connection, after the first bytes of the request */
export async function openRawServer(answer: (socket: Socket) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket
      .on('close', () => sockets.delete(socket))
      .on('error', () => undefined)
      .once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...disposable,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    open: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const repeat = (socket: Socket, text: string, milliseconds: number): void => {
  const timer = setInterval(() => socket.write(text), milliseconds);
  socket.on('close', () => clearInterval(timer));
};
const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const WHOLE = '{"keys":[]}';

/** Hostile answers to a waiting client, and the report of each failure. */
export const HOSTILE_ANSWERS: readonly (readonly [string, (socket: Socket) => void, RegExp])[] = [
  ['says nothing', () => undefined, /timeout/],
  [
    'switches protocols, and waits (101)',
    (socket) =>
      void socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      ),
    /101|upgrade|fetch failed/,
  ],
  [
    'says that it will answer (102), for ever',
    (socket) => repeat(socket, 'HTTP/1.1 102 Processing\r\n\r\n', 1),
    /timeout/,
  ],
  ['drips its status line', (socket) => repeat(socket, 'H', 20), /timeout|Parse Error|fetch failed/],
  [
    'drips headers',
    (socket) => {
      socket.write(OK);
      repeat(socket, 'x-more: 1\r\n', 20);
    },
    /timeout/,
  ],
  [
    'drips its body',
    (socket) => {
      socket.write(`${OK}Content-Length: 1000\r\n\r\n`);
      repeat(socket, ' ', 20);
    },
    /timeout/,
  ],
  ['never ends what is whole', (socket) => void socket.write(`${OK}\r\n${WHOLE}`), /timeout/],
  [
    'never ends its chunks',
    (socket) =>
      void socket.write(
        `${OK}Transfer-Encoding: chunked\r\n\r\n${WHOLE.length.toString(16)}\r\n${WHOLE}\r\n`,
      ),
    /timeout/,
  ],
  [
    'cuts a body off that looks whole',
    (socket) => void socket.end(`${OK}Content-Length: 100\r\n\r\n${WHOLE}`),
    /aborted|terminated/,
  ],
  [
    'cuts chunks off that look whole',
    (socket) =>
      void socket.end(`${OK}Transfer-Encoding: chunked\r\n\r\n${WHOLE.length.toString(16)}\r\n${WHOLE}\r\n`),
    /aborted|terminated/,
  ],
  ['hangs up', (socket) => void socket.destroy(), /hang up|ECONNRESET|fetch failed/],
];
