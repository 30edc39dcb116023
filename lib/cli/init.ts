import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import type { Command } from 'commander';

import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { print, printJson } from './output.js';
import { type Project, startingFile } from './starting-file.js';

interface InitOptions {
  readonly force?: boolean;
  readonly login?: string;
  readonly file?: string;
  readonly json?: boolean;
}

interface Package {
  readonly type?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const NEEDED = [
  'express-authorization-server',
  'express',
  'mongoose',
  'passport',
  'express-session',
  'connect-mongo',
];

export function addInit(program: Command, io: Io): void {
  program
    .command('init')
    .description('writes a starting file for an Express project, in the folder of its package.json')
    .option('--login <path>', 'the path of your own Passport login page (default: a login page is set up)')
    .option('--file <path>', 'where to write it (default: oauth.js or oauth.ts, in src where that is)')
    .option('--force', 'overwrite the file')
    .option('--json', 'answer as JSON')
    .action((options: InitOptions) => init(io, options));
}

async function init(io: Io, { force, login, file, json }: InitOptions): Promise<void> {
  if (login !== undefined && !/^\/(?![/\\])[^?#\s'\\]*$/.test(login))
    throw new CliError(`'${login}' is not a path on your site`, EXIT.usage, 'Write --login /login');
  const folder = io.cwd();
  const manifest = await readPackage(folder);
  const target =
    file ??
    join(
      existsSync(join(folder, 'src')) ? 'src' : '',
      hasTypeScript(folder, manifest) ? 'oauth.ts' : 'oauth.js',
    );
  const project = projectOf(manifest, target, login);
  const path = join(folder, target);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, startingFile(project), { flag: force === true ? 'w' : 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      throw new CliError(
        `${target} is there already`,
        EXIT.finding,
        'Write --force to overwrite it, or --file for another place.',
      );
    },
  );
  const missing = missingPackages(manifest, project);
  const steps = nextSteps(project, relative(folder, path), missing);
  if (json)
    printJson(io, {
      file: target,
      module: project.isModule ? 'esm' : 'commonjs',
      language: project.isTypeScript ? 'typescript' : 'javascript',
      missing,
      steps,
    });
  else
    print(
      io,
      [`Wrote ${target}. Next:`, ...steps.map((step, index) => `  ${index + 1}. ${step}`)].join('\n'),
    );
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

function hasTypeScript(folder: string, { dependencies, devDependencies }: Package): boolean {
  return existsSync(join(folder, 'tsconfig.json')) || 'typescript' in { ...dependencies, ...devDependencies };
}

/** Node's own rules: the file's ending says more than package.json. */
function projectOf({ type }: Package, file: string, login: string | undefined): Project {
  const isTypeScript = /\.[cm]?ts$/.test(file);
  const isModule = /\.m[jt]s$/.test(file) || (type === 'module' && !/\.c[jt]s$/.test(file));
  return { isTypeScript, isModule, login };
}

function missingPackages({ dependencies }: Package, { login, isTypeScript }: Project): string[] {
  const needed = NEEDED.filter(
    (name) => login === undefined || !['express-session', 'connect-mongo'].includes(name),
  );
  const types = isTypeScript
    ? ['@types/express', ...(login === undefined ? ['@types/passport', '@types/express-session'] : [])]
    : [];
  return [...needed, ...types].filter((name) => !(name in { ...dependencies }));
}

function nextSteps(
  { isModule, isTypeScript, login }: Project,
  file: string,
  missing: readonly string[],
): string[] {
  const path = `./${file.replace(/\\/g, '/').replace(/\.([cm]?)ts$/, '.$1js')}`;
  return [
    ...(missing.length > 0 ? [`npm install ${missing.join(' ')}`] : []),
    isModule || isTypeScript
      ? `in your app, before your routes: import { mountOAuth } from '${path}'; const oauth = await mountOAuth(app);`
      : `in your app, before your routes: const { mountOAuth } = require('${path}'); const oauth = await mountOAuth(app);`,
    `set ISSUER (https://your.site), MONGODB_URI${login === undefined ? ' and SESSION_SECRET' : ''} in its environment`,
    `write your own scopes in ${file}, and guard a route: app.get('/api/me', oauth.guard('profile'), …)`,
    'npx express-authorization-server clients create --name "My app" --redirect-uri https://app.example/callback --scopes profile',
    'npx express-authorization-server doctor --issuer https://your.site',
  ];
}
