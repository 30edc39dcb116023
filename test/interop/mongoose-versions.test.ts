import { createRequire } from 'node:module';
import { join } from 'node:path';

import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Mongoose } from 'mongoose';

import { findUnstorable } from '../../lib/shared/protocol/storable.js';
import { databaseUri } from '../support/database.js';
import { installPackages } from '../support/installed-packages.js';
import { holds } from '../support/properties.js';
import type { Site } from '../support/site.js';
import { grantsDetail, members, openClient, openSiteForAnything, registersKey } from '../support/storable.js';

/** The oldest that is supported, and the newest of each major before the one that all other suites run on. */
const VERSIONS = { oldest: '6.13.0', 6: '^6.13.0', 7: '^7.0.0', 8: '^8.0.0' };

const { folder, missing, describeInstalled } = await installPackages(
  'mongoose-versions',
  Object.fromEntries(
    Object.entries(VERSIONS).map(([name, range]) => [`mongoose-${name}`, `npm:mongoose@${range}`]),
  ),
);

describeInstalled.each(Object.entries(VERSIONS))(`a site with Mongoose %s (%s)${missing}`, (name) => {
  let site: Site;
  let client: Awaited<ReturnType<Site['client']>>;
  beforeAll(async () => {
    const { createConnection } = createRequire(join(folder, 'package.json'))(`mongoose-${name}`) as Mongoose;
    const uri = databaseUri(`mongoose_${name}_${process.pid}`);
    const connection = await createConnection(uri).asPromise();
    site = await openSiteForAnything({ database: { connection, uri, close: () => Promise.resolve() } });
    client = await openClient(site);
  });
  afterAll(async () => {
    await site.close();
    const { connection } = site.database;
    await connection.dropDatabase();
    await connection.close();
  });

  holds('refuses a key, or stores it as it was checked', [members], async (more) => {
    await registersKey(site, more);
  });

  holds('refuses an authorization detail, or stores it as it was checked', [members], async (more) => {
    const isGranted = await grantsDetail(site, client, more);
    expect(isGranted).toBe(findUnstorable([more], 10) === undefined);
  });
});
