import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { programOf } from './programs.js';

/** Several processes of one authorization server behind one address, which uses them in turn. */
export interface Processes {
  readonly issuer: string;
  /** The address of each one. */
  readonly urls: readonly string[];
  /** Makes all of them rotate the keys at the same moment; resolves to the answer of each. */
  rotate(): Promise<string[]>;
  close(): Promise<void>;
}

export async function startProcesses(
  count: number,
  databaseUri: string,
  options: object,
): Promise<Processes> {
  const ports: number[] = [];
  const server = balance(ports);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = {
    ...process.env,
    DATABASE_URI: databaseUri,
    ISSUER: issuer,
    OPTIONS: JSON.stringify(options),
    NODE_OPTIONS: '',
  };
  const children = Array.from({ length: count }, () =>
    fork(programOf('test/support/token-site.ts'), {
      execArgv: [],
      env: environment,
    }),
  );
  ports.push(
    ...(await Promise.all(children.map(async (child) => (await answerOf<{ port: number }>(child)).port))),
  );
  return {
    issuer,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    rotate: () =>
      Promise.all(
        children.map(async (child) => {
          const answer = answerOf<{ kid: string }>(child);
          child.send('rotate');
          return (await answer).kid;
        }),
      ),
    async close() {
      server.closeAllConnections();
      server.close();
      await Promise.all(
        children.map(async (child) => {
          const exited = once(child, 'exit');
          child.kill();
          await exited;
        }),
      );
    },
  };
}

async function answerOf<T>(child: ChildProcess): Promise<T> {
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('the process has ended')));
  const [answer] = (await Promise.race([once(child, 'message'), failed])) as [T];
  failed.catch(() => undefined);
  return answer;
}

function balance(ports: readonly number[]): Server {
  let context = 0;
  return createServer((req, res) => {
    const port = ports[context++ % ports.length];
    const onward = forward(
      { host: '127.0.0.1', port, path: req.url, method: req.method, headers: req.headers },
      (answer) => {
        res.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(res);
      },
    );
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
}
