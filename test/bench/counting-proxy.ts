import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

import { BSON, type Document } from 'mongodb';

import { disposable } from '../support/disposable.js';
import { type WireMessage, WireReader } from './op-msg.js';

/** Commands that the driver sends by itself. */
const OWN_COMMANDS = new Set([
  'hello',
  'isMaster',
  'ismaster',
  'ping',
  'endSessions',
  'saslStart',
  'saslContinue',
  'buildInfo',
]);

export interface Count {
  /** Names of the commands in their order. */
  readonly commands: readonly string[];
  /** Of these commands and their answers. */
  readonly bytes: number;
}

/** Counts commands and bytes of operations, without change streams in the background and their markers. */
export class CommandCounter {
  #commands: string[] = [];
  #bytes = 0;
  /** Ids of their cursors, which any connection may use. */
  readonly #changeStreams = new Set<string>();

  /** For one connection: the ids of requests are its own. */
  open(): { request(message: WireMessage): void; answer(message: WireMessage): void } {
    const awaited = new Set<number>();
    const opening = new Set<number>();
    return {
      request: ({ command, requestId, bytes, body }) => {
        if (command === undefined || OWN_COMMANDS.has(command)) return;
        if (command === 'aggregate' && opensChangeStream(body)) return void opening.add(requestId);
        if (command === 'update' && writesMarker(body)) return;
        if (command === 'getMore' && this.#changeStreams.has(cursorIdOf(read(body).getMore))) return;
        awaited.add(requestId);
        this.#commands.push(command);
        this.#bytes += bytes;
      },
      answer: ({ responseTo, bytes, body }) => {
        if (opening.delete(responseTo))
          this.#changeStreams.add(cursorIdOf((read(body).cursor as Document | undefined)?.id));
        if (awaited.delete(responseTo)) this.#bytes += bytes;
      },
    };
  }

  /** The count since the last call. */
  take(): Count {
    const count = { commands: this.#commands, bytes: this.#bytes };
    this.#commands = [];
    this.#bytes = 0;
    return count;
  }
}

/** A proxy between a contender and its MongoDB that counts commands. For one server only, without TLS. */
export async function startCountingProxy(databaseUri: string) {
  const target = new URL(databaseUri);
  const counter = new CommandCounter();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const mongo = connect(Number(target.port || 27017), target.hostname);
    const count = counter.open();
    watch(client, mongo, (message) => count.request(message));
    watch(mongo, client, (message) => count.answer(message));
    for (const socket of [client, mongo]) {
      sockets.add(socket);
      socket
        .setNoDelay(true)
        .on('error', () => socket.destroy())
        .on('close', () => {
          sockets.delete(socket);
          client.destroy();
          mongo.destroy();
        });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const uri = new URL(databaseUri);
  uri.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  // otherwise the driver would bypass the proxy and go to the members that the server names
  uri.searchParams.set('directConnection', 'true');
  return {
    ...disposable,
    uri: uri.toString(),
    take: () => counter.take(),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function read(body: Buffer | undefined): Document {
  return body === undefined ? {} : BSON.deserialize(body, { promoteLongs: false });
}

function opensChangeStream(body: Buffer | undefined): boolean {
  const [first] = (read(body).pipeline ?? []) as Document[];
  return first !== undefined && '$changeStream' in first;
}

/** Writes of a process with `guard.cache` for itself, several a second (lib/storage/grants/stream-marker.ts). */
function writesMarker(body: Buffer | undefined): boolean {
  const [first] = (read(body).updates ?? []) as { readonly q: { readonly _id?: unknown } }[];
  return typeof first?.q._id === 'string' && first.q._id.startsWith('marker ');
}

/** A 64-bit number, or 0 if there is no cursor. */
function cursorIdOf(value: unknown): string {
  return value instanceof BSON.Long || typeof value === 'number' ? value.toString() : '0';
}

function watch(from: Socket, to: Socket, note: (message: WireMessage) => void): void {
  const reader = new WireReader();
  from.on('data', (chunk) => {
    for (const message of reader.push(chunk)) note(message);
    to.write(chunk);
  });
}
