/** What the starting file is written for. */
export interface Project {
  readonly isModule: boolean;
  readonly isTypeScript: boolean;
  /** The path of the host's own login page; undefined: one is set up. */
  readonly login: string | undefined;
}

/** The text of a file that sets the authorization server up. */
export function startingFile({ isModule, isTypeScript, login }: Project): string {
  const isImport = isModule || isTypeScript;
  const parameter = isTypeScript ? 'app: Express' : 'app';
  return [
    imports(isImport, login, isTypeScript),
    `const { ISSUER = 'http://localhost:3000', MONGODB_URI = 'mongodb://127.0.0.1:27017/app'${login === undefined ? ', SESSION_SECRET' : ''} } = process.env;`,
    '',
    '/** Call it before your own routes: `const oauth = await mountOAuth(app)`. */',
    `${isImport ? 'export ' : ''}async function mountOAuth(${parameter}) {`,
    '  if (mongoose.connection.readyState === 0) await mongoose.connect(MONGODB_URI);',
    ...(login === undefined ? bundledLogin() : []),
    '  const oauth = authorizationServer({',
    '    issuer: ISSUER,',
    '    connection: mongoose.connection,',
    '    // what an application may ask for, in words that a person understands',
    "    scopes: { profile: 'See your name' },",
    `    login: '${login ?? '/login'}',`,
    '  });',
    ...(login === undefined
      ? [
          '  app.use(localLogin({ passport, users: createUsers(mongoose.connection), events: oauth.events }));',
        ]
      : []),
    '  app.use(oauth.router);',
    '  return oauth;',
    '}',
    ...(isImport ? [] : ['', 'module.exports = { mountOAuth };']),
    '',
  ].join('\n');
}

function imports(isImport: boolean, login: string | undefined, isTypeScript: boolean): string {
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
  const lines = isImport
    ? [
        ...(isTypeScript ? ["import type { Express } from 'express';"] : []),
        ...others.map(([name, from]) => `import ${name} from '${from}';`),
        `import { ${own} } from 'express-authorization-server';`,
      ]
    : [
        ...others.map(([name, from]) =>
          name === 'MongoStore'
            ? `const { MongoStore } = require('${from}');`
            : `const ${name} = require('${from}');`,
        ),
        `const { ${own} } = require('express-authorization-server');`,
      ];
  return [...lines, ''].join('\n');
}

/** Sessions, Passport and our login page, for a project that has none of its own. */
function bundledLogin(): string[] {
  return [
    "  if (SESSION_SECRET === undefined) throw new Error('Set SESSION_SECRET to a long random text: openssl rand -base64 32');",
    "  const isHttps = ISSUER.startsWith('https:');",
    '  // behind a proxy that ends TLS: how many of them there are',
    "  if (isHttps) app.set('trust proxy', 1);",
    '  app.use(session({',
    '    secret: SESSION_SECRET,',
    '    resave: false,',
    '    saveUninitialized: false,',
    '    store: MongoStore.create({ client: mongoose.connection.getClient(), dbName: mongoose.connection.name }),',
    "    cookie: { httpOnly: true, secure: isHttps, sameSite: 'lax' },",
    '  }));',
    '  app.use(passport.session());',
  ];
}
