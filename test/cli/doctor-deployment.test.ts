import { describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';

import { checkDeployment } from '../../lib/cli/doctor/deployment.js';
import { createDatabase } from '../../lib/storage/connection/database.js';
import { createInspection } from '../../lib/storage/index-inspection.js';
import { openDatabase } from '../support/database.js';
import { findingsOf } from '../support/findings.js';
import { fixture } from '../support/site-for.js';

describe('doctor on the deployment of MongoDB', () => {
  const database = fixture(() => openDatabase());

  /** The checks of a server with this response to `hello`. */
  const checksOf = (hello: object) => checksBy(() => Promise.resolve(hello));
  const checksBy = async (command: (command: never) => Promise<object>) => {
    const connection = {
      readyState: 1,
      on: () => undefined,
      getClient: () => undefined,
      base: mongoose,
      db: { command },
    } as never;
    const inspection = createInspection(createDatabase(connection, 5000));
    return findingsOf((report) => checkDeployment(report, inspection));
  };

  test('doctor notes a standalone server, with its disadvantage and the remedy', async () => {
    const [found, ...others] = await checksOf({ isWritablePrimary: true });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ severity: 'note', check: 'deployment.standalone' });
    expect(found?.why).toMatch(/majority.*change stream/);
    expect(found?.cure).toMatch(/replica set/);
  });

  test('doctor warns of an arbiter', async () => {
    const found = await checksOf({ setName: 'rs0', arbiters: ['c:27017'] });
    expect(found).toMatchObject([{ severity: 'warning', check: 'deployment.arbiter' }]);
  });

  test('doctor reports missing stages, streams and pipelines by the errors of the server', async () => {
    const refusal = (code: number) =>
      Promise.reject(Object.assign(new Error('not supported'), { name: 'MongoServerError', code }));
    const answerTo =
      (codes: Record<string, number>) => (command: { pipeline?: object[]; update?: string }) => {
        const text = JSON.stringify(command);
        const [, code] = Object.entries(codes).find(([word]) => text.includes(word)) ?? [];
        return code === undefined ? Promise.resolve({ setName: 'rs0' }) : refusal(code);
      };
    const lacking = await checksBy(answerTo({ $unionWith: 304, '"u":[': 9, $changeStream: 303 }));
    expect(lacking.map(({ check }) => check)).toEqual(['deployment.lacks', 'deployment.streams']);
    expect(lacking[0]).toMatchObject({
      severity: 'serious',
      what: 'the database server does not know $unionWith and updates by a pipeline',
    });
    // a user with read access, and an empty database, say nothing about the server
    expect(await checksBy(answerTo({ $unionWith: 26, '"u":[': 13, $changeStream: 26 }))).toEqual([]);
    // a user without the privilege for one of the collections
    expect(await checksBy(answerTo({ 'oauth_signing_keys","pipeline":[{"$changeStream': 13 }))).toMatchObject(
      [
        {
          check: 'deployment.streams',
          what: 'the database server refuses change streams on oauth_signing_keys to this user',
          why: 'Other processes use a revoked signing key for up to a minute.',
        },
      ],
    );
  });

  test('doctor reports no missing feature of this run’s server, and notes a small pool', async () => {
    const inspection = createInspection(createDatabase(database.connection, 5000));
    expect(await inspection.missingFeatures()).toEqual([]);
    await using small = await openDatabase(undefined, undefined, { maxPoolSize: 2 });
    const ofSmall = createInspection(createDatabase(small.connection, 5000));
    const found = await findingsOf((report) => checkDeployment(report, ofSmall));
    expect(found.filter(({ check }) => check === 'deployment.pool')).toMatchObject([
      { severity: 'note', what: 'the URI gives the pool 2 connections (maxPoolSize)' },
    ]);
  });

  test('doctor reports nothing for a replica set and a sharded cluster', async () => {
    expect(await checksOf({ setName: 'rs0' })).toEqual([]);
    expect(await checksOf({ msg: 'isdbgrid' })).toEqual([]);
  });

  test('doctor recognizes whether the server of this run is standalone', async () => {
    const inspection = createInspection(createDatabase(database.connection, 5000));
    expect(await inspection.isStandalone()).toBe(
      (await database.connection.db?.command({ hello: 1 }))?.setName === undefined,
    );
  });
});
