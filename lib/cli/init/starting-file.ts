/** The project that the starting file is written for. */
export interface Project {
  readonly isModule: boolean;
  readonly isTypeScript: boolean;
  /** The path of the host's own login page; undefined if one is to be set up. */
  readonly login: string | undefined;
  /** Whether the host connects Mongoose itself. */
  readonly connects: boolean;
  /** Whether its Passport is older than 0.6, which does nothing until it is initialized. */
  readonly hasOldPassport: boolean;
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
    ...connecting(project, `process.env.MONGODB_URI ?? '${DATABASE}'`),
    `${project.isModule || project.isTypeScript ? 'export ' : ''}const oauth = authorizationServer({`,
    ...options("process.env.ISSUER ?? 'http://localhost:3000'", login),
    '});',
    ...(project.isModule || project.isTypeScript ? [] : ['', 'module.exports = { oauth };']),
  ];
}

/** Sessions, Passport and our login page, for a project that has none of its own. */
function withLogin(project: Project): string[] {
  const { isModule, isTypeScript } = project;
  const isImport = isModule || isTypeScript;
  return [
    `const { ISSUER = 'http://localhost:3000', MONGODB_URI = '${DATABASE}', SESSION_SECRET } = process.env;`,
    '',
    '/** Call it before your own routes: `const oauth = mountOAuth(app)`. */',
    `${isImport ? 'export ' : ''}function mountOAuth(${isTypeScript ? 'app: Express' : 'app'}) {`,
    "  if (SESSION_SECRET === undefined) throw new Error('Set SESSION_SECRET to a long random text: openssl rand -base64 32');",
    "  const isHttps = ISSUER.startsWith('https:');",
    '  // behind a proxy that ends TLS: how many of them there are',
    "  if (isHttps) app.set('trust proxy', 1);",
    ...connecting(project, 'MONGODB_URI').map((line) => `  ${line}`),
    '  app.use(session({',
    '    secret: SESSION_SECRET,',
    '    resave: false,',
    '    saveUninitialized: false,',
    '    store: MongoStore.create({ mongoUrl: MONGODB_URI }),',
    "    cookie: { httpOnly: true, secure: isHttps, sameSite: 'lax' },",
    '  }));',
    ...(project.hasOldPassport ? ['  app.use(passport.initialize());'] : []),
    '  app.use(passport.session());',
    '  const oauth = authorizationServer({',
    ...options('ISSUER', '/login').map((line) => `  ${line}`),
    '  });',
    '  app.use(localLogin({',
    '    passport,',
    '    users: createUsers(mongoose.connection),',
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
    "const { ISSUER = 'http://localhost:3000', PORT = '3000' } = process.env;",
    'const app = express();',
    'const oauth = mountOAuth(app);',
    '',
    '// your API: a request needs an access token with the scope',
    `app.get('/api/me', oauth.guard('profile'), (req, res) => {`,
    `  res.json({ userId: ${isTypeScript ? 'authOf(req)' : 'req.auth'}.userId });`,
    '});',
    '',
    'app.use(oauth.errorHandler);',
    'app.listen(Number(PORT), () => {',
    '  console.log(`Your API:                ${ISSUER}/api/me`);',
    '  console.log(`Register an application: ${ISSUER}/oauth/applications`);',
    '  console.log(`Connected apps:          ${ISSUER}/oauth/authorizations`);',
    '});',
    '',
  ].join('\n');
}

/**
 * Nothing if the host connects itself, earlier or later. A failure ends the process, as with any promise that nobody
 * awaits.
 */
function connecting({ connects }: Project, uri: string): string[] {
  return connects ? [] : [`void mongoose.connect(${uri});`];
}

function options(issuer: string, login: string): string[] {
  return [
    `  issuer: ${issuer},`,
    '  connection: mongoose.connection,',
    '  // what an application may ask for, in words that a person understands',
    "  scopes: { profile: 'See your name' },",
    `  login: '${login}',`,
    '  // who may register applications at /oauth/applications: everybody who can log in, until you write a condition',
    '  isDeveloper: () => true,',
  ];
}

function imports({ isModule, isTypeScript, login }: Project): string[] {
  const own = login === undefined ? 'authorizationServer, createUsers, localLogin' : 'authorizationServer';
  const others =
    login === undefined
      ? [
          ['MongoStore', 'connect-mongo'],
          ['session', 'express-session'],
          ['mongoose', 'mongoose'],
          ['passport', 'passport'],
        ]
      : [['mongoose', 'mongoose']];
  if (isModule || isTypeScript)
    return [
      ...(isTypeScript && login === undefined ? ["import type { Express } from 'express';"] : []),
      ...others.map(([name, from]) => `import ${name} from '${from}';`),
      `import { ${own} } from 'express-authorization-server';`,
    ];
  return [
    ...others.map(
      ([name, from]) => `const ${name === 'MongoStore' ? '{ MongoStore }' : name} = require('${from}');`,
    ),
    `const { ${own} } = require('express-authorization-server');`,
  ];
}
