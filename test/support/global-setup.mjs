import { mongo } from 'mongoose';
import { tsImport } from 'tsx/esm/api';

/** MongoDBs for the whole run; each test file has a separate database in one of them (database.ts). */
export default async function globalSetup({ maxWorkers }) {
  // jest loads this file itself, without the transform of tests
  const { startMongo } = await tsImport('./mongodb.ts', import.meta.url);
  const { findChromium } = await tsImport('./find-chromium.ts', import.meta.url);
  if (findChromium() === undefined)
    console.error('No Chromium found: the browser tests are skipped. Install one or set CHROMIUM_PATH.');
  const { compilePrograms } = await tsImport('./programs.ts', import.meta.url);
  process.env.TEST_PROGRAMS = await compilePrograms();
  const start = () => startMongo({ testCommands: true, outlivesKill: false });
  const first = await start();
  // SecantusDB is one thread of Python at a time: two workers at one of it took 70 % more of its CPU time
  const others = first.kind === 'secantusdb' ? Array.from({ length: maxWorkers - 1 }, start) : [];
  globalThis.runningMongos = [first, ...(await Promise.all(others))];
  await tellWhatItLacks(first.uri);
  process.env.TEST_MONGODB_URI = globalThis.runningMongos.map(({ uri }) => uri).join(' ');
}

/** A MongoDB from outside may lack a feature: tests that need it are skipped, with the reason printed here. */
async function tellWhatItLacks(uri) {
  const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS: 30_000 });
  const lacks = (variable, reason) => {
    process.env[variable] = 'true';
    console.error(`MongoDB: ${reason}`);
  };
  try {
    const admin = client.db('admin');
    await admin
      .command({ configureFailPoint: 'failCommand', mode: 'off' })
      .catch(() =>
        lacks(
          'TEST_LACKS_FAIL_POINTS',
          'it has no test commands (--setParameter enableTestCommands=1): tests that make its commands fail are skipped',
        ),
      );
    const { setName, msg } = await admin.command({ hello: 1 });
    if (setName === undefined && msg !== 'isdbgrid')
      lacks(
        'TEST_LACKS_CHANGE_STREAMS',
        'it is a stand-alone (no --replSet): tests of what processes hear of each other are skipped',
      );
  } finally {
    await client.close();
  }
}
