import { StartError } from './settings.js';

/** Milliseconds that a process may take to stop; tests use fewer. */
const STOP_DEADLINE = Number(process.env.STOP_DEADLINE ?? 20_000);

/** The messages of a process to its parent. */
export type ServiceMessage =
  { readonly type: 'ready' } | { readonly type: 'failed'; readonly message: string };

/** Runs one process of the example: reports when it is ready, and ends on request, or after its parent has ended. */
export async function runService(start: () => Promise<() => Promise<void>>): Promise<void> {
  const isChild = process.send !== undefined;
  // Ctrl-C reaches every process of a terminal, but start.ts decides the order in which they stop
  if (isChild) process.on('SIGINT', () => undefined);
  try {
    const stop = await start();
    const end = () => {
      // a database that hangs must not keep the process alive
      setTimeout(() => process.exit(1), STOP_DEADLINE).unref();
      void stop().finally(() => process.exit(0));
    };
    for (const signal of isChild ? ['SIGTERM'] : ['SIGTERM', 'SIGINT']) process.once(signal, end);
    if (isChild && !process.connected) return end();
    process.once('disconnect', end);
    notify({ type: 'ready' });
  } catch (error) {
    const message = error instanceof StartError ? error.message : String((error as Error)?.stack ?? error);
    if (isChild) notify({ type: 'failed', message }, () => process.exit(1));
    else {
      console.error(message);
      process.exit(1);
    }
  }
}

function notify(message: ServiceMessage, sent: () => void = () => undefined): void {
  process.send?.(message, undefined, undefined, sent);
}
