import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startMongo } from '../test/support/mongodb.js';
import { Interrupted, startService } from './child-process.js';
import { keepSecret } from './kept-secret.js';
import { checkPort } from './listen.js';
import { isLocal, readSettings, StartError } from './settings.js';
import { describeExample, describeStart } from './summary.js';
import { hasLinks, terminalLink } from './terminal-links.js';
import { keepTlsFiles } from './tls-files.js';

const dataFolder = fileURLToPath(new URL('../.example-data', import.meta.url));

/** The started parts, stopped in reverse order. */
const started: { stop(): Promise<void> }[] = [];
let stopping: Promise<never> | undefined;

function stopAll(exitCode: number, message: string): Promise<never> {
  stopping ??= (async () => {
    (exitCode === 0 ? console.log : console.error)(message);
    for (const part of started.reverse()) await part.stop();
    process.exit(exitCode);
  })();
  return stopping;
}

async function startAll(): Promise<void> {
  const unknown = process.argv.slice(2).find((argument) => !['--all', '--tls'].includes(argument));
  if (unknown !== undefined)
    throw new StartError(
      `'${unknown}' is not known here: there is --all, as npm run example -- --all, and --tls.`,
    );
  const tls = process.argv.includes('--tls') ? { TLS_FOLDER: await keepTlsFiles(dataFolder) } : {};
  const settings = readSettings({ ...process.env, ...tls });
  // before the database, whose download would be useless if a port is taken
  await checkPort({ port: settings.port, variable: 'PORT', isLocal: isLocal(settings) });
  await checkPort({ port: settings.shopPort, variable: 'SHOP_PORT', isLocal: true });
  await checkPort({ port: settings.albumPort, variable: 'ALBUM_PORT', isLocal: true });
  if (settings.tlsFolder !== undefined)
    await checkPort({ port: settings.mtlsPort, variable: 'MTLS_PORT', isLocal: true });

  const mongo = await startMongo({ dataFolder, log: (line) => console.log(line) }).catch((error: Error) => {
    throw new StartError(error.message);
  });
  started.push(mongo);
  const environment = {
    PORT: String(settings.port),
    SHOP_PORT: String(settings.shopPort),
    ALBUM_PORT: String(settings.albumPort),
    ISSUER: settings.issuer,
    MTLS_PORT: String(settings.mtlsPort),
    ...(settings.tlsFolder !== undefined && {
      TLS_FOLDER: settings.tlsFolder,
      // for requests to the photo site
      NODE_EXTRA_CA_CERTS: join(settings.tlsFolder, 'authority.pem'),
    }),
    MONGODB_URI: mongo.uri,
    SESSION_SECRET: settings.sessionSecret ?? (await keepSecret(dataFolder, 'session-secret')),
    KEY_SECRET: settings.keySecret ?? (await keepSecret(dataFolder, 'key-secret')),
  };
  if (stopping) return;
  await Promise.all([
    run({ name: 'The photo site', program: './photo-site/main.js', environment }),
    run({ name: 'The printing shop', program: './printing-shop/main.js', environment }),
    run({ name: 'The album API', program: './album-api/main.js', environment }),
  ]);
  if (stopping) return;
  const folder = relative(process.cwd(), dataFolder) || dataFolder;
  console.log(
    process.argv.includes('--all')
      ? describeExample(settings, folder)
      : describeStart(settings, folder, hasLinks(process.stdout, process.env) ? terminalLink : undefined),
  );
}

async function run(options: Parameters<typeof startService>[0]): Promise<void> {
  let isReady = false;
  const service = startService(options);
  started.push(service);
  void service.ended.then((how) => {
    if (isReady) void stopAll(1, `\n${how} Everything else is stopped too.`);
  });
  await service.ready;
  isReady = true;
}

/** npm passes a SIGTERM only to the shell between it and this process: after the shell has ended, everything ends. */
function stopWithNpm(): void {
  if (process.env.npm_lifecycle_event !== 'example') return;
  const shell = process.ppid;
  setInterval(() => process.ppid !== shell && stopOnSignal(), 500).unref();
}

const stopOnSignal = (): void => void stopAll(0, '\nStopping…');

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stopOnSignal);
stopWithNpm();

startAll().catch((error: unknown) => {
  // the end of a process may be noticed before the signal that has ended it
  if (error instanceof Interrupted) return stopOnSignal();
  const message = error instanceof StartError ? error.message : String((error as Error)?.stack ?? error);
  void stopAll(1, `\nThe example could not start.\n${message}`);
});
