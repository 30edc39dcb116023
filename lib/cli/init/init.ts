import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, extname, join, posix, relative, sep } from 'node:path';

import { type Command, Option } from 'commander';

import { notFound } from '../exit.js';
import type { Io } from '../io.js';
import { note, print, printJson } from '../output.js';
import { checkLoginPath, findLogin } from './find-login.js';
import { nextSteps } from './next-steps.js';
import { importPath, projectOf, readPackage } from './project.js';
import { renderFile, startingFile } from './starting-file.js';
import { surveyProject } from './survey.js';
import { findUpgrades } from './upgrades.js';

interface InitOptions {
  readonly force?: true;
  readonly login?: string;
  readonly withLogin?: true;
  readonly file?: string;
  readonly json?: true;
}

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

/** @throws CliError if no working file can be written */
async function init(io: Io, options: InitOptions): Promise<void> {
  const { force = false, json = false } = options;
  if (options.login !== undefined) checkLoginPath(options.login);
  const folder = io.cwd();
  const manifest = await readPackage(folder);
  const packages = { ...manifest.dependencies, ...manifest.devDependencies };
  const hasTypeScript = existsSync(join(folder, 'tsconfig.json')) || 'typescript' in packages;
  const name = hasTypeScript ? 'oauth.ts' : 'oauth.js';
  const target = options.file ?? (existsSync(join(folder, 'src')) ? join('src', name) : name);
  const path = join(folder, target);
  if (!force && existsSync(path))
    throw notFound(
      `${target} is there already`,
      'Write --force to overwrite it, or --file for another place.',
    );
  const file = relative(folder, path).split(sep).join('/');
  const survey = await surveyProject(folder, file);
  if (survey.server !== undefined && !force)
    throw notFound(
      `${survey.server} has an authorization server already`,
      `Change that file, or begin in another folder. --force writes ${target} beside it.`,
    );
  if ('@nestjs/core' in { ...manifest.dependencies })
    throw notFound(
      'this is a project of NestJS, where the server is a provider: nothing was written',
      'Install the package, and follow its recipe, node_modules/express-authorization-server/docs/recipes/nestjs.ts',
    );
  if (survey.app === undefined && survey.hasSource && options.login === undefined && !options.withLogin)
    throw notFound(
      'no file of this project calls express(): nothing was written',
      'Go to the folder of the package that has the app. If a framework makes it, name the login of your site: --login and the path of its page, or --with-login for a page of ours.',
    );
  const upgrades = findUpgrades(folder, packages);
  if (upgrades.length > 0) {
    const old = upgrades.map(({ name, from }) => `${name} ${from}`).join(' and ');
    const command = `npm install ${upgrades.map(({ name, to }) => `${name}@${to}`).join(' ')}`;
    const lines = upgrades.map(({ name, to, changes }) => `\n  ${name}@${to}: ${changes}`);
    const isPassport = upgrades.some((each) => each.name === 'passport');
    const calls =
      isPassport && survey.bareLogout ? `\n  ${survey.bareLogout} calls req.logout() without a callback` : '';
    note(io, `with ${old}, npm ends in ERESOLVE; upgrade first: ${command}${lines.join('')}${calls}`);
  }
  const login = await findLogin(io, survey, { ...options, mayAsk: !json });
  const project = projectOf(manifest, survey, file, { login, upgrades });

  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, startingFile(project), { flag: force ? 'w' : 'wx' });
  const app = posix.join(posix.dirname(file), `app${extname(file)}`);
  const needsApp =
    survey.app === undefined && login === undefined && !project.hasPeople && !existsSync(join(folder, app));
  if (needsApp)
    await writeFile(
      join(folder, app),
      renderFile('app', { ...project, path: importPath(project, file, app) }),
      { flag: 'wx' },
    );

  const steps = nextSteps(project, needsApp ? app : undefined);
  if (json)
    return printJson(io, {
      file: target,
      app: needsApp ? app : null,
      module: project.isModule ? 'esm' : 'commonjs',
      language: project.isTypeScript ? 'typescript' : 'javascript',
      login: login ?? null,
      missing: project.missing,
      upgrades,
      steps,
    });
  const lines = steps.map((step, index) => `  ${index + 1}. ${step}`);
  print(io, [`Wrote ${needsApp ? `${target} and ${app}` : target}. Next:`, ...lines].join('\n'));
}
