import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import express from 'express';
import { authorizationServer, createUsers, localLogin } from 'express-authorization-server';
import mongoose from 'mongoose';
import { Strategy } from 'passport-local';

/*
 * A site with the versions of cookie-session and Passport in its arguments, in a separate process: Passport before 0.6
 * changes the prototype of all requests.
 */
const { FOLDER, COOKIE_SESSION, PASSPORT, DATABASE_URI, LOGIN } = process.env;
const load = createRequire(join(FOLDER, 'package.json'));
const cookieSession = load(`cookie-session-${COOKIE_SESSION}`);
const passport = load(`passport-${PASSPORT}`);

const app = express();
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
const connection = await mongoose.createConnection(DATABASE_URI).asPromise();

const oauth = authorizationServer({
  issuer: url,
  connection,
  scopes: { profile: 'See your name' },
  login: '/login',
});
await oauth.ready();

app.use(cookieSession({ name: 'site', keys: ['of the test'] }));
app.use(passport.initialize(), passport.session());
if (LOGIN === 'bundled') {
  const users = createUsers(connection, { rounds: 4 });
  await users.create({ username: 'ada', password: 'correct horse' });
  app.use(localLogin({ passport, users }), oauth.router);
} else {
  app.use(oauth.router);
  passport.use(
    new Strategy((name, password, done) => done(null, password === 'correct horse' && { username: name })),
  );
  passport.serializeUser((user, done) => done(null, user.username));
  passport.deserializeUser((username, done) => done(null, { id: username, username }));
  app.post(
    '/login',
    express.urlencoded({ extended: false }),
    passport.authenticate('local', { successRedirect: '/', failureRedirect: '/login' }),
  );
  app.get('/logout', (req, res, next) => {
    const done = (error) => (error ? next(error) : res.redirect('/'));
    if (req.logout.length > 0) return req.logout(done);
    req.logout();
    return done();
  });
}
app.get('/', (req, res) => res.json({ username: req.user?.username ?? null }));

const { clientId } = await oauth.clients.create({
  name: 'Printing shop',
  redirectUris: ['https://print.example/callback'],
});
process.send({ url, clientId });
process.on('disconnect', () => process.exit());
