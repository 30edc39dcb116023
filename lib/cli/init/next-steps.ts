import { posix } from 'node:path';

import { DATABASE, type Project } from './starting-file.js';

/** What is in the project, and what was written to it. */
export interface Places {
  /** The starting file. */
  readonly file: string;
  /** The file of the site that calls `express()`, if it has one. */
  readonly app: string | undefined;
  /** The app that was written because there was none. */
  readonly newApp: string | undefined;
  readonly missing: readonly string[];
  /** Whether it is written with NestJS. */
  readonly isNest: boolean;
  /** Whether its TypeScript cannot read our declarations. */
  readonly hasOldTypeScript: boolean;
}

/** What is left to do, in the order in which it is done. */
export function nextSteps(project: Project, places: Places): string[] {
  const { newApp } = places;
  return [
    ...preparations(project, places),
    ...(newApp === undefined ? stepsOfSite(project, places) : stepsOfNewApp(project, newApp)),
  ];
}

/** What has to be there before anything of it works. */
function preparations(
  { hasPeople }: Project,
  { file, missing, hasOldTypeScript }: Pick<Places, 'file' | 'missing' | 'hasOldTypeScript'>,
): string[] {
  return [
    ...(missing.length > 0 ? [`npm install ${missing.join(' ')}`] : []),
    ...(hasOldTypeScript ? ['npm install --save-dev typescript@5: the declarations need 5.0 or newer'] : []),
    ...(hasPeople ? [`write findById and verify of users in ${file}: your own users log in at /signin`] : []),
  ];
}

const CLI = 'npx express-authorization-server';

/** Each is a command that can be copied as it stands. */
function stepsOfNewApp({ isTypeScript }: Project, app: string): string[] {
  return [
    `export ISSUER=http://localhost:3000 MONGODB_URI=${DATABASE} SESSION_SECRET=$(openssl rand -base64 32)`,
    `${CLI} users create --username ada (it asks for a password): somebody who can log in`,
    `${CLI} clients create --id my-app --type public --name "My app" --redirect-uri http://localhost:4000/callback --scopes profile`,
    `${isTypeScript ? 'npx tsx' : 'node'} ${app}, and open http://localhost:3000/oauth/applications`,
  ];
}

function stepsOfSite(project: Project, { file, app, isNest }: Places): string[] {
  const { login, connects } = project;
  const path = importPath(project, file, app);
  const from = (name: string) =>
    project.isModule || project.isTypeScript
      ? `import { ${name} } from '${path}'`
      : `const { ${name} } = require('${path}')`;
  const where = app ?? 'your app';
  return [
    ...(login === undefined
      ? [`in ${where}, before your routes: ${from('mountOAuth')}; const oauth = mountOAuth(app);`]
      : [
          `in ${where}: ${from('oauth')};`,
          isNest
            ? 'in main.ts, right after NestFactory.create(…): app.use(oauth.clientRouter);'
            : 'as its first line after app = express(): app.use(oauth.clientRouter);',
          'after your session and passport.session(), before your CSRF check and your routes: app.use(oauth.pageRouter);',
          `anywhere before the route of your login page: app.use('${login}', oauth.loginPage);`,
        ]),
    'after your routes, before an error handler of your own: app.use(oauth.errorHandler);',
    `set ISSUER (its public URL; http://localhost:3000 while you develop)${login !== undefined && connects ? '' : ', MONGODB_URI'}${login === undefined ? ' and SESSION_SECRET' : ''} in its environment`,
    `write your own scopes in ${file}, decide in applications.isDeveloper who may register applications, and guard a route: app.get('/api/me', oauth.guard('profile'), …)`,
    ...(login === undefined && !project.hasPeople
      ? [`${CLI} users create --username you (it asks for a password): somebody who can log in`]
      : []),
    `${CLI} clients create --id my-app --type public --name "My app" --redirect-uri http://localhost:4000/callback --scopes profile`,
    `${CLI} doctor --issuer http://localhost:3000`,
  ];
}

/** The path as the app's file has to write it, in the same folder if it is not known which file that is. */
export function importPath({ isModule, isTypeScript }: Project, file: string, app = file): string {
  const path = posix.relative(posix.dirname(app), file);
  const built = isTypeScript && !isModule ? path.replace(/\.ts$/, '') : path.replace(/\.([cm]?)ts$/, '.$1js');
  return built.startsWith('.') ? built : `./${built}`;
}
