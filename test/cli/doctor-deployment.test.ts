import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';

import { checkDeployment } from '../../lib/cli/doctor/deployment.js';
import { createDatabase } from '../../lib/storage/connection/database.js';
import { createInspection } from '../../lib/storage/index-inspection.js';
import { openDatabase, type TestDatabase } from '../support/database.js';

describe('doctor looks at the form of the deployment', () => {
  let database: TestDatabase;
  beforeAll(async () => void (database = await openDatabase()));
  afterAll(() => database.close());

  /** The checks of a server that answers `hello` so. */
  const checksOf = async (hello: object) => {
    const connection = {
      readyState: 1,
      on: () => undefined,
      getClient: () => undefined,
      base: mongoose,
      db: { command: () => Promise.resolve(hello) },
    } as never;
    return checkDeployment(createInspection(createDatabase(connection, 5000)));
  };

  test('a single server is a note, with what it lacks and what to do', async () => {
    const [found, ...others] = await checksOf({ isWritablePrimary: true });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ severity: 'note', check: 'deployment.standalone' });
    expect(found?.why).toMatch(/majority.*change stream/);
    expect(found?.cure).toMatch(/replica set/);
  });

  test('a replica set and a sharded cluster are as they should be', async () => {
    expect(await checksOf({ setName: 'rs0' })).toEqual([]);
    expect(await checksOf({ msg: 'isdbgrid' })).toEqual([]);
  });

  test('the server of this run is asked', async () => {
    const inspection = createInspection(createDatabase(database.connection, 5000));
    expect(await inspection.isStandalone()).toBe(
      (await database.connection.db?.command({ hello: 1 }))?.setName === undefined,
    );
  });
});
