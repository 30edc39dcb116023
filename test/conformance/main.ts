import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import mongoose from 'mongoose';

import { databaseUri } from '../support/database.js';
import { startMongo } from '../support/mongodb.js';
import { keepCertificates } from './certificates.js';
import { type Command, HELP, readCommand } from './command.js';
import { keepSecrets } from './credentials.js';
import { COMMANDS, type ConformanceHost, startHost } from './host.js';

const DATA_FOLDER = fileURLToPath(new URL('../../.conformance-data/', import.meta.url));

/** The started parts, to be stopped in the opposite order. */
const started: { stop(): Promise<unknown> }[] = [];

async function stopAll(): Promise<void> {
  for (const part of started.splice(0).reverse()) await part.stop();
}

async function run(command: Command): Promise<void> {
  const { profile, files, host } = command;
  const folder = join(DATA_FOLDER, host.replaceAll(/[^\w.-]/g, '_'));
  const certificates = await keepCertificates(folder, host);
  const running = await startHost(profile, {
    ...command,
    connection: await openConnection(),
    credentials: { ...(await keepSecrets(folder)), certificates: certificates.clients },
    certificate:
      files === undefined
        ? certificates.host
        : { cert: await readFile(files.cert, 'utf8'), key: await readFile(files.key, 'utf8') },
  });
  started.push({ stop: () => running.close() });
  // the configuration alone goes to stdout: > config.json has nothing else
  console.log(JSON.stringify(running.configuration, null, 2));
  console.error(describeRun(command, running));
  createInterface({ input: process.stdin }).on('line', (line) => {
    const typed = running.commands.get(line.trim());
    void typed?.().then(console.error, console.error);
  });
}

/** A new database, which ends with the host. */
async function openConnection(): Promise<mongoose.Connection> {
  const mongo = await startMongo({ outlivesKill: false });
  started.push(mongo);
  const database = databaseUri(`conformance_${randomUUID().slice(0, 8)}`, mongo.uri);
  const connection = await mongoose.createConnection(database).asPromise();
  started.push({
    async stop() {
      await connection.dropDatabase();
      await connection.close();
    },
  });
  return connection;
}

function describeRun({ profile, variant }: Command, { issuer }: ConformanceHost): string {
  const plans = profile.plans(variant).map(({ name, variant: chosen }) => {
    const parameters = Object.entries(chosen).map(([parameter, value]) => `[${parameter}=${value}]`);
    return `  ${name}${parameters.join('')}`;
  });
  return [
    `\n${profile.title}: ${issuer}`,
    'Paste the configuration above into these plans of the suite:',
    ...plans,
    ...Object.entries({ ...COMMANDS, ...profile.commands }).map(
      ([name, { title }]) => `Type '${name}' ${title}.`,
    ),
    'Ctrl-C stops the host.',
  ].join('\n');
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void stopAll().then(() => process.exit(0)));

try {
  const command = readCommand(process.argv.slice(2));
  if (command === undefined) console.log(HELP);
  else await run(command);
} catch (error) {
  await stopAll();
  console.error((error as Error).message);
  process.exitCode = 1;
}
