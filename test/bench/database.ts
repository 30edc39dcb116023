import { MongoClient } from 'mongodb';

import { startMongo } from '../support/mongodb.js';

/** The server of MONGODB_URI, else that of the tests; its kind is such as `MongoDB 8.0.4 (mongod)`. */
export async function startDatabase(log: (line: string) => void) {
  const server = await startMongo({ log });
  const { uri, kind } = server;
  const client = await new MongoClient(uri, { serverSelectionTimeoutMS: 10_000 }).connect();
  const { version } = (await client.db('admin').command({ buildInfo: 1 })) as { version: string };
  await client.close();
  return {
    ...server,
    kind: kind === 'secantusdb' ? `SecantusDB, as MongoDB ${version}` : `MongoDB ${version} (${kind})`,
  };
}

export function uriOf(server: string, name: string): string {
  const uri = new URL(server);
  uri.pathname = `/${name}`;
  // the tests use `journal=true` so that confirmed writes survive a kill; here it is off, as at a site
  uri.searchParams.delete('journal');
  return uri.toString();
}
