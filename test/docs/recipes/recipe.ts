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
  /** The file to start. Default: the recipe's file that ends with `.mjs`. */
  readonly program?: string;
  /** Changes the files before the start. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** More environment variables, for the address of the program. */
  readonly environment?: (address: string) => Readonly<Record<string, string>>;
  /** The certificate of the proxy before the program, if it has TLS. */
  readonly ca?: string;
  /** A workspace of the recipes whose packages take precedence. */
  readonly workspace?: string;
}

/** The running program of a recipe, with its database. A person can log in there. */
export interface RunningRecipe extends Actions {
  /** The address of the program. */
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
  // a suite whose hook takes too long leaves nothing behind, and does not wait for the end
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

/** Uses the programs in a temporary folder. */
export async function withRecipes(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await makeFolder();
  await work(folder).finally(() => rm(folder, { recursive: true }));
}

/** Inside the package, so that the programs resolve the package by its name. */
async function makeFolder(workspace?: string): Promise<string> {
  await mkdir(join(root, 'test-artifacts'), { recursive: true });
  const folder = await mkdtemp(join(root, 'test-artifacts', 'recipe-'));
  await linkPackages(folder, workspace);
  await cp(join(root, RECIPES), folder, { recursive: true });
  return folder;
}

/** A program resolves the recipes' packages first, and everything else like the tree. */
async function linkPackages(folder: string, workspace = '.'): Promise<void> {
  for (const from of new Set([workspace, '.']))
    for (const name of await dependenciesOf(join(FOLDER, from))) {
      const link = join(folder, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      // the packages of the workspace come first, and exist already
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
