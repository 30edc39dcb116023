export default async function globalTeardown() {
  await globalThis.runningMongo?.stop();
}
