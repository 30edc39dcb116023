import type { Command } from 'commander';
import mongoose, { type Connection } from 'mongoose';

import type { ClientField } from '../core/clients/client-field.js';
import type { Emit } from '../core/observability/events.js';
import { advancedRows } from '../settings/options/advanced-options.js';
import { createStores, type Stores } from '../storage/stores.js';
import { recordActions } from './audited-actions.js';
import { toCliError } from './database-failure.js';
import { CliError } from './exit.js';
import type { Io } from './io.js';
import { note, withProgress } from './output.js';

export interface DatabaseOptions {
  readonly mongodbUri?: string;
  readonly json?: boolean;
}

export interface CommandDatabase {
  readonly connection: Connection;
  readonly models: Stores;
  /** Records actions in the audit of the site. */
  readonly emit: Emit;
}

/** Milliseconds, the default of a site. */
export const { default: TIMEOUT } = advancedRows.databaseTimeout;

/** Adds a command that uses the database, with the common options. */
export function addCommand(parent: Command, usage: string, description: string): Command {
  return parent
    .command(usage)
    .description(description)
    .option('--mongodb-uri <uri>', 'the database of the site (default: the environment variable MONGODB_URI)')
    .option('--json', 'answer as JSON');
}

/**
 * Connects, works, writes the audit entries, and disconnects in any case. Creates no collections and no indexes.
 *
 * @param options `timeout`: milliseconds that one command may take. Default: as for the site
 */
export async function useDatabase<T>(
  io: Io,
  options: DatabaseOptions & { readonly clientFields?: readonly ClientField[]; readonly timeout?: number },
  work: (database: CommandDatabase) => Promise<T>,
): Promise<T> {
  const { mongodbUri = io.env.MONGODB_URI, clientFields, timeout = TIMEOUT } = options;
  const connection = await connectTo(io, mongodbUri);
  try {
    const stores = createStores(connection, { timeout, clientFields });
    const models = {
      ...stores,
      clients: {
        ...stores.clients,
        // also deletes the logo, because no server runs here
        async delete(clientId: string) {
          const isDeleted = await stores.clients.delete(clientId);
          await stores.clientLogos.delete(clientId);
          return isDeleted;
        },
      },
    };
    const { emit, store } = recordActions(models.auditLog, io);
    return await work({ connection, models, emit }).finally(store);
  } catch (error) {
    throw toCliError(error);
  } finally {
    await connection.close().catch(() => undefined);
  }
}

/** A connection that creates no collections and no indexes; the caller closes it. @throws CliError */
export async function connectTo(io: Io, mongodbUri: string | undefined): Promise<Connection> {
  if (mongodbUri === undefined || mongodbUri === '')
    throw new CliError(
      'which database?',
      'Set MONGODB_URI, or write --mongodb-uri mongodb://127.0.0.1:27017/photos',
    );
  if (!/^mongodb(\+srv)?:\/\//.test(mongodbUri))
    throw new CliError('this is no MongoDB URI', 'Write it as mongodb://127.0.0.1:27017/photos');
  const connection = mongoose.createConnection(mongodbUri, {
    autoIndex: false,
    autoCreate: false,
    // the URI's value takes precedence
    ...(!/[?&]serverSelectionTimeoutMS=/i.test(mongodbUri) && { serverSelectionTimeoutMS: TIMEOUT }),
    appName: 'express-authorization-server',
  });
  try {
    await withProgress(io, 'connecting to the database', connection.asPromise());
    if (!/^[^?]*:\/\/[^/]*\/[^?/]+/.test(mongodbUri))
      note(io, `the URI names no database, so it is '${connection.name}'`);
    return connection;
  } catch (error) {
    await connection.close().catch(() => undefined);
    throw toCliError(error);
  }
}
