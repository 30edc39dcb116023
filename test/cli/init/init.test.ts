import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { runCli } from '../../support/cli.js';
import { type Folder, openFolder } from '../../support/folder.js';
import { exitWith } from '../../support/refusal.js';

/** The suites of test/bin start and compile the generated file. */
describe('express-authorization-server init', () => {
  let folder: Folder;
  beforeEach(async () => void (folder = await openFolder()));
  afterEach(() => folder.close());

  test('init does not overwrite a file without --force', async () => {
    await folder.write('package.json', JSON.stringify({ type: 'module' }));
    await folder.write('oauth.js', 'precious');
    expect(await runCli(['init'], { cwd: folder.path })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('--force'),
    });
    expect(await readFile(join(folder.path, 'oauth.js'), 'utf8')).toBe('precious');
    expect((await runCli(['init', '--force'], { cwd: folder.path })).code).toBe(0);
    expect(await readFile(join(folder.path, 'oauth.js'), 'utf8')).toContain('mountOAuth');
  });

  test('init writes nothing without a package.json or with an invalid login path', async () => {
    expect(await runCli(['init'], { cwd: folder.path })).toMatchObject(exitWith(2, 'npm init'));
    await folder.write('package.json', '{}');
    expect(await runCli(['init', '--login', "//evil.example'"], { cwd: folder.path })).toMatchObject(
      exitWith(2, '--login /login'),
    );
    expect(await readdir(folder.path)).toEqual(['package.json']);
  });

  test('init lists only missing packages, types among the development ones', async () => {
    await makeSite({
      'package.json': JSON.stringify({
        dependencies: { express: '5', mongoose: '9', passport: '1', 'express-authorization-server': '1' },
        devDependencies: { typescript: '6', '@types/express': '5' },
      }),
    });
    const { stdout } = await runCli(['init', '--login', '/login', '--json'], { cwd: folder.path });
    expect(JSON.parse(stdout)).toMatchObject({ file: 'oauth.ts', missing: ['@types/passport'] });
  });

  test('the file of init never guesses the issuer', async () => {
    await makeSite({ 'package.json': '{}' });
    for (const args of [['--login', '/login'], ['--with-login']]) {
      await runCli(['init', '--force', ...args], { cwd: folder.path });
      const text = await readFile(join(folder.path, 'oauth.js'), 'utf8');
      expect(text).toContain("if (!ISSUER) throw new Error('Set ISSUER");
      expect(text).not.toMatch(/ISSUER\s*(\?\?|\|\||=(?!=))\s*'/);
    }
  });

  test('init refuses a project that has an authorization server', async () => {
    await makeSite({ 'package.json': '{}' });
    await runCli(['init'], { cwd: folder.path });
    const typescript = { type: 'module', devDependencies: { typescript: '6' } };
    await makeSite({ 'package.json': JSON.stringify(typescript) });
    const again = await runCli(['init'], { cwd: folder.path });
    expect(again).toMatchObject(exitWith(1, 'oauth.js has an authorization server already'));
    await expect(readFile(join(folder.path, 'oauth.ts'))).rejects.toThrow('ENOENT');
    expect((await runCli(['init', '--force', '--with-login'], { cwd: folder.path })).code).toBe(0);
  });

  test.each([
    ['module', "import 'dotenv/config';"],
    ['commonjs', "require('dotenv/config');"],
  ])('the file of init loads dotenv first if the project has it: %s', async (type, line) => {
    await makeSite({ 'package.json': JSON.stringify({ type, dependencies: { dotenv: '17' } }) });
    await runCli(['init', '--login', '/login'], { cwd: folder.path });
    expect((await readFile(join(folder.path, 'oauth.js'), 'utf8')).split('\n')[0]).toBe(line);
  });

  test.each([
    ['^4.6.0', "const MongoStore = require('connect-mongo');"],
    ['5', "const MongoStore = require('connect-mongo');"],
    ['^6.0.0', "const { MongoStore } = require('connect-mongo');"],
  ])('the file of init imports connect-mongo %s in its way', async (version, line) => {
    await makeSite({ 'package.json': JSON.stringify({ dependencies: { 'connect-mongo': version } }) });
    await runCli(['init', '--with-login'], { cwd: folder.path });
    expect(await readFile(join(folder.path, 'oauth.js'), 'utf8')).toContain(line);
  });

  // peerDependencies of the package: npm would refuse others with ERESOLVE
  test.each([
    [{ mongoose: '5.13.2', passport: '0.3.x' }, undefined, ['mongoose@6', 'passport@0.7']],
    [{ mongoose: '~6.12.0', 'express-session': '^1.17.0' }, undefined, ['mongoose@6']],
    [{ mongoose: '^6.0.0', passport: '^0.4.0' }, '6.0.0', []],
    [{ mongoose: '>=5 <7' }, '5.9.1', ['mongoose@6']],
    [{ mongoose: '>=5 <7' }, '6.13.0', []],
    [{ mongoose: 'latest', express: '3.21.2' }, undefined, ['express@4']],
    [{ mongoose: '7', express: '5.0.0', 'express-session': '~1.16.2' }, undefined, ['express-session@1']],
  ])('init with %j, installed %s, upgrades %j', async (dependencies, version, upgrades) => {
    await makeSite({
      'package.json': JSON.stringify({ devDependencies: dependencies }),
      'routes.js': 'module.exports = (req, res) => { req.logout(); res.redirect("/"); };',
      ...(version !== undefined && {
        'node_modules/mongoose/package.json': JSON.stringify({ version }),
      }),
    });
    const { stdout, stderr } = await runCli(['init', '--login', '/login', '--json'], { cwd: folder.path });
    const answer = JSON.parse(stdout);
    expect(answer.upgrades.map(({ name, to }: Record<string, string>) => `${name}@${to}`)).toEqual(
      expect.arrayContaining(upgrades),
    );
    expect(answer.upgrades).toHaveLength(upgrades.length);
    const [command] = answer.steps;
    for (const upgrade of upgrades) expect(command).toContain(` ${upgrade}`);
    // a package appears once, and Passport's callback only if Passport is upgraded
    expect(command.match(/ mongoose\b/g) ?? []).toHaveLength(1);
    expect(stderr.includes('calls req.logout()')).toBe(upgrades.some((each) => each.startsWith('passport@')));
    expect(stderr !== '').toBe(upgrades.length > 0);
  });

  test('init upgrades TypeScript before 5, and no newer one', async () => {
    for (const [version, isReported] of [
      ['^4.9.5', true],
      ['~5.0.0', false],
    ] as const) {
      await makeSite({ 'package.json': JSON.stringify({ devDependencies: { typescript: version } }) });
      const { stdout } = await runCli(['init', '--force', '--login', '/login'], { cwd: folder.path });
      expect(stdout.includes('npm install --save-dev typescript@5')).toBe(isReported);
    }
  });

  test('init prints each line with its place, also for the login page', async () => {
    await makeSite({ 'package.json': '{}', 'server.js': 'const app = express();' });
    const { stdout } = await runCli(['init', '--login', '/account/login'], { cwd: folder.path });
    const places = [
      'as its first line after app = express(): app.use(oauth.clientRouter);',
      'before cors(), your CSRF check and your routes: app.use(oauth.pageRouter);',
      "anywhere before the route of your login page: app.use('/account/login', oauth.loginPage);",
      'after your routes, before an error handler of your own: app.use(oauth.errorHandler);',
    ].map((line) => stdout.indexOf(line));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  describe('init in a site that has a login', () => {
    const SITE = {
      'package.json': '{}',
      'server.js': `const express = require('express'), session = require('express-session');
        const app = express(); mongoose.connect(uri); app.use('/users', require('./routes/users'));`,
      'config/passport.js': `passport.use(new LocalStrategy(verify)); require('passport-local');`,
      'routes/users.js': `router.get('/login', showLogin); router.get("/auth/google/login", google);`,
    };

    test('init without a terminal lists the login and its pages, and writes nothing', async () => {
      await makeSite(SITE);
      for (const args of [['init'], ['init', '--json']]) {
        const { code, stderr } = await runCli(args, {
          cwd: folder.path,
          isTerminal: args.includes('--json'),
        });
        expect(code).toBe(2);
        expect(stderr).toContain('this site has a login of its own (config/passport.js)');
        expect(stderr).toContain('perhaps /users/login or /users/auth/google/login');
      }
      expect(await readdir(folder.path)).not.toContain('oauth.js');
    });

    test('init at a terminal asks for the login page, and Enter accepts the suggestion', async () => {
      await makeSite(SITE);
      const requested = await runCli(['init'], { cwd: folder.path, isTerminal: true, input: '\n' });
      expect(requested).toMatchObject(exitWith(0, '[/users/login]'));
      const text = await readFile(join(folder.path, 'oauth.js'), 'utf8');
      expect(text).toContain("login: '/users/login'");
      expect(text).not.toMatch(/session|connect\(|await|MONGODB_URI/);
      expect(requested.stdout).toContain("in server.js: const { oauth } = require('./oauth.js')");
      expect(requested.stdout).not.toMatch(/await|SESSION_SECRET|connect-mongo/);
    });

    test.each([
      ['a required variable', "const auth = require('./routes/auth'); app.use('/account', auth);", 'auth.js'],
      ['an import', "import auth from './routes/auth.js';\napp.use('/account/', auth);", 'auth.js'],
      ['the index of a folder', "app.use('/account', require('./routes/auth'));", 'auth/index.js'],
    ])('init suggests the login page under the path of its router: %s', async (_how, mount, file) => {
      await makeSite({
        'package.json': '{}',
        'app.js': `const app = express(); ${mount} passport.use(new LocalStrategy(verify));`,
        [`routes/${file}`]: "router.get('/login', showLogin);",
      });
      expect((await runCli(['init'], { cwd: folder.path })).stderr).toContain('perhaps /account/login)');
    });

    test('init checks the typed login page', async () => {
      await makeSite(SITE);
      const there = { cwd: folder.path, isTerminal: true };
      expect(await runCli(['init'], { ...there, input: 'https://evil.example/\n' })).toMatchObject({
        code: 2,
      });
      expect(await readdir(folder.path)).not.toContain('oauth.js');
      await runCli(['init'], { ...there, input: '/members/login\n' });
      expect(await readFile(join(folder.path, 'oauth.js'), 'utf8')).toContain("login: '/members/login'");
    });

    test('init --with-login does not replace the site’s local strategy', async () => {
      await makeSite(SITE);
      expect(await runCli(['init', '--with-login'], { cwd: folder.path })).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /config\/passport.js has a Passport strategy 'local'[^]*--login \/users\/login/,
        ),
      });
      expect(await runCli(['init', '--with-login', '--login', '/login'], { cwd: folder.path })).toMatchObject(
        {
          code: 2,
        },
      );
    });

    test.each([
      ['passport-local', "import { Strategy } from 'passport-local';"],
      ['passport-jwt', "const { Strategy } = require('passport-jwt');"],
    ])('init for an API with %s and no login page has a page for its users', async (_name, strategy) => {
      await makeSite({
        'package.json': JSON.stringify({ dependencies: { passport: '0.7' } }),
        'server.js': "const app = express(); app.post('/login', json);",
        'auth.js': `${strategy} passport.use(new Strategy(verify));`,
      });
      const refused = await runCli(['init'], { cwd: folder.path });
      expect(refused.stderr).toContain('No login page was found. Write --with-login for a page of ours');
      const { code, stdout } = await runCli(['init', '--with-login'], { cwd: folder.path });
      expect(code).toBe(0);
      const text = await readFile(join(folder.path, 'oauth.js'), 'utf8');
      expect(text).not.toContain('createUsers');
      expect(text).toMatch(/const passport = new Passport\(\);/);
      expect(text).toContain("login: '/signin'");
      expect(text).toContain("path: '/signin'");
      expect(stdout).toContain('write findById and verify of users in oauth.js');
      expect(stdout).not.toContain('users create');
    });

    test.each([
      ['jsonwebtoken', "const jwt = require('jsonwebtoken');"],
      ['bcryptjs beside sessions', "require('express-session'); import bcrypt from 'bcryptjs';"],
    ])('init for an API with %s and no Passport uses its users and asks for no page', async (_name, code) => {
      await makeSite({
        'package.json': '{}',
        'server.js': "const app = express(); app.use('/api/auth', require('./routes/auth'));",
        'routes/auth.js': `${code} router.post('/login', json);`,
      });
      const refused = await runCli(['init'], { cwd: folder.path });
      expect(refused.code).toBe(2);
      expect(refused.stderr).toMatch(/this site has (people|sessions) of its own \(routes\/auth\.js\)/);
      expect(refused.stderr).toContain('No login page was found. Write --with-login');
      expect(await readdir(folder.path)).not.toContain('oauth.js');
      expect((await runCli(['init', '--with-login'], { cwd: folder.path })).code).toBe(0);
      const text = await readFile(join(folder.path, 'oauth.js'), 'utf8');
      expect(text).not.toContain('createUsers');
      expect(text).toContain('async findById(id)');
    });

    test('init at a terminal does not ask for the page of an API', async () => {
      await makeSite({ 'package.json': '{}', 'app.js': "const app = express(); require('jsonwebtoken');" });
      const { code, stderr } = await runCli(['init'], { cwd: folder.path, isTerminal: true, input: '\n' });
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('this site has people of its own (app.js)'),
      ]);
    });

    test('init reports the sessions of a site, and --with-login uses these sessions', async () => {
      await makeSite({
        'package.json': '{}',
        'app.js': "import session from 'express-session'; const app = express();",
      });
      expect((await runCli(['init'], { cwd: folder.path })).stderr).toContain(
        'has sessions of its own (app.js)',
      );
      expect((await runCli(['init', '--with-login'], { cwd: folder.path })).code).toBe(0);
      const text = await readFile(join(folder.path, 'oauth.js'), 'utf8');
      expect(text).toContain('localLogin(');
      expect(text).not.toContain('session({');
    });

    test.each([
      ['in a string', `app.get('/api/*', api); passport.use('local', verify); app.get('/files/*/', files);`],
      [
        'in a template',
        'app.get(`/api/*`, api); passport.use("local", verify); app.get(`/files/*/`, files);',
      ],
      ['behind an apostrophe', `const text = /don't/; passport.use('local', verify); // it's`],
    ])('init sees a login beside text that looks like a comment %s', async (_where, code) => {
      await makeSite({ 'package.json': '{}', 'app.js': `const app = express();\n${code}` });
      expect((await runCli(['init'], { cwd: folder.path })).stderr).toContain('a login of its own (app.js)');
    });

    test('init ignores a login in comments, node_modules, dist and tests', async () => {
      const login = "passport.use('local', new LocalStrategy())";
      await makeSite({
        'package.json': '{}',
        'app.js': `// ${login}\n/* ${login} */ const url = 'https://a.example'; const app = express();`,
        'node_modules/x/index.js': login,
        'dist/app.js': login,
        'test/app.js': login,
      });
      expect((await runCli(['init'], { cwd: folder.path })).code).toBe(0);
    });
  });

  test.each([
    ['^0.4.1', true],
    ['0.5.3', true],
    ['^0.7.0', false],
  ])('init with Passport %s writes passport.initialize() if necessary: %s', async (passport, isOld) => {
    await makeSite({ 'package.json': JSON.stringify({ dependencies: { passport } }) });
    await runCli(['init'], { cwd: folder.path });
    const text = await readFile(join(folder.path, 'oauth.js'), 'utf8');
    expect(text.includes('passport.initialize(),\n    passport.session(),')).toBe(isOld);
  });

  test('init prints the import path from the file of the app', async () => {
    await makeSite({
      'package.json': '{}',
      'tsconfig.json': '{}',
      'src/server/main.ts': 'const app = express();',
    });
    const { stdout } = await runCli(['init'], { cwd: folder.path });
    expect(stdout).toContain(
      "in src/server/main.ts, right after app = express(), before cors(), CSRF checks and your routes: import { mountOAuth, oauth } from '../oauth'",
    );
  });

  describe('init in a project without an app', () => {
    const read = (name: string) => readFile(join(folder.path, name), 'utf8');

    test('init writes an app with an API, and prints commands that can be copied', async () => {
      await makeSite({ 'package.json': JSON.stringify({ type: 'module' }) });
      const { stdout } = await runCli(['init'], { cwd: folder.path });
      expect(stdout).toContain('Wrote oauth.js and app.js');
      expect(stdout).toMatch(
        /export ISSUER=http:\/\/localhost:3000 MONGODB_URI=mongodb:\S+ SESSION_SECRET=\$\(openssl rand -base64 32\)/,
      );
      expect(stdout).toContain('clients create --id my-app --type public');
      expect(stdout).toContain('node app.js, and open http://localhost:3000/oauth/applications');
      expect(await read('app.js')).toContain("oauth.guard('profile')");
    });

    test.each([
      ['TypeScript in src', { 'tsconfig.json': '{}', 'src/x.ts': '' }, ['src/oauth.ts', 'src/app.ts']],
      ['an existing app.js', { 'app.js': '' }, ['oauth.js']],
    ])('init in a project without an app writes the right files: %s', async (_where, files, written) => {
      await makeSite({ 'package.json': '{}', ...files });
      const { stdout } = await runCli(['init'], { cwd: folder.path });
      expect(stdout).toContain(`Wrote ${written.join(' and ')}.`);
      if ('app.js' in files) expect(await read('app.js')).toBe('');
    });
  });

  test('the file of init says who may register applications, with and without a login', async () => {
    await makeSite({ 'package.json': '{}' });
    for (const more of [[], ['--login', '/login']]) {
      await runCli(['init', '--force', ...more], { cwd: folder.path });
      expect(await readFile(join(folder.path, 'oauth.js'), 'utf8')).toMatch(
        /who may register applications[^\n]*everybody who can log in[^\n]*\n\s*applications: { isDeveloper: /,
      );
    }
  });

  async function makeSite(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) await folder.write(name, text);
  }
});
