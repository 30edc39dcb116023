/** The project that the starting file is written for. */
export interface Project {
  readonly isModule: boolean;
  readonly isTypeScript: boolean;
  /** The path of the site's own login page; undefined if one is to be set up. */
  readonly login: string | undefined;
  /** Whether the site connects Mongoose itself. */
  readonly connects: boolean;
  /** Whether its Passport is older than 0.6, which does nothing until it is initialized. */
  readonly hasOldPassport: boolean;
  /** Whether its connect-mongo is older than 6, which exports the store itself. */
  readonly hasOldConnectMongo: boolean;
  /** Whether it reads its environment from a file by dotenv. */
  readonly hasDotenv: boolean;
  /** Whether the site has users of its own, by a Passport strategy or without, and no login page: an API. */
  readonly hasPeople: boolean;
}

/** Where MongoDB is in development. */
export const DATABASE = 'mongodb://127.0.0.1:27017/app';

/** The text of a file that sets up the authorization server. It awaits nothing: CommonJS has no top-level await. */
export function startingFile(project: Project): string {
  return [
    ...imports(project),
    '',
    ...(project.login === undefined ? withLogin(project) : besideLogin(project, project.login)),
    '',
  ].join('\n');
}

/** For a site with a login of its own: the server as a value, for the app and for the routes that it guards. */
function besideLogin(project: Project, login: string): string[] {
  return [
    `const { ${project.connects ? 'ISSUER' : 'ISSUER, MONGODB_URI'} } = process.env;`,
    NO_ISSUER,
    ...(project.connects ? [] : [NO_DATABASE]),
    '',
    ...connecting(project),
    `${project.isModule || project.isTypeScript ? 'export ' : ''}const oauth = authorizationServer({`,
    ...options('ISSUER', login),
    '});',
    ...(project.isModule || project.isTypeScript ? [] : ['', 'module.exports = { oauth };']),
  ];
}

/** Sessions, Passport and our login page, for a project that has none of its own. */
function withLogin(project: Project): string[] {
  const { isModule, isTypeScript } = project;
  const isImport = isModule || isTypeScript;
  return [
    'const { ISSUER, MONGODB_URI, SESSION_SECRET } = process.env;',
    ...(project.hasPeople ? ownPeople(isTypeScript) : []),
    '',
    '/** Call it before your own routes: `const oauth = mountOAuth(app)`. */',
    `${isImport ? 'export ' : ''}function mountOAuth(${isTypeScript ? 'app: Express' : 'app'}) {`,
    `  ${NO_ISSUER}`,
    `  ${NO_DATABASE}`,
    "  if (SESSION_SECRET === undefined) throw new Error('Set SESSION_SECRET to a long random text: openssl rand -base64 32');",
    "  const isHttps = ISSUER.startsWith('https:');",
    '  // behind a proxy that ends TLS: how many of them there are',
    "  if (isHttps) app.set('trust proxy', 1);",
    ...connecting(project).map((line) => `  ${line}`),
    '  app.use(session({',
    '    secret: SESSION_SECRET,',
    '    resave: false,',
    '    saveUninitialized: false,',
    '    store: MongoStore.create({ mongoUrl: MONGODB_URI }),',
    "    cookie: { httpOnly: true, secure: isHttps, sameSite: 'lax' },",
    '  }));',
    ...(project.hasPeople
      ? [
          '  // of its own: the site has strategies that must not be replaced',
          '  const passport = new Passport();',
        ]
      : []),
    ...(project.hasOldPassport ? ['  app.use(passport.initialize());'] : []),
    '  app.use(passport.session());',
    '  const oauth = authorizationServer({',
    ...options('ISSUER', project.hasPeople ? '/signin' : '/login').map((line) => `  ${line}`),
    '  });',
    '  app.use(localLogin({',
    '    passport,',
    ...(project.hasPeople
      ? ['    users,', "    path: '/signin',", "    logoutPath: '/signout',"]
      : ['    users: createUsers(mongoose.connection),']),
    '    events: oauth.events,',
    '    describeRequest: oauth.describeRequest,',
    '  }));',
    '  app.use(oauth.router);',
    '  return oauth;',
    '}',
    ...(isImport ? [] : ['', 'module.exports = { mountOAuth };']),
  ];
}

/** The text of an app for a project that has none: an API behind the guard, and where to look once it runs. */
export function startingApp({ isModule, isTypeScript }: Project, path: string): string {
  const own = `{ mountOAuth } from '${path}'`;
  return [
    ...(isModule || isTypeScript
      ? [
          "import express from 'express';",
          ...(isTypeScript ? ["import { authOf } from 'express-authorization-server';"] : []),
          `import ${own};`,
        ]
      : ["const express = require('express');", `const { mountOAuth } = require('${path}');`]),
    '',
    "const { ISSUER, PORT = '3000' } = process.env;",
    'const app = express();',
    'const oauth = mountOAuth(app);',
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
  ].join('\n');
}

/** An issuer that is guessed would be on loopback, and every address that clients get would be wrong in production. */
const NO_ISSUER =
  "if (!ISSUER) throw new Error('Set ISSUER to the public URL of this site, such as https://photos.example; http://localhost:3000 while you develop');";

/** The command line has no default either: the clients that it creates would be in another database than the site's. */
const NO_DATABASE = `if (!MONGODB_URI) throw new Error('Set MONGODB_URI, such as ${DATABASE}');`;

/** A second set of users would have other ids than the site's own tokens, and nobody could log in. */
function ownPeople(isTypeScript: boolean): string[] {
  const typed = (name: string) => (isTypeScript ? `${name}: string` : name);
  const result = isTypeScript ? ': Promise<Person | null>' : '';
  return [
    '',
    ...(isTypeScript
      ? ['interface Person {', '  id: string;', '  username: string;', '  name: string;', '}', '']
      : []),
    '/** The users of this site: { id, username, name }, with the id by which your routes know them. */',
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
  ];
}

/**
 * Nothing if the site connects itself, earlier or later. A failure ends the process, as with any promise that nobody
 * awaits.
 */
function connecting({ connects }: Project): string[] {
  return connects ? [] : ['void mongoose.connect(MONGODB_URI);'];
}

function options(issuer: string, login: string): string[] {
  return [
    `  issuer: ${issuer},`,
    '  connection: mongoose.connection,',
    '  // what an application may ask for, in words that a user understands',
    "  scopes: { profile: 'See your name' },",
    `  login: '${login}',`,
    '  // who may register applications at /oauth/applications: everybody who can log in, until you write a condition',
    '  applications: { isDeveloper: () => true },',
  ];
}

/** What is imported beside this package: names, and where they come from. */
function othersOf({ login, hasPeople }: Pick<Project, 'login' | 'hasPeople'>): (readonly [string, string])[] {
  if (login !== undefined) return [['mongoose', 'mongoose']];
  return [
    ['MongoStore', 'connect-mongo'],
    ['session', 'express-session'],
    ['mongoose', 'mongoose'],
    [hasPeople ? '{ Passport }' : 'passport', 'passport'],
  ];
}

function imports({
  isModule,
  isTypeScript,
  login,
  hasDotenv,
  hasPeople,
  hasOldConnectMongo,
}: Project): string[] {
  const users = hasPeople ? '' : 'createUsers, ';
  const own = login === undefined ? `authorizationServer, ${users}localLogin` : 'authorizationServer';
  const others = othersOf({ login, hasPeople });
  if (isModule || isTypeScript)
    return [
      // imports run before anything else does: dotenv.config() in your app would come too late
      ...(hasDotenv ? ["import 'dotenv/config';"] : []),
      ...(isTypeScript && login === undefined ? ["import type { Express } from 'express';"] : []),
      ...others.map(([name, from]) => `import ${name} from '${from}';`),
      `import { ${own} } from 'express-authorization-server';`,
    ];
  return [
    ...(hasDotenv ? ["require('dotenv/config');"] : []),
    ...others.map(
      ([name, from]) =>
        `const ${name === 'MongoStore' && !hasOldConnectMongo ? '{ MongoStore }' : name} = require('${from}');`,
    ),
    `const { ${own} } = require('express-authorization-server');`,
  ];
}
