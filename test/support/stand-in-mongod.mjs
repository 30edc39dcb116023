/**
 * Stands in for `mongod` if MongoDB is not installed: takes its arguments, and answers like a replica set of one that
 * begins. Its member becomes the primary a few answers after replSetInitiate. Its arguments and commands are in
 * `<dbpath>/reported.json`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { mongo } from 'mongoose';

const { BSON } = mongo;
const { values } = parseArgs({
  options: Object.fromEntries(
    ['port', 'dbpath', 'bind_ip', 'replSet', 'setParameter'].map((name) => [name, { type: 'string' }]),
  ),
  strict: false,
});
const stored = join(values.dbpath, 'config.json');
const reported = { args: process.argv.slice(2), commands: [], refusedHellos: 0 };
let config = existsSync(stored) ? JSON.parse(readFileSync(stored, 'utf8')) : undefined;
/** The number of answers for which it is still a secondary. */
let delay = 3;

function store(given) {
  config = given;
  delay = 3;
  writeFileSync(stored, JSON.stringify(config));
  return { ok: 1 };
}

function hello() {
  const isPrimary = config !== undefined && delay === 0;
  if (config !== undefined && delay > 0) delay -= 1;
  if (!isPrimary) reported.refusedHellos += 1;
  return {
    ok: 1,
    ismaster: isPrimary,
    isWritablePrimary: isPrimary,
    ...(config === undefined
      ? { isreplicaset: true }
      : { setName: config._id, hosts: config.members.map(({ host }) => host), secondary: !isPrimary }),
    minWireVersion: 0,
    maxWireVersion: 25,
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
  };
}

function answer(command) {
  const [name] = Object.keys(command);
  const note = () => reported.commands.push(JSON.parse(JSON.stringify({ [name]: command[name] })));
  switch (name) {
    case 'hello':
    case 'ismaster':
    case 'isMaster':
      return hello();
    case 'replSetInitiate':
      note();
      return config === undefined
        ? store({ ...command[name], version: 1 })
        : { ok: 0, code: 23, codeName: 'AlreadyInitialized', errmsg: 'already initialized' };
    case 'replSetReconfig':
      note();
      return store(command[name]);
    case 'replSetGetConfig':
      return { ok: 1, config };
    default:
      return { ok: 1 };
  }
}

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

function reply(message) {
  const operation = message.readInt32LE(12);
  // the first hello of a connection is an OP_QUERY: flags, the name of a collection, two numbers, then the document
  const start = operation === OP_QUERY ? message.indexOf(0, 20) + 1 + 8 : 21;
  const command = BSON.deserialize(message.subarray(start, start + message.readInt32LE(start)));
  const body = BSON.serialize(answer(command));
  writeFileSync(join(values.dbpath, 'reported.json'), JSON.stringify(reported));
  const between =
    operation === OP_QUERY
      ? Buffer.from([...Array.from({ length: 16 }, () => 0), 1, 0, 0, 0])
      : Buffer.alloc(5);
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + between.length + body.length, 0);
  header.writeInt32LE(message.readInt32LE(4), 8);
  header.writeInt32LE(operation === OP_QUERY ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([header, between, body]);
}

createServer((socket) => {
  let pending = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 16 && pending.length >= pending.readInt32LE(0)) {
      const length = pending.readInt32LE(0);
      socket.write(reply(pending.subarray(0, length)));
      pending = pending.subarray(length);
    }
  });
}).listen(Number(values.port), values.bind_ip);
process.on('SIGTERM', () => process.exit());
