import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

import { type Disposable, disposable } from './disposable.js';

/** A proxy between a site and its MongoDB, which can break off and can hang. */
export interface MongoProxy extends Disposable {
  /** The connection string through the proxy. */
  readonly uri: string;
  /** Breaks off existing connections and refuses new ones, like a machine that is gone. */
  cut(): void;
  /** Accepts everything and passes on nothing, like a machine that hangs. */
  freeze(): void;
  /** Passes on each answer that many milliseconds later, like an overloaded machine. */
  slow(milliseconds: number): void;
  /** Ends or resets the site's side of existing connections, and accepts new ones, like a network that hiccups. */
  breakAll(how: 'end' | 'resetAndDestroy'): void;
  /** Passes on the next message with all of these words, and breaks off before its answer. */
  loseAnswerTo(...terms: readonly string[]): void;
  /** The same for each message with all of these words, until `mend`. */
  loseAnswersTo(...terms: readonly string[]): void;
  /** Passes on the next message with all of these words, and holds back its answer; resolves when that has come. */
  holdAnswerTo(...terms: readonly string[]): Promise<void>;
  /** Ends a break, a freeze or the loss of answers, and passes on held-back messages. */
  mend(): void;
  close(): Promise<void>;
}

export async function startMongoProxy(databaseUri: string): Promise<MongoProxy> {
  const { hostname, port } = new URL(databaseUri);
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: 'whole' | 'cut' | 'frozen' = 'whole';
  let losing: { readonly terms: readonly string[]; readonly isOnce: boolean } | undefined;
  let delay = 0;
  let holding: { readonly terms: readonly string[]; readonly granted: () => void } | undefined;
  const granted = new Map<Socket, Buffer[]>();

  const server = createServer((client) => {
    if (state === 'cut') return client.destroy();
    const mongo = connect(Number(port || 27017), hostname);
    const pair = [client, mongo] as const;
    pairs.add(pair);
    let isLost = false;
    let notifyWaiting: (() => void) | undefined;
    client.on('data', (chunk) => {
      if (losing?.terms.every((word) => chunk.includes(word))) {
        isLost = true;
        if (losing.isOnce) losing = undefined;
      }
      if (holding?.terms.every((word) => chunk.includes(word))) {
        notifyWaiting = holding.granted;
        holding = undefined;
        granted.set(client, []);
      }
      mongo.write(chunk);
    });
    mongo.on('data', (chunk) => {
      const stored = granted.get(client);
      if (isLost) breakOff(pair);
      else if (stored !== undefined) {
        stored.push(chunk);
        notifyWaiting?.();
      } else if (delay > 0) setTimeout(() => client.write(chunk), delay);
      else client.write(chunk);
    });
    for (const socket of pair) socket.on('error', () => breakOff(pair)).on('close', () => breakOff(pair));
    if (state === 'frozen') for (const socket of pair) socket.pause();
    return undefined;
  });
  const breakOff = (pair: readonly [Socket, Socket]) => {
    pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const uri = new URL(databaseUri);
  uri.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    ...disposable,
    uri: uri.toString(),
    cut() {
      state = 'cut';
      for (const pair of pairs) breakOff(pair);
    },
    freeze() {
      state = 'frozen';
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    slow(milliseconds) {
      delay = milliseconds;
    },
    breakAll(how) {
      for (const [client] of pairs) client[how]();
    },
    loseAnswerTo(...terms) {
      losing = { terms, isOnce: true };
    },
    loseAnswersTo(...terms) {
      losing = { terms, isOnce: false };
    },
    holdAnswerTo: (...terms) =>
      new Promise((resolve) => {
        holding = { terms, granted: resolve };
      }),
    mend() {
      state = 'whole';
      losing = undefined;
      for (const pair of pairs) for (const socket of pair) socket.resume();
      for (const [client, chunks] of granted) client.write(Buffer.concat(chunks));
      granted.clear();
    },
    async close() {
      for (const pair of pairs) breakOff(pair);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
