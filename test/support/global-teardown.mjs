import { rm } from 'node:fs/promises';

export default async function globalTeardown() {
  await Promise.all((globalThis.runningMongos ?? []).map((mongo) => mongo.stop()));
  if (process.env.TEST_PROGRAMS) await rm(process.env.TEST_PROGRAMS, { recursive: true, force: true });
}
