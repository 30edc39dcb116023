import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, posix, relative, sep } from 'node:path';

import { type Command, Option } from 'commander';

import { CliError, EXIT } from '../exit.js';
import type { Io } from '../io.js';
import { print, printJson } from '../output.js';
import { checkLoginPath, findLogin } from './find-login.js';
import { type Project, startingFile } from './starting-file.js';
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
    .description('writes a starting file for an Express project, in the folder of its package.json')
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

async function init(io: Io, { force, file, json, ...asked }: InitOptions): Promise<void> {
  if (asked.login !== undefined) checkLoginPath(asked.login);
  const folder = io.cwd();
  const manifest = await readPackage(folder);
  const target = file ?? usualFile(folder, manifest);
  const path = join(folder, target);
  if (force !== true && existsSync(path))
    throw new CliError(
      `${target} is there already`,
      EXIT.finding,
      'Write --force to overwrite it, or --file for another place.',
    );
  const name = relative(folder, path).split(sep).join('/');
  const survey = await surveyProject(folder, name);
  const login = await findLogin(io, survey, { ...asked, mayAsk: json !== true });
  const project = projectOf(manifest, { target, survey, login });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, startingFile(project), { flag: force === true ? 'w' : 'wx' });
  const missing = missingPackages(manifest, project);
  const steps = nextSteps(project, {
    file: name,
    app: survey.app,
    missing,
    isNest: isNest(manifest),
    ...oldTools(manifest),
  });
  if (json)
    printJson(io, {
      file: target,
      module: project.isModule ? 'esm' : 'commonjs',
      language: project.isTypeScript ? 'typescript' : 'javascript',
      login: login ?? null,
      missing,
      steps,
    });
  else
    print(
      io,
      [`Wrote ${target}. Next:`, ...steps.map((step, index) => `  ${index + 1}. ${step}`)].join('\n'),
    );
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
    hasPeople: login === undefined && survey.strategy !== undefined,
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

function usualFile(folder: string, manifest: Package): string {
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

interface Places {
  readonly file: string;
  readonly app: string | undefined;
  readonly missing: readonly string[];
  /** Whether it is written with NestJS. */
  readonly isNest: boolean;
  /** Whether its TypeScript cannot read our declarations. */
  readonly hasOldTypeScript: boolean;
}

const isNest = ({ dependencies }: Package): boolean => '@nestjs/core' in { ...dependencies };

const oldTools = ({ dependencies, devDependencies }: Package): Pick<Places, 'hasOldTypeScript'> => ({
  hasOldTypeScript: /^[~^]?[1-4]\b/.test({ ...dependencies, ...devDependencies }.typescript ?? ''),
});

/** What has to be there before anything of it works. */
function preparations(
  { hasPeople }: Project,
  { file, missing, hasOldTypeScript }: Pick<Places, 'file' | 'missing' | 'hasOldTypeScript'>,
): string[] {
  return [
    ...(missing.length > 0 ? [`npm install ${missing.join(' ')}`] : []),
    ...(hasOldTypeScript ? ['npm install --save-dev typescript@5: the declarations need 5.0 or newer'] : []),
    ...(hasPeople
      ? [`write findById and verify of users in ${file}: your own people log in at /signin`]
      : []),
  ];
}

function nextSteps(
  project: Project,
  { file, app, missing, isNest: isInNest, hasOldTypeScript }: Places,
): string[] {
  const { login, connects } = project;
  const path = importPath(project, file, app);
  const from = (name: string) =>
    project.isModule || project.isTypeScript
      ? `import { ${name} } from '${path}'`
      : `const { ${name} } = require('${path}')`;
  const where = app ?? 'your app';
  return [
    ...preparations(project, { file, missing, hasOldTypeScript }),
    ...(login === undefined
      ? [`in ${where}, before your routes: ${from('mountOAuth')}; const oauth = mountOAuth(app);`]
      : [
          `in ${where}: ${from('oauth')};`,
          isInNest
            ? 'in main.ts, right after NestFactory.create(…): app.use(oauth.clientRouter);'
            : 'as its first line after app = express(): app.use(oauth.clientRouter);',
          'after your session and passport.session(), before your CSRF check and your routes: app.use(oauth.pageRouter);',
        ]),
    'after your routes, before an error handler of your own: app.use(oauth.errorHandler);',
    `set ISSUER (https://your.site)${login !== undefined && connects ? '' : ', MONGODB_URI'}${login === undefined ? ' and SESSION_SECRET' : ''} in its environment`,
    `write your own scopes in ${file}, and guard a route: app.get('/api/me', oauth.guard('profile'), …)`,
    ...(login === undefined && !project.hasPeople
      ? [
          'npx express-authorization-server users create --username you (it asks for a password): somebody who can log in',
        ]
      : []),
    'npx express-authorization-server clients create --name "My app" --redirect-uri https://app.example/callback --scopes profile',
    'npx express-authorization-server doctor --issuer https://your.site',
  ];
}

/** The path as the app's file has to write it, in the same folder if it is not known which file that is. */
function importPath({ isModule, isTypeScript }: Project, file: string, app = file): string {
  const path = posix.relative(posix.dirname(app), file);
  const built = isTypeScript && !isModule ? path.replace(/\.ts$/, '') : path.replace(/\.([cm]?)ts$/, '.$1js');
  return built.startsWith('.') ? built : `./${built}`;
}
