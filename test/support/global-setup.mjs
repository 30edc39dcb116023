import { tsImport } from 'tsx/esm/api';

/** One MongoDB for the whole run; each test file has a database of its own in it (database.ts). */
export default async function globalSetup() {
  // jest loads this file itself, without the transform that tests get
  const { startMongo } = await tsImport('./mongodb.ts', import.meta.url);
  const { findChromium } = await tsImport('./find-chromium.ts', import.meta.url);
  if (findChromium() === undefined)
    console.error('No Chromium found: the browser tests are skipped. Install one or set CHROMIUM_PATH.');
  const { compilePrograms } = await tsImport('./programs.ts', import.meta.url);
  process.env.TEST_PROGRAMS = await compilePrograms();
  const mongo = await startMongo({ testCommands: true, outlivesKill: false });
  process.env.TEST_MONGODB_URI = mongo.uri;
  globalThis.runningMongo = mongo;
}
