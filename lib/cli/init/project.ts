import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

import { CliError } from '../exit.js';
import type { Survey } from './survey.js';
import type { Upgrade } from './upgrades.js';

/** The used members of package.json. */
export interface Package {
  readonly type?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** The project of the starting file. */
export type Project = ReturnType<typeof projectOf>;

export async function readPackage(folder: string): Promise<Package> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => {
    throw new CliError(
      'there is no package.json here',
      'Go to the folder of your Express project, or make one: npm init -y',
    );
  });
  try {
    return JSON.parse(text) as Package;
  } catch {
    throw new CliError('package.json is no JSON');
  }
}

/**
 * @param file the starting file
 * @param login the path of the site's login page; undefined if `init` is to set one up
 */
export function projectOf(
  { type, dependencies = {}, devDependencies = {} }: Package,
  survey: Survey,
  file: string,
  { login, upgrades }: { readonly login: string | undefined; readonly upgrades: readonly Upgrade[] },
) {
  // Node's rules: the file's extension takes precedence over package.json
  const isTypeScript = /\.[cm]?ts$/.test(file);
  const isModule =
    /\.m[jt]s$/.test(file) ||
    (type === 'module' && !/\.c[jt]s$/.test(file)) ||
    (survey.importsModules && file.endsWith('.js'));
  // a site with users, but without a login page, is an API
  const hasPeople = login === undefined && (survey.strategy ?? survey.people) !== undefined;
  // the pages use an existing session of the site
  const hasSession = survey.session !== undefined;
  const packages = ['express-authorization-server', 'express', 'mongoose'];
  const types = ['@types/express', '@types/passport'];
  if (login === undefined) packages.push('passport');
  if (login === undefined && !hasSession) {
    packages.push('express-session', 'connect-mongo');
    types.push('@types/express-session');
  }
  return {
    survey,
    file,
    login,
    isTypeScript,
    isModule,
    /** Whether the starting file uses `import`. */
    isImport: isTypeScript || isModule,
    /** The paths of the new login and logout pages. */
    loginPath: hasPeople ? '/signin' : '/login',
    logoutPath: hasPeople ? '/signout' : '/logout',
    hasPeople,
    hasSession,
    /** The expression for the connection. */
    connection: survey.connection === undefined ? 'mongoose.connection' : 'connection',
    /** Whether the starting file opens the connection, because no other file does. */
    connectsItself: !survey.connects && survey.connection === undefined,
    /** The environment variable with the URI of the database. */
    uriVariable: survey.uriVariable ?? 'MONGODB_URI',
    /** Passport before 0.6 needs `passport.initialize()`. */
    hasOldPassport: /^[~^]?0\.[0-5]\b/.test(dependencies.passport ?? ''),
    /** connect-mongo before 6 has the store as its default export. */
    hasOldConnectMongo: /^[~^]?[45]\b/.test(dependencies['connect-mongo'] ?? ''),
    hasDotenv: 'dotenv' in dependencies,
    /** The packages to install, in one command; types may be in devDependencies. */
    missing: [
      ...upgrades.map(({ name, to }) => `${name}@${to}`),
      ...packages.filter((name) => !(name in dependencies) && !upgrades.some((each) => each.name === name)),
      ...types.filter((name) => isTypeScript && !(name in { ...dependencies, ...devDependencies })),
    ],
    /** Whether its TypeScript is too old for this package's declarations. */
    hasOldTypeScript: /^[~^]?[1-4]\b/.test({ ...dependencies, ...devDependencies }.typescript ?? ''),
  };
}

/** The path by which one file imports another. */
export function importPath({ isModule, isTypeScript }: Project, file: string, from: string): string {
  const path = posix.relative(posix.dirname(from), file);
  const built = isTypeScript && !isModule ? path.replace(/\.ts$/, '') : path.replace(/\.([cm]?)ts$/, '.$1js');
  return built.startsWith('.') ? built : `./${built}`;
}
