import { describe, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import mongoose from 'mongoose';

import { authorizationServer, createUsers } from '../../lib/index.js';
import { createDatabase } from '../../lib/storage/connection/database.js';

const of = (version: string | undefined) =>
  ({ base: { version }, on: () => undefined }) as unknown as Connection;

describe('the Mongoose of a connection', () => {
  test.each(['6.13.0', '6.13.9', '7.0.0', '8.0.0', '9.12.1', '10.0.0-rc0'])(
    'Mongoose %s is accepted',
    (version) => {
      expect(() => createDatabase(of(version), 1000)).not.toThrow();
    },
  );

  test.each(['5.13.23', '6.12.9', '4.0.0', undefined])('Mongoose %s is refused as too old', (version) => {
    expect(() => createDatabase(of(version), 1000)).toThrow(
      /^express-authorization-server: Mongoose .+ is too old; it must be 6\.13 or newer: npm install mongoose@6$/,
    );
  });

  test('each function that takes a connection checks the version of Mongoose', () => {
    const connection = Object.create(mongoose.createConnection(), {
      base: { value: { version: '5.13.23' } },
    }) as Connection;
    const start = () =>
      authorizationServer({ issuer: 'https://photos.example', connection, scopes: {}, login: '/login' });
    expect(start).toThrow('Mongoose 5.13.23 is too old');
    expect(() => createUsers(connection)).toThrow('Mongoose 5.13.23 is too old');
  });
});
