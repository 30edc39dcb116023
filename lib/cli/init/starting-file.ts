import { importPath, type Project } from './project.js';

/** Where MongoDB is in development. */
export const DATABASE = 'mongodb://127.0.0.1:27017/app';

/** Lines of code; a condition that is false leaves its lines out. */
type Lines = readonly (string | false | Lines)[];

const join = (lines: Lines) =>
  lines
    .flat(3)
    .filter((line) => line !== false)
    .join('\n');

const throwUnless = (name: string, cure: string) => `if (!${name}) throw new Error('Set ${name} ${cure}');`;

/** The text of a file that sets up the authorization server. It awaits nothing: CommonJS has no top-level await. */
export function startingFile(project: Project): string {
  const { isImport, login, connectsItself, uriVariable, connection } = project;
  // localLogin has one of its own
  const logoutPage = login === undefined ? undefined : project.survey.logoutPage;
  const ownsSession = login === undefined && !project.hasSession;
  const environment = ['ISSUER', connectsItself && uriVariable, ownsSession && 'SESSION_SECRET'];
  return join([
    imports(project),
    '',
    `const { ${environment.filter(Boolean).join(', ')} } = process.env;`,
    // an issuer that is guessed would be on loopback, and every address that clients get would be wrong in production
    throwUnless(
      'ISSUER',
      `to the public URL of this site, such as https://photos.example; http://localhost:${project.survey.port} while you develop`,
    ),
    // the command line has no default either: the clients that it creates would be in another database than the site's
    connectsItself && throwUnless(uriVariable, `to the database, such as ${DATABASE}`),
    ownsSession && throwUnless('SESSION_SECRET', 'to a long random text: openssl rand -base64 32'),
    '',
    // a failure ends the process, as with any promise that nobody awaits
    connectsItself && `void mongoose.connect(${uriVariable});`,
    login === undefined && project.hasPeople && users(project),
    `${isImport ? 'export ' : ''}const oauth = authorizationServer({`,
    '  issuer: ISSUER,',
    `  connection${connection === 'connection' ? '' : `: ${connection}`},`,
    '  // what an application may ask for, in words that a user understands',
    "  scopes: { profile: 'See your name' },",
    `  login: '${login ?? project.loginPath}',`,
    '  // who may register applications at /oauth/applications: everybody who can log in, until you write a condition',
    '  applications: { isDeveloper: () => true },',
    logoutPage !== undefined && '  // where this site logs users out, to which the pages link',
    logoutPage !== undefined && `  pages: { logout: '${logoutPage}' },`,
    '});',
    login === undefined && mount(project),
    !isImport && ['', `module.exports = { ${login === undefined ? 'mountOAuth, ' : ''}oauth };`],
    '',
  ]);
}

function imports(project: Project): Lines {
  const { isImport, isTypeScript, login, hasPeople, hasDotenv, hasSession } = project;
  const { connection } = project.survey;
  const add = (name: string, from: string) =>
    isImport ? `import ${name} from '${from}';` : `const ${name} = require('${from}');`;
  const isStoreNamed = !isImport && !project.hasOldConnectMongo;
  return [
    // imports run before anything else does: dotenv.config() in your app would come too late
    hasDotenv && (isImport ? "import 'dotenv/config';" : "require('dotenv/config');"),
    login === undefined && [
      isTypeScript && "import type { Express } from 'express';",
      !hasSession && add(isStoreNamed ? '{ MongoStore }' : 'MongoStore', 'connect-mongo'),
      !hasSession && add('session', 'express-session'),
      add(hasPeople ? '{ Passport }' : 'passport', 'passport'),
    ],
    connection === undefined && add('mongoose', 'mongoose'),
    add(
      login !== undefined
        ? '{ authorizationServer }'
        : `{ authorizationServer, ${hasPeople ? '' : 'createUsers, '}localLogin }`,
      'express-authorization-server',
    ),
    connection !== undefined &&
      add(
        // by one name: that of the site may be a name of this file, such as users
        connection.isDefaultExport
          ? 'connection'
          : `{ ${connection.name === 'connection' ? '' : `${connection.name}${isImport ? ' as' : ':'} `}connection }`,
        importPath(project, connection.file, project.file),
      ),
  ];
}

/** A second set of users would have other ids than the site's own tokens, and nobody could log in. */
function users({ isTypeScript, survey: { people } }: Project): Lines {
  const typed = (name: string) => (isTypeScript ? `${name}: string` : name);
  const result = isTypeScript ? ': Promise<Person | null>' : '';
  return [
    isTypeScript && [
      'interface Person {',
      '  id: string;',
      '  username: string;',
      '  name: string;',
      '}',
      '',
    ],
    `/** The users of this site${people === undefined ? '' : ` (${people})`}: { id, username, name }, with the id by which your routes know them. */`,
    'const users = {',
    '  // const user = await User.findById(id); return user && { id: user.id, username: user.email, name: user.name };',
    `  async findById(${typed('id')})${result} {`,
    "    throw new Error('findById of users is not written yet');",
    '  },',
    '  // the same by the user name, or null if the password is wrong',
    `  async verify(${typed('username')}, ${typed('password')})${result} {`,
    "    throw new Error('verify of users is not written yet');",
    '  },',
    '};',
    '',
  ];
}

/** Sessions, Passport and our login page, for a site that has no page to log in. */
function mount(project: Project): Lines {
  const { isImport, isTypeScript, hasPeople, hasSession, connection, loginPath, logoutPath } = project;
  return [
    '',
    `/** Mounts the server and its login page: \`mountOAuth(app)\`, ${place(project)}. */`,
    `${isImport ? 'export ' : ''}const mountOAuth = (app${isTypeScript ? ': Express' : ''}) => {`,
    !hasSession && [
      "  const isHttps = ISSUER.startsWith('https:');",
      '  // behind a proxy that ends TLS: how many of them there are',
      "  if (isHttps) app.set('trust proxy', 1);",
      '  // sessions are stored by the connection of the site, as soon as it is open',
      // connect-mongo may have the types of another version of the driver than Mongoose
      `  const clientPromise = new Promise${isTypeScript ? '<never>' : ''}((resolve) => {`,
      `    const resolveClient = () => resolve(${connection}.getClient()${isTypeScript ? ' as never' : ''});`,
      `    if (${connection}.readyState === 1) resolveClient();`,
      `    else ${connection}.once('connected', resolveClient);`,
      '  });',
    ],
    hasPeople && '  // of its own, so that no strategy of the site is replaced',
    hasPeople && '  const passport = new Passport();',
    '  const pages = [',
    !hasSession && [
      '    session({',
      '      secret: SESSION_SECRET,',
      '      resave: false,',
      '      saveUninitialized: false,',
      '      store: MongoStore.create({ clientPromise }),',
      "      cookie: { httpOnly: true, secure: isHttps, sameSite: 'lax' },",
      '    }),',
    ],
    project.hasOldPassport && '    passport.initialize(),',
    '    passport.session(),',
    '  ];',
    '  app.use(oauth.clientRouter);',
    '  // no other path gets a session by this',
    `  app.use(['/oauth', '${loginPath}', '${logoutPath}'], pages);`,
    '  app.use(localLogin({',
    '    passport,',
    hasPeople ? '    users,' : `    users: createUsers(${connection}),`,
    `    path: '${loginPath}',`,
    `    logoutPath: '${logoutPath}',`,
    '    oauth,',
    '  }));',
    '  app.use(oauth.pageRouter);',
    '};',
  ];
}

/** Where `mountOAuth(app)` is called. */
export function place({ hasSession }: Project): string {
  const start = hasSession ? 'after your session' : 'right after app = express()';
  return `${start}, before cors(), CSRF checks and your routes`;
}

/** The text of an app for a project that has none: an API behind the guard, and where to look once it runs. */
export function startingApp({ isImport, isTypeScript }: Project, path: string): string {
  return join([
    isImport
      ? [
          "import express from 'express';",
          isTypeScript && "import { authOf } from 'express-authorization-server';",
          `import { mountOAuth, oauth } from '${path}';`,
        ]
      : ["const express = require('express');", `const { mountOAuth, oauth } = require('${path}');`],
    '',
    "const { ISSUER, PORT = '3000' } = process.env;",
    'const app = express();',
    'mountOAuth(app);',
    '',
    '// your API: a request needs an access token with the scope',
    `app.get('/api/me', oauth.guard('profile'), (req, res) => {`,
    `  res.json({ userId: ${isTypeScript ? 'authOf(req)' : 'req.auth'}.userId });`,
    '});',
    '',
    'app.use(oauth.errorHandler);',
    '// the database answers and has its indexes before the first request comes',
    'oauth.ready().then(() => {',
    `  app.listen(Number(PORT), (error${isTypeScript ? '?: Error' : ''}) => {`,
    '    if (error) throw error;',
    '    console.log(`Your API:                ${ISSUER}/api/me`);',
    '    console.log(`Register an application: ${ISSUER}/oauth/applications`);',
    '    console.log(`Connected apps:          ${ISSUER}/oauth/authorizations`);',
    '  });',
    '});',
    '',
  ]);
}
