import { rm } from 'node:fs/promises';

export default async function globalTeardown() {
  await globalThis.runningMongo?.stop();
  if (process.env.TEST_PROGRAMS) await rm(process.env.TEST_PROGRAMS, { recursive: true, force: true });
}
