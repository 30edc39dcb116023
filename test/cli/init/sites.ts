import type { Survey } from '../../../lib/cli/init/survey.js';

/** Projects with the lines that `init` searches for, as sites on GitHub write them. */
export interface SiteShape {
  readonly manifest?: object;
  readonly files: Readonly<Record<string, string>>;
  readonly survey: Partial<Survey>;
  readonly args?: readonly string[];
  /** The message of an `init` that writes nothing. */
  readonly refuses?: string;
  /** Texts in the generated file. */
  readonly writes?: readonly string[];
  /** Texts in the steps. */
  readonly prints?: readonly string[];
  /** Remarks before anything is written. */
  readonly notes?: readonly string[];
}

const WITH_LOGIN = ['--with-login'];
const MODULE = { type: 'module' };

export const SITES: Readonly<Record<string, SiteShape>> = {
  'a shop with a JWT in a cookie': {
    manifest: { ...MODULE, dependencies: { dotenv: '16' } },
    files: {
      'backend/server.js':
        "import express from 'express'; const port = process.env.PORT || 5000; const app = express(); app.use('/api/users', users); app.listen(port);",
      'backend/config/db.js':
        "import mongoose from 'mongoose';\nconst open = async () => { const c = await mongoose.connect(process.env.MONGO_URI); };",
      'backend/data/users.js':
        "import bcrypt from 'bcryptjs'; export default [{ name: 'a', password: bcrypt.hashSync('1') }];",
      'backend/models/userModel.js':
        "import mongoose from 'mongoose'; const user = mongoose.Schema({ email: String, password: { type: String } });",
    },
    survey: {
      people: 'backend/models/userModel.js',
      connects: true,
      uriVariable: 'MONGO_URI',
      port: '5000',
      loginPages: [],
    },
    args: WITH_LOGIN,
    writes: [
      "import 'dotenv/config';",
      '/** The users of this site (backend/models/userModel.js)',
      "app.use(['/oauth', '/signin', '/signout'], pages);",
      'mongoose.connection.getClient()',
    ],
    prints: [
      "in backend/server.js, right after app = express(), before cors(), CSRF checks and your routes: import { mountOAuth, oauth } from '../oauth.js'; mountOAuth(app);",
      'set ISSUER (its public URL; http://localhost:5000 while you develop) and SESSION_SECRET in its environment',
      '(req, res) => { res.json({ userId: req.auth.userId }); });',
      "export MONGODB_URI='<the URI that the site connects to, its MONGO_URI>'",
      '--scopes profile\n',
      'while the site runs: npx express-authorization-server doctor --issuer http://localhost:5000\n',
    ],
  },
  'an API in layers, with a chained connect': {
    manifest: { devDependencies: { typescript: '6' } },
    files: {
      'src/app.ts': "import express, { Handler } from 'express';\nconst app = express();\napp.use(cors());",
      'src/core/JWT.ts': "import { sign } from 'jsonwebtoken';",
      'src/database/index.ts':
        "import mongoose from 'mongoose';\nmongoose\n  .plugin((schema) => { schema.pre('x', (a) => run(a, f())); })\n  .connect(uri(), options)\n  .then(log);",
      'src/database/model/User.ts':
        "import { Schema, model } from 'mongoose';\ninterface User { password?: string }\nexport default model('User', new Schema<User>({ password: { type: String } }));",
    },
    survey: { people: 'src/database/model/User.ts', connects: true, uriVariable: undefined },
    args: WITH_LOGIN,
    writes: [
      "import type { Express } from 'express';",
      'export const oauth = authorizationServer({',
      'new Promise<never>(',
    ],
    prints: [
      "import { mountOAuth, oauth } from './oauth'; mountOAuth(app);",
      '(req, res) => { res.json({ userId: req.auth?.userId }); });',
      "export MONGODB_URI='<the URI that the site connects to>'",
    ],
  },
  'a chat whose login is its home page': {
    manifest: { dependencies: { express: '4.x.x', mongoose: '^5.4.10', passport: '^0.3.2' } },
    files: {
      'server.js':
        "var express = require('express');\nvar app = express();\nvar routes = require('./app/routes');\napp.use('/', routes);",
      'app/auth/index.js':
        "var Passport = require('passport'); var Local = require('passport-local').Strategy; Passport.use(new Local(verify));",
      'app/session/index.js': "var session = require('express-session');",
      'app/database/index.js': "var Mongoose = require('mongoose');\nMongoose.connect(address, {});",
      'app/routes/index.js':
        "router.get('/', function (req, res) { if (req.user) res.redirect('/rooms'); else res.render('login', { errors }); });\nrouter.post('/login', go);\nrouter.get('/logout', (req, res) => { req.logout(); res.redirect('/'); });",
      'app/models/room.js':
        'exports.findOne = function (data, callback) { roomModel.findOne(data, callback); };',
    },
    survey: {
      localStrategy: 'app/auth/index.js',
      session: 'app/session/index.js',
      connects: true,
      loginPages: ['/'],
      logoutPage: '/logout',
      bareLogout: 'app/routes/index.js',
    },
    args: ['--login', '/'],
    writes: ["login: '/'", "pages: { logout: '/logout' },", 'connection: mongoose.connection'],
    prints: [
      'npm install mongoose@6 passport@0.7 express-authorization-server\n',
      "app.get('/', oauth.loginPage);",
      "const { oauth } = require('./oauth.js');",
    ],
    notes: [
      'with mongoose ^5.4.10 and passport ^0.3.2, npm ends in ERESOLVE; upgrade first: npm install mongoose@6 passport@0.7\n',
      'mongoose@6: callbacks still work',
      'passport@0.7: req.logout() needs a callback',
      'app/routes/index.js calls req.logout() without a callback',
    ],
  },
  'a JSON API with passport-jwt': {
    manifest: { dependencies: { passport: '^0.4.1', mongoose: '^5.11.8' } },
    files: {
      'server.js': "const express = require('express')\nconst app = express()\napp.use(cors())",
      'config/mongo.js':
        "const mongoose = require('mongoose')\nconst DB_URL = process.env.MONGO_URI\nmongoose.connect(\n  DB_URL,\n  {},\n  done)",
      'config/passport.js':
        "const passport = require('passport')\nconst { Strategy } = require('passport-jwt')\npassport.use(jwt)",
      'models/user.js': 'module.exports = new mongoose.Schema({ password: { type: String, select: false } })',
    },
    survey: {
      strategy: 'config/passport.js',
      localStrategy: undefined,
      people: 'models/user.js',
      connects: true,
    },
    notes: ['with mongoose ^5.11.8, npm ends in ERESOLVE; upgrade first: npm install mongoose@6\n'],
    refuses: 'this site has people of its own (models/user.js)',
  },
  'a template of NestJS': {
    manifest: { dependencies: { '@nestjs/core': '10' }, devDependencies: { typescript: '5' } },
    files: {
      'src/main.ts': 'const app = await NestFactory.create(AppModule);',
      'src/app.module.ts': 'MongooseModule.forRootAsync({ useFactory })',
    },
    survey: { app: undefined, connects: false },
    args: WITH_LOGIN,
    refuses: 'docs/recipes/nestjs.ts',
  },
  'a starter with sessions and pages': {
    files: {
      'app.js':
        "const express = require('express'), session = require('express-session');\nconst app = express();\nmongoose.connect(process.env.MONGODB_URI);\napp.get('/login', user.getLogin);\napp.get('/auth/google/login', google);",
      'config/passport.js':
        "const passport = require('passport'); const { Strategy } = require('passport-local'); passport.use(new Strategy(f));",
    },
    survey: { session: 'app.js', loginPages: ['/login', '/auth/google/login'], uriVariable: 'MONGODB_URI' },
    refuses: 'perhaps /login or /auth/google/login',
  },
  'loaders in TypeScript': {
    manifest: { devDependencies: { typescript: '5' } },
    files: {
      'src/app.ts':
        "import express from 'express';\nasync function start() { const app = express(); await (await import('./loaders')).default({ app }); }",
      'src/config/index.ts': 'export default { databaseURL: process.env.MONGODB_URI };',
      'src/loaders/mongoose.ts':
        "import mongoose from 'mongoose';\nexport default async () => (await mongoose.connect(config.databaseURL)).connection.db;",
      'src/services/auth.ts': "import argon2 from 'argon2'; import jwt from 'jsonwebtoken';",
    },
    survey: { app: 'src/app.ts', connects: true, people: 'src/services/auth.ts' },
    args: WITH_LOGIN,
    prints: ['in src/app.ts, right after app = express()'],
  },
  'a boilerplate that validates its environment': {
    files: {
      'src/app.js':
        "const express = require('express');\nconst passport = require('passport');\nconst app = express();\npassport.use('jwt', jwtStrategy);",
      'src/index.js':
        "const mongoose = require('mongoose');\nmongoose.connect(config.mongoose.url, config.mongoose.options).then(listen);",
      'src/config/config.js': 'module.exports = { url: env.MONGODB_URL };',
    },
    survey: { strategy: 'src/app.js', localStrategy: undefined, connects: true, uriVariable: 'MONGODB_URL' },
    args: WITH_LOGIN,
    writes: ['const passport = new Passport();', "mongoose.connection.once('connected'"],
    prints: ["export MONGODB_URI='<the URI that the site connects to, its MONGODB_URL>'"],
  },
  'campsites with passport-local-mongoose': {
    files: {
      'app.js':
        "const express = require('express');\nconst userRoutes = require('./routes/users');\nconst app = express();\nmongoose.connect(dbUrl);\napp.use(session({})); require('express-session'); app.use('/', userRoutes);",
      'models/user.js': "const plugin = require('passport-local-mongoose');",
      'routes/users.js': "router.route('/login').get(users.form).post(users.login);",
    },
    survey: { localStrategy: 'models/user.js', loginPages: ['/login'], connects: true },
    args: WITH_LOGIN,
    refuses: "models/user.js has a Passport strategy 'local'",
  },
  'a content management system that makes the app': {
    files: {
      'app.js': "import apostrophe from 'apostrophe';\napostrophe({ root: import.meta, modules: {} });",
    },
    survey: { app: undefined, hasSource: true },
    refuses: 'no file of this project calls express(): nothing was written',
  },
  'two databases in TypeScript': {
    manifest: { ...MODULE, devDependencies: { typescript: '5' } },
    files: {
      'src/db.ts':
        "import { createConnection } from 'mongoose';\nexport const users: Connection = createConnection(process.env.DATABASE_URL!);\nexport const logs = createConnection(process.env.LOGS_URL!);",
      'src/server.ts': "import e from 'express';\nexport const server = e();",
    },
    survey: {
      app: 'src/server.ts',
      connects: false,
      connection: { file: 'src/db.ts', name: 'users', isDefaultExport: false, isExported: true },
      uriVariable: 'DATABASE_URL',
    },
    args: ['--login', '/login'],
    writes: ["import { users as connection } from './db.js';", '  connection,'],
  },
  'one connection of CommonJS': {
    files: {
      'lib/db.js':
        "const db = require('mongoose').createConnection(process.env.MONGO_URL);\nmodule.exports = db;",
      'index.js': "const app = require('express')();",
    },
    survey: {
      app: 'index.js',
      connection: { file: 'lib/db.js', name: 'db', isDefaultExport: true, isExported: true },
    },
    args: WITH_LOGIN,
    writes: [
      "const connection = require('./lib/db.js');",
      'users: createUsers(connection)',
      "connection.once('connected'",
    ],
  },
  'a connection that its file keeps': {
    files: {
      'app.js':
        "const mongoose = require('mongoose'), express = require('express');\nconst app = express();\nconst main = mongoose.createConnection(uri);",
    },
    survey: { connection: { file: 'app.js', name: 'main', isDefaultExport: false, isExported: false } },
    args: ['--login', '/login'],
    writes: ["const { main: connection } = require('./app.js');"],
    prints: ['export the connection that app.js makes by createConnection(), as main: oauth.js imports it'],
  },
  'a class that is the app': {
    manifest: { devDependencies: { typescript: '5' } },
    files: {
      'src/app.ts':
        "import express from 'express';\nclass App { app: express.Application; constructor() { this.app = express(); } }",
      'src/database.ts':
        "import { connect as open, set } from 'mongoose';\nexport const start = async () => { set('debug', true); await open(dbConnection.url); };",
      'src/models/users.ts':
        "import { model, Schema } from 'mongoose';\nconst schema: Schema = new Schema({ password: { type: String } });",
    },
    survey: { app: 'src/app.ts', connects: true, people: 'src/models/users.ts' },
    args: WITH_LOGIN,
  },
  'articles with a JSON login by Passport': {
    files: {
      'app.js':
        "var express = require('express'), session = require('express-session');\nvar app = express();\nmongoose.connect('mongodb://localhost/conduit');",
      'config/passport.js':
        "var LocalStrategy = require('passport-local').Strategy; passport.use(new LocalStrategy(f));",
      'routes/api/users.js':
        "router.post('/users/login', passport.authenticate('local', { session: false }));",
    },
    survey: { localStrategy: 'config/passport.js', session: 'app.js', loginPages: [] },
    args: WITH_LOGIN,
    writes: ['const passport = new Passport();'],
    prints: ['in app.js, after your session, before cors(), CSRF checks and your routes'],
  },
  'models of Typegoose': {
    manifest: { devDependencies: { typescript: '5' } },
    files: {
      'src/main.ts':
        "import * as express from 'express';\nimport { mongoose } from '@typegoose/typegoose';\nconst app = express();\nvoid mongoose.connect(process.env['MONGO_URL']);",
      'src/user.ts':
        'class User { @prop() public password!: string; }\nexport const UserModel = getModelForClass(User);',
    },
    survey: { app: 'src/main.ts', connects: true, people: 'src/user.ts', uriVariable: 'MONGO_URL' },
    args: WITH_LOGIN,
  },
  'an editor built by Babel': {
    files: {
      'server/server.js':
        "import Express from 'express';\nimport passport from 'passport';\nimport users from './routes/user.routes';\nconst app = new Express();\nimport session from 'express-session';\nmongoose.connect(mongoConnectionString);\napp.use('/editor', users);\napp.get('/api/logout', end);\nconst { MONGO_URL } = process.env;",
      'server/routes/user.routes.js': "import pages from './pages';\nrouter.use('/account', pages);",
      'server/routes/pages.js': "router.get('/sign-in', (req, res) => res.send(page));",
    },
    survey: {
      app: 'server/server.js',
      importsModules: true,
      loginPages: ['/editor/account/sign-in'],
      // no page
      logoutPage: undefined,
      uriVariable: 'MONGO_URL',
    },
    args: ['--login', '/editor/account/sign-in'],
    writes: ['export const oauth'],
  },
  'a site of cookie-session and a form of its own': {
    files: {
      'index.js':
        "const cookieSession = require('cookie-session');\nconst app = require('express')();\nrequire('mongoose').connect(process.env.DB_CONNECTION_STRING);\napp.use('/account', require('./account'));",
      'account.js': "router.get('/login', (req, res) => res.send(form));",
    },
    survey: { app: 'index.js', session: 'index.js', connects: true, uriVariable: 'DB_CONNECTION_STRING' },
    refuses: 'this site has sessions of its own (index.js)',
  },
  'a site on SQL': {
    files: {
      'app.js':
        "const express = require('express');\nconst redis = createClient(); redis.connect();\nconst app = express();",
    },
    survey: { connects: false, connection: undefined, uriVariable: undefined },
    writes: ['void mongoose.connect(MONGODB_URI);'],
    prints: ['oauth.js opens the connection to MONGODB_URI', 'SESSION_SECRET'],
  },
};
