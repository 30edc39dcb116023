import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

import { CliError, EXIT } from '../exit.js';
import type { Survey } from './survey.js';

/** package.json, as far as it is read. */
export interface Package {
  readonly type?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** The project that the starting file is written for. */
export interface Project {
  readonly survey: Survey;
  /** The starting file. */
  readonly file: string;
  readonly isModule: boolean;
  readonly isTypeScript: boolean;
  /** Whether the starting file is written with `import`. */
  readonly isImport: boolean;
  /** The path of the site's own login page; undefined if one is to be set up. */
  readonly login: string | undefined;
  /** The paths of the login page that is set up. */
  readonly loginPath: string;
  readonly logoutPath: string;
  /** Whether the site has users of its own and no login page is named: an API. */
  readonly hasPeople: boolean;
  /** Whether the site has sessions, which the pages then use. */
  readonly hasSession: boolean;
  /** The expression for the connection. */
  readonly connection: string;
  /** Whether the starting file opens the connection, because nothing else in the project does. */
  readonly connectsItself: boolean;
  /** The environment variable that has the URI of the database. */
  readonly uriVariable: string;
  /** Whether its Passport is older than 0.6, which does nothing until it is initialized. */
  readonly hasOldPassport: boolean;
  /** Whether its connect-mongo is older than 6, which exports the store itself. */
  readonly hasOldConnectMongo: boolean;
  /** Whether it reads its environment from a file by dotenv. */
  readonly hasDotenv: boolean;
  /** What has to be installed. */
  readonly missing: readonly string[];
  /** Whether its TypeScript cannot read our declarations. */
  readonly hasOldTypeScript: boolean;
}

export async function readPackage(folder: string): Promise<Package> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => {
    throw new CliError(
      'there is no package.json here',
      EXIT.usage,
      'Go to the folder of your Express project, or make one: npm init -y',
    );
  });
  try {
    return JSON.parse(text) as Package;
  } catch {
    throw new CliError('package.json is no JSON', EXIT.usage);
  }
}

export function defaultFile(folder: string, { dependencies, devDependencies }: Package): string {
  const hasTypeScript =
    existsSync(join(folder, 'tsconfig.json')) || 'typescript' in { ...dependencies, ...devDependencies };
  const name = hasTypeScript ? 'oauth.ts' : 'oauth.js';
  return existsSync(join(folder, 'src')) ? join('src', name) : name;
}

export function projectOf(
  { type, dependencies = {}, devDependencies = {} }: Package,
  { survey, file, login }: Pick<Project, 'survey' | 'file' | 'login'>,
): Project {
  // Node's own rules: the file's extension takes precedence over package.json
  const isTypeScript = /\.[cm]?ts$/.test(file);
  const isModule =
    /\.m[jt]s$/.test(file) ||
    (type === 'module' && !/\.c[jt]s$/.test(file)) ||
    (survey.importsModules && file.endsWith('.js'));
  const hasPeople = login === undefined && (survey.strategy ?? survey.people) !== undefined;
  const hasSession = survey.session !== undefined;
  const packages = [
    'express-authorization-server',
    'express',
    'mongoose',
    ...(login === undefined ? ['passport'] : []),
    ...(login === undefined && !hasSession ? ['express-session', 'connect-mongo'] : []),
  ];
  const types = [
    '@types/express',
    '@types/passport',
    ...(packages.includes('express-session') ? ['@types/express-session'] : []),
  ];
  return {
    survey,
    file,
    login,
    isTypeScript,
    isModule,
    isImport: isTypeScript || isModule,
    loginPath: hasPeople ? '/signin' : '/login',
    logoutPath: hasPeople ? '/signout' : '/logout',
    hasPeople,
    hasSession,
    connection: survey.connection === undefined ? 'mongoose.connection' : 'connection',
    connectsItself: !survey.connects && survey.connection === undefined,
    uriVariable: survey.uriVariable ?? 'MONGODB_URI',
    hasOldPassport: /^[~^]?0\.[0-5]\b/.test(dependencies.passport ?? ''),
    hasOldConnectMongo: /^[~^]?[45]\b/.test(dependencies['connect-mongo'] ?? ''),
    hasDotenv: 'dotenv' in dependencies,
    missing: [
      ...packages.filter((name) => !(name in dependencies)),
      // for types, devDependencies will do
      ...(isTypeScript ? types.filter((name) => !(name in { ...dependencies, ...devDependencies })) : []),
    ],
    hasOldTypeScript: /^[~^]?[1-4]\b/.test({ ...dependencies, ...devDependencies }.typescript ?? ''),
  };
}

/** The path by which one file imports another. */
export function importPath({ isModule, isTypeScript }: Project, file: string, from: string): string {
  const path = posix.relative(posix.dirname(from), file);
  const built = isTypeScript && !isModule ? path.replace(/\.ts$/, '') : path.replace(/\.([cm]?)ts$/, '.$1js');
  return built.startsWith('.') ? built : `./${built}`;
}
