import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, extname, join, posix, relative, sep } from 'node:path';

import { type Command, Option } from 'commander';

import { CliError, EXIT } from '../exit.js';
import type { Io } from '../io.js';
import { print, printJson } from '../output.js';
import { checkLoginPath, findLogin } from './find-login.js';
import { importPath, nextSteps, type Places } from './next-steps.js';
import { type Project, startingApp, startingFile } from './starting-file.js';
import { type Survey, surveyProject } from './survey.js';

interface InitOptions {
  readonly force?: boolean;
  readonly login?: string;
  readonly withLogin?: boolean;
  readonly file?: string;
  readonly json?: boolean;
}

interface Package {
  readonly type?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const NEEDED = ['express-authorization-server', 'express', 'mongoose', 'passport'];
const FOR_LOGIN = ['express-session', 'connect-mongo'];

export function addInit(program: Command, io: Io): void {
  program
    .command('init')
    .description(
      'writes a starting file for an Express project, in the folder of its package.json; and an app if there is none',
    )
    .option('--login <path>', 'the path of your own login page (a site that has one is asked for it)')
    .addOption(
      new Option('--with-login', 'set up sessions and a login page of ours beside what is there').conflicts(
        'login',
      ),
    )
    .option('--file <path>', 'where to write it (default: oauth.js or oauth.ts, in src where that is)')
    .option('--force', 'overwrite the file')
    .option('--json', 'answer as JSON')
    .action((options: InitOptions) => init(io, options));
}

async function init(io: Io, { force, file, json, ...requested }: InitOptions): Promise<void> {
  if (requested.login !== undefined) checkLoginPath(requested.login);
  const folder = io.cwd();
  const manifest = await readPackage(folder);
  const target = file ?? defaultFile(folder, manifest);
  const path = join(folder, target);
  if (force !== true) refuseExisting(path, target);
  const name = relative(folder, path).split(sep).join('/');
  const survey = await surveyProject(folder, name);
  refuseSecondServer(survey, { target, force });
  const login = await findLogin(io, survey, { ...requested, mayAsk: json !== true });
  const project = projectOf(manifest, { target, survey, login });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, startingFile(project), { flag: force === true ? 'w' : 'wx' });
  const needsApp = survey.app === undefined && login === undefined && !project.hasPeople;
  const newApp = needsApp ? await writeApp(folder, name, project) : undefined;
  const missing = missingPackages(manifest, project);
  const steps = nextSteps(project, {
    file: name,
    app: survey.app,
    newApp,
    missing,
    isNest: isNest(manifest),
    ...oldTools(manifest),
  });
  const written = [target, ...(newApp === undefined ? [] : [newApp])];
  if (json) return printJson(io, { ...describe(written, project), missing, steps });
  const lines = steps.map((step, index) => `  ${index + 1}. ${step}`);
  print(io, [`Wrote ${written.join(' and ')}. Next:`, ...lines].join('\n'));
}

/** @throws CliError if the file exists */
function refuseExisting(path: string, target: string): void {
  if (existsSync(path))
    throw new CliError(
      `${target} is there already`,
      EXIT.finding,
      'Write --force to overwrite it, or --file for another place.',
    );
}

/** @throws CliError if the project has an authorization server: it was made as JavaScript, or in another folder */
function refuseSecondServer(
  { server }: Survey,
  { target, force = false }: { readonly target: string; readonly force: boolean | undefined },
): void {
  if (server !== undefined && !force)
    throw new CliError(
      `${server} has an authorization server already`,
      EXIT.finding,
      `Change that file, or begin in another folder. --force writes ${target} beside it.`,
    );
}

/** For scripts: what was written, and for which kind of project. */
function describe([file, app]: readonly string[], { isModule, isTypeScript, login }: Project): object {
  return {
    file,
    app: app ?? null,
    module: isModule ? 'esm' : 'commonjs',
    language: isTypeScript ? 'typescript' : 'javascript',
    login: login ?? null,
  };
}

/** Writes an app beside the starting file, and gives its path; undefined if there is a file of that name. */
async function writeApp(folder: string, file: string, project: Project): Promise<string | undefined> {
  const app = posix.join(posix.dirname(file), `app${extname(file)}`);
  if (app === file || existsSync(join(folder, app))) return undefined;
  await writeFile(join(folder, app), startingApp(project, importPath(project, file)), { flag: 'wx' });
  return app;
}

function projectOf(
  manifest: Package,
  {
    target,
    survey,
    login,
  }: { readonly target: string; readonly survey: Survey; readonly login: string | undefined },
): Project {
  const kind = kindOf(manifest, target);
  return {
    ...kind,
    isModule: kind.isModule || (survey.importsModules && target.endsWith('.js')),
    login,
    connects: survey.connects,
    hasPeople: login === undefined && (survey.strategy ?? survey.people) !== undefined,
  };
}

async function readPackage(folder: string): Promise<Package> {
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

function defaultFile(folder: string, manifest: Package): string {
  const name = hasTypeScript(folder, manifest) ? 'oauth.ts' : 'oauth.js';
  return existsSync(join(folder, 'src')) ? join('src', name) : name;
}

function hasTypeScript(folder: string, { dependencies, devDependencies }: Package): boolean {
  return existsSync(join(folder, 'tsconfig.json')) || 'typescript' in { ...dependencies, ...devDependencies };
}

/** Node's own rules: the file's extension takes precedence over package.json. */
function kindOf(
  { type, dependencies = {} }: Package,
  file: string,
): Pick<Project, 'isTypeScript' | 'isModule' | 'hasOldPassport' | 'hasOldConnectMongo' | 'hasDotenv'> {
  const isTypeScript = /\.[cm]?ts$/.test(file);
  const isModule = /\.m[jt]s$/.test(file) || (type === 'module' && !/\.c[jt]s$/.test(file));
  return {
    isTypeScript,
    isModule,
    hasOldPassport: /^[~^]?0\.[0-5]\b/.test(dependencies.passport ?? ''),
    hasOldConnectMongo: /^[~^]?[45]\b/.test(dependencies['connect-mongo'] ?? ''),
    hasDotenv: 'dotenv' in dependencies,
  };
}

function missingPackages(
  { dependencies, devDependencies }: Package,
  { login, isTypeScript }: Project,
): string[] {
  const has = (name: string) => name in { ...dependencies };
  // Nest brings the Express that it works with
  const isThere = (name: string) => has(name) || (name === 'express' && has('@nestjs/platform-express'));
  const needed = [...NEEDED, ...(login === undefined ? FOR_LOGIN : [])];
  const types = [
    '@types/express',
    '@types/passport',
    ...(login === undefined ? ['@types/express-session'] : []),
  ];
  return [
    ...needed.filter((name) => !isThere(name)),
    // for types, devDependencies will do
    ...(isTypeScript ? types.filter((name) => !(name in { ...dependencies, ...devDependencies })) : []),
  ];
}
const isNest = ({ dependencies }: Package): boolean => '@nestjs/core' in { ...dependencies };

const oldTools = ({ dependencies, devDependencies }: Package): Pick<Places, 'hasOldTypeScript'> => ({
  hasOldTypeScript: /^[~^]?[1-4]\b/.test({ ...dependencies, ...devDependencies }.typescript ?? ''),
});
