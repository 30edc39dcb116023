/* The common part of the three old servers: the place of their packages, and their start and use. */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const ofBenchmark = createRequire(new URL('../../bench/package.json', import.meta.url));

/** A package that the benchmark has installed. */
export async function load(name) {
  return (await import(pathToFileURL(ofBenchmark.resolve(name)).href)).default;
}

export const CLIENT = { id: 'printing-shop', secret: 'c5f1d3a0b9e84c7d8f6a2b1c0d9e8f7a' };
export const REDIRECT_URI = 'https://print.example/callback';
export const SCOPES = ['profile', 'photos:read'];

/** Serves until the test ends it. */
export async function serve(make) {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  process.on('disconnect', () => process.exit());
  server.on('request', await make({ url, databaseUri: process.argv[2] }));
  process.send({ url });
}
