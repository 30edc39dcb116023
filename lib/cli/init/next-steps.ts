import { importPath, type Project } from './project.js';
import { DATABASE, place } from './starting-file.js';

const CLI = 'npx express-authorization-server';

/** The remaining steps, in order. `newApp` is the app that `init` has written because there was none. */
export function nextSteps(project: Project, newApp: string | undefined): string[] {
  const { survey, file, login, hasPeople, uriVariable } = project;
  const { connection, port } = survey;
  return [
    project.missing.length > 0 && `npm install ${project.missing.join(' ')}`,
    project.hasOldTypeScript && 'npm install --save-dev typescript@5: the declarations need 5.0 or newer',
    connection?.isExported === false &&
      `export the connection that ${connection.file} makes by createConnection(), as ${connection.name}: ${file} imports it`,
    project.connectsItself &&
      survey.app !== undefined &&
      `${file} opens the connection to ${uriVariable}, as no other file was seen to: take that line out if one does`,
    hasPeople &&
      `write findById and verify of users in ${file}: your own users log in at ${project.loginPath}`,
    ...(newApp === undefined
      ? siteSteps(project)
      : [
          `export ISSUER=http://localhost:3000 ${uriVariable}=${DATABASE} SESSION_SECRET=$(openssl rand -base64 32)`,
        ]),
    // a site that reads a .env file does not set the variables of a shell
    (newApp === undefined || uriVariable !== 'MONGODB_URI') &&
      `in your shell, for the commands below: export MONGODB_URI='<the URI that the site connects to${survey.uriVariable === undefined ? '' : `, its ${uriVariable}`}>'`,
    login === undefined &&
      !hasPeople &&
      `${CLI} users create --username you (it asks for a password): somebody who can log in`,
    `${CLI} clients create --id my-app --type public --name "My app" --redirect-uri http://localhost:4000/callback --scopes profile`,
    newApp === undefined && `while the site runs: ${CLI} doctor --issuer http://localhost:${port}`,
    newApp !== undefined &&
      `${project.isTypeScript ? 'npx tsx' : 'node'} ${newApp}, and open http://localhost:3000/oauth/applications`,
  ].filter((step) => step !== false);
}

function siteSteps(project: Project): string[] {
  const { survey, file, login, isImport, isTypeScript, hasSession } = project;
  const path = importPath(project, file, survey.app ?? file);
  const name = login === undefined ? 'mountOAuth, oauth' : 'oauth';
  const line = isImport ? `import { ${name} } from '${path}'` : `const { ${name} } = require('${path}')`;
  const where = survey.app ?? 'your app';
  const variables = [
    `ISSUER (its public URL; http://localhost:${survey.port} while you develop)`,
    ...(project.connectsItself ? [project.uriVariable] : []),
    ...(login === undefined && !hasSession ? ['SESSION_SECRET'] : []),
  ];
  return [
    ...(login === undefined
      ? [`in ${where}, ${place(project)}: ${line}; mountOAuth(app);`]
      : [
          `in ${where}: ${line};`,
          'as its first line after app = express(): app.use(oauth.clientRouter);',
          'after your session and passport.session(), before cors(), your CSRF check and your routes: app.use(oauth.pageRouter);',
          `anywhere before the route of your login page: app.${login === '/' ? 'get' : 'use'}('${login}', oauth.loginPage);`,
        ]),
    'after your routes, before an error handler of your own: app.use(oauth.errorHandler);',
    `set ${variables.join(' and ')} in its environment`,
    `write your own scopes in ${file}, decide in applications.isDeveloper who may register applications, and guard a route in any file that imports oauth: app.get('/api/me', oauth.guard('profile'), (req, res) => { res.json({ userId: ${isTypeScript ? 'req.auth?' : 'req.auth'}.userId }); });`,
  ];
}
