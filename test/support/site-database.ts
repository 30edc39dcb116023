import type { EventEmitter } from 'node:events';

import type { CommandStartedEvent } from 'mongodb';

import { accessTo, forgetIssuer, type OpenDatabase, openDatabase, type TestDatabase } from './database.js';

/** A database that sites use one after another. */
export interface SiteDatabase extends TestDatabase {
  /** Call it when the site has made its models, collections and indexes: later changes are the test's. */
  untilIdle(): void;
}

/** Commands that change more than documents. */
const SPOILING = new Set(
  ['drop', 'dropDatabase', 'dropIndexes', 'collMod', 'renameCollection'].concat([
    'configureFailPoint',
    'bulkWrite',
  ]),
);
/** Commands that change nothing if the first site on the database has run them already. */
const MAKING = new Set(['create', 'createIndexes']);
const WRITING = new Set(['insert', 'update', 'findAndModify']);
/** Milliseconds until unused databases are dropped; by then the next suite has loaded. */
const PATIENCE = 150;
/** No more, because Jest gives a worker half a second to end. */
const MAX_EMPTIED = 4;

const emptied: SiteDatabase[] = [];
let taken = 0;
let ending: NodeJS.Timeout | undefined;

/**
 * A database for a site: an earlier site's, emptied, or a new one, because making models, collections and indexes takes
 * both processors longer than most tests do. It is dropped with its site if anything but documents was changed in it.
 */
export async function takeDatabase(): Promise<SiteDatabase> {
  clearTimeout(ending);
  taken += 1;
  return emptied.pop() ?? createSiteDatabase(await openDatabase());
}

/** A database that another part closes. */
export function lend(database: OpenDatabase): SiteDatabase {
  return {
    ...accessTo(database.connection),
    get uri() {
      return database.uri;
    },
    untilIdle: () => undefined,
    close: () => Promise.resolve(),
  };
}

/** The process may end once nobody has used one for a while. */
function giveBack(): void {
  taken -= 1;
  if (taken === 0) ending = setTimeout(() => void dropEmptied(), PATIENCE);
}

async function dropEmptied(): Promise<void> {
  await Promise.all(emptied.splice(0).map(({ connection }) => dropAndClose(connection)));
}

async function dropAndClose(connection: TestDatabase['connection']): Promise<void> {
  // with one worker the run's MongoDB may have ended first
  if (isConnected(connection)) await connection.dropDatabase();
  await connection.close();
}

function createSiteDatabase({ connection, uri }: TestDatabase): SiteDatabase {
  const written = new Set<string>();
  const made = new Set<string>();
  let isIdle = false;
  let isSpoiled = false;
  let isKnownToOthers = false;
  let models = '';
  connection.getClient().on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    if (WRITING.has(commandName)) written.add(String(command[commandName]));
    if (!isIdle) made.add(madeBy(command));
    else if (SPOILING.has(commandName) || (MAKING.has(commandName) && !made.has(madeBy(command))))
      isSpoiled = true;
  });
  const listeners = () =>
    [connection, connection.getClient() as unknown as EventEmitter].map(listenersOf).join();
  const heard = listeners();
  const isAsItWas = () =>
    isIdle &&
    !isSpoiled &&
    isConnected(connection) &&
    namesOf(connection) === models &&
    listeners() === heard;

  const database: SiteDatabase = {
    ...accessTo(connection),
    get uri() {
      isKnownToOthers = true;
      return uri;
    },
    untilIdle() {
      isIdle = true;
      models = namesOf(connection);
    },
    async close() {
      if (emptied.length < MAX_EMPTIED && isAsItWas()) {
        forgetIssuer(connection);
        isIdle = false;
        await empty();
        emptied.push(database);
      } else {
        await dropAndClose(connection);
      }
      giveBack();
    },
  };

  async function empty(): Promise<void> {
    const names = isKnownToOthers ? await namesOfAll() : [...written];
    const own = new Set(Object.values(connection.models).map((model) => model.collection.name));
    await Promise.all(
      names.map((name) => {
        const collection = connection.collection(name);
        return own.has(name) ? collection.deleteMany({}) : collection.drop();
      }),
    );
    written.clear();
    isKnownToOthers = false;
  }

  async function namesOfAll(): Promise<string[]> {
    const all = await connection.listCollections();
    return all.map(({ name }) => name);
  }

  return database;
}

/** The collection, and the indexes if the command makes some. */
function madeBy({ create, createIndexes, indexes }: CommandStartedEvent['command']): string {
  return JSON.stringify([create ?? createIndexes, indexes]);
}

const isConnected = ({ base, readyState }: TestDatabase['connection']) =>
  readyState === base.STATES.connected;

const namesOf = ({ models }: TestDatabase['connection']) => Object.keys(models).sort().join();

function listenersOf(emitter: EventEmitter): string {
  return emitter
    .eventNames()
    .map((name) => `${String(name)} ${emitter.listenerCount(name)}`)
    .sort()
    .join();
}
