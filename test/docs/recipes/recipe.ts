import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';

import { createUsers } from '../../../lib/index.js';
import { findFreePorts } from '../../interop/support/example.js';
import { openDatabase, type TestDatabase } from '../../support/database.js';
import { until } from '../../support/until.js';
import { root } from '../blocks.js';
import { RECIPES } from '../folders.js';
import { type Actions, createActions, PERSON, registerClient } from './actions.js';
import { FOLDER } from './install.js';

export interface RecipeOptions {
  /** The file that is started. Default: the one of the recipe's name that ends with `.mjs`. */
  readonly program?: string;
  /** What is done to the files before that. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** More variables of its environment, for the address of the program. */
  readonly environment?: (address: string) => Readonly<Record<string, string>>;
  /** The certificate of what stands before the program, if it has TLS. */
  readonly ca?: string;
  /** A workspace of the recipes whose packages come before theirs. */
  readonly workspace?: string;
}

/** The program of a recipe, running on a database of its own. A person can log in there. */
export interface RunningRecipe extends Actions {
  /** Where the program listens. */
  readonly address: string;
  readonly database: TestDatabase;
  close(): Promise<void>;
}

/** Starts a program of docs/recipes. */
export async function openRecipe(name: string, options: RecipeOptions = {}): Promise<RunningRecipe> {
  const { program = `${name}.mjs`, prepare, environment, workspace, ca } = options;
  const database = await openDatabase();
  const folder = await makeFolder(workspace);
  await prepare?.(folder);
  const [port] = (await findFreePorts(1)) as [number];
  const address = `http://localhost:${port}`;
  const variables = {
    ISSUER: address,
    PORT: String(port),
    MONGODB_URI: database.uri,
    SESSION_SECRET: 'of the test',
    ...environment?.(address),
  };
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', ...variables },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  // a suite whose hook takes too long leaves nothing behind, and does not wait for it
  child.unref();
  const kill = () => child.kill();
  process.once('exit', kill);
  await createUsers(database.connection, { rounds: 4 }).create(PERSON);
  const client = await registerClient(database);
  await until(async () => (await isListening(port)) || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`${program} has ended with ${child.exitCode}`);
  return {
    ...createActions(variables.ISSUER, client, ca),
    address,
    database,
    async close() {
      process.off('exit', kill);
      kill();
      await ended;
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Does something with the programs, in a folder that is gone afterwards. */
export async function withRecipes(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await makeFolder();
  await work(folder).finally(() => rm(folder, { recursive: true }));
}

/** Inside the package, so that this is found by its own name. */
async function makeFolder(workspace?: string): Promise<string> {
  await mkdir(join(root, 'test-artifacts'), { recursive: true });
  const folder = await mkdtemp(join(root, 'test-artifacts', 'recipe-'));
  await linkPackages(folder, workspace);
  await cp(join(root, RECIPES), folder, { recursive: true });
  return folder;
}

/** A program finds what the recipes need beside it, and everything else as the tree does. */
async function linkPackages(folder: string, workspace = '.'): Promise<void> {
  for (const from of new Set([workspace, '.']))
    for (const name of await dependenciesOf(join(FOLDER, from))) {
      const link = join(folder, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      // those of the workspace come first, and are there already
      await symlink(join(FOLDER, from, 'node_modules', name), link).catch(() => undefined);
    }
}

async function dependenciesOf(folder: string): Promise<string[]> {
  const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  return Object.keys(dependencies);
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, 'localhost', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
