import { describe, expect, it } from '@jest/globals';
import { BSON, MongoClient } from 'mongodb';

import { databaseUri } from '../support/database.js';
import { CommandCounter, startCountingProxy } from './counting-proxy.js';
import { WireReader } from './op-msg.js';

interface Parts {
  readonly requestId?: number;
  readonly responseTo?: number;
  readonly opCode?: number;
  /** In front of the body, as a bulk insert has them. */
  readonly sequence?: object;
}

function message(
  body: object,
  { requestId = 1, responseTo = 0, opCode = 2013, sequence }: Parts = {},
): Buffer {
  const documents = sequence === undefined ? [] : [documentSequence(sequence)];
  const content = Buffer.concat([Buffer.alloc(4), ...documents, Buffer.from([0]), BSON.serialize(body)]);
  const header = Buffer.alloc(16);
  [16 + content.length, requestId, responseTo, opCode].forEach((value, index) =>
    header.writeInt32LE(value, index * 4),
  );
  return Buffer.concat([header, content]);
}

function documentSequence(document: object): Buffer {
  const content = Buffer.concat([Buffer.from('documents\0'), BSON.serialize(document)]);
  const length = Buffer.alloc(4);
  length.writeInt32LE(4 + content.length);
  return Buffer.concat([Buffer.from([1]), length, content]);
}

describe('reading the wire', () => {
  it('names the command: the first key of the body', () => {
    expect(new WireReader().push(message({ findAndModify: 'grants', query: { insert: 1 } }))).toMatchObject([
      { command: 'findAndModify', responseTo: 0 },
    ]);
  });

  it('finds the body behind a sequence of documents', () => {
    expect(new WireReader().push(message({ insert: 'grants' }, { sequence: { find: 1 } }))).toMatchObject([
      { command: 'insert' },
    ]);
  });

  it('reads messages that come together, and those that come byte by byte', () => {
    const both = Buffer.concat([
      message({ find: 'clients' }),
      message({ update: 'grants' }, { requestId: 2 }),
    ]);
    const reader = new WireReader();
    const bytewise = [...both].flatMap((byte) => reader.push(Buffer.from([byte])));
    expect(bytewise.map(({ command }) => command)).toEqual(['find', 'update']);
    expect(new WireReader().push(both)).toEqual(bytewise);
    expect(bytewise.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(both.length);
  });

  it('takes answers and older messages for no command', () => {
    const reader = new WireReader();
    expect(reader.push(message({ ok: 1 }, { responseTo: 7 }))).toMatchObject([
      { command: undefined, responseTo: 7 },
    ]);
    expect(reader.push(message({ hello: 1 }, { opCode: 2004 }))).toMatchObject([{ command: undefined }]);
  });

  it('refuses what it cannot count: a compressed wire, and another protocol', () => {
    expect(() => new WireReader().push(message({ find: 'x' }, { opCode: 2012 }))).toThrow(/compressed/);
    expect(() => new WireReader().push(Buffer.from('GET / HTTP/1.1\r\nhost: mongo\r\n\r\n'))).toThrow(
      /not MongoDB/,
    );
  });
});

describe('counting commands', () => {
  const read = (bytes: Buffer) =>
    new WireReader().push(bytes)[0] ?? {
      requestId: 0,
      responseTo: 0,
      bytes: 0,
      command: undefined,
      body: undefined,
    };

  it('counts commands and the bytes of both directions, and begins anew once they were taken', () => {
    const counter = new CommandCounter();
    const connection = counter.open();
    const request = message({ find: 'grants' }, { requestId: 5 });
    const answer = message({ ok: 1, cursor: {} }, { requestId: 900, responseTo: 5 });
    connection.request(read(request));
    connection.answer(read(answer));
    expect(counter.take()).toEqual({ commands: ['find'], bytes: request.length + answer.length });
    expect(counter.take()).toEqual({ commands: [], bytes: 0 });
  });

  it('leaves out what the driver does for itself, with its answers', () => {
    const counter = new CommandCounter();
    const connection = counter.open();
    for (const command of ['hello', 'ping', 'endSessions']) {
      connection.request(read(message({ [command]: 1 }, { requestId: 3 })));
      connection.answer(read(message({ ok: 1 }, { responseTo: 3 })));
    }
    expect(counter.take()).toEqual({ commands: [], bytes: 0 });
  });

  it('leaves out what a change stream asks in the background, on whichever connection, and no other cursor', () => {
    const counter = new CommandCounter();
    const [one, other] = [counter.open(), counter.open()];
    const [stream, list] = ['8735196218123456789', '42'].map((id) => BSON.Long.fromString(id));
    one.request(
      read(
        message(
          { aggregate: 'clients', pipeline: [{ $changeStream: {} }, { $match: {} }] },
          { requestId: 1 },
        ),
      ),
    );
    one.answer(read(message({ ok: 1, cursor: { id: stream } }, { responseTo: 1 })));
    other.request(read(message({ getMore: stream, collection: 'clients' }, { requestId: 2 })));
    other.answer(read(message({ ok: 1 }, { responseTo: 2 })));
    expect(counter.take()).toEqual({ commands: [], bytes: 0 });
    one.request(read(message({ aggregate: 'clients', pipeline: [{ $match: {} }] }, { requestId: 3 })));
    one.answer(read(message({ ok: 1, cursor: { id: list } }, { responseTo: 3 })));
    one.request(read(message({ getMore: list, collection: 'clients' }, { requestId: 4 })));
    expect(counter.take().commands).toEqual(['aggregate', 'getMore']);
  });

  it('leaves out the markers that a process with guard.cache writes for itself, and no other update', () => {
    const counter = new CommandCounter();
    const connection = counter.open();
    const update = (_id: string) => message({ update: 'oauth_grants', updates: [{ q: { _id }, u: {} }] });
    connection.request(read(update('marker 5f0c')));
    expect(counter.take()).toEqual({ commands: [], bytes: 0 });
    connection.request(read(update('5f0c')));
    expect(counter.take().commands).toEqual(['update']);
  });

  it('does not confuse the ids of two connections', () => {
    const counter = new CommandCounter();
    const [one, other] = [counter.open(), counter.open()];
    const request = message({ find: 'grants' }, { requestId: 5 });
    one.request(read(request));
    other.answer(read(message({ ok: 1 }, { responseTo: 5 })));
    expect(counter.take().bytes).toBe(request.length);
  });

  it('sees through a real wire what a real driver sends', async () => {
    const proxy = await startCountingProxy(databaseUri('bench_counting_proxy'));
    const client = await new MongoClient(proxy.uri).connect();
    try {
      const collection = client.db().collection('things');
      await collection.insertMany([{ a: 1 }, { a: 2 }]);
      await collection.findOne({ a: 1 });
      await collection.updateOne({ a: 1 }, { $set: { a: 3 } });
      const { commands, bytes } = proxy.take();
      expect(commands).toEqual(['insert', 'find', 'update']);
      expect(bytes).toBeGreaterThan(300);
    } finally {
      await client.db().dropDatabase();
      await client.close();
      await proxy.close();
    }
  });
});
