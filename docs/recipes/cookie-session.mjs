// Passport 0.6 and newer calls req.session.regenerate and req.session.save, which cookie-session does not have.
// oauth.pageRouter adds both: mount it directly after passport.session(), before your login, and remove any shim for them.
//
// The server cannot end such a session: a cookie that was copied before the logout works until the key changes, so set a
// short maxAge. Whoever knows a key of `keys` can log in as anybody.

import cookieSession from 'cookie-session';
import express from 'express';
import { authorizationServer, createUsers } from 'express-authorization-server';
import mongoose from 'mongoose';
import passport from 'passport';
import { Strategy } from 'passport-local';

const { ISSUER, MONGODB_URI, SESSION_SECRET, PORT = 3000 } = process.env;
const { connection } = await mongoose.connect(MONGODB_URI);
const users = createUsers(connection); // or the users of your site
const oauth = authorizationServer({
  issuer: ISSUER,
  connection,
  scopes: { 'photos:read': 'See your photos', 'photos:write': 'Add and delete photos' },
  login: '/login',
});
passport.use(
  new Strategy(
    (name, password, done) =>
      void users.verify(name, password).then((user) => done(null, user ?? false), done),
  ),
);
passport.serializeUser((user, done) => done(null, user.id));
passport.deserializeUser(
  (id, done) => void users.findById(id).then((user) => done(null, user ?? false), done),
);

const app = express();
app.use(oauth.clientRouter);
app.use(
  cookieSession({
    name: 'site',
    keys: [SESSION_SECRET],
    sameSite: 'lax',
    secure: ISSUER.startsWith('https:'),
  }),
);
app.use(passport.session());
app.use(oauth.pageRouter);

const page =
  '<form method="post" id="login-form"><input name="username"><input name="password" type="password"><button>Log in</button></form>';
app.get('/login', oauth.loginPage, (req, res) => res.send(page));
app.post(
  '/login',
  express.urlencoded({ extended: false }),
  passport.authenticate('local', { successRedirect: '/', failureRedirect: '/login' }),
);
app.post('/logout', (req, res, next) =>
  req.logout((error) => (error ? next(error) : res.redirect(303, '/'))),
);
app.get('/', (req, res) => res.json({ user: req.user?.username ?? null }));
app.get('/api/photos', oauth.guard('photos:read'), (req, res) => res.json({ photosOf: req.auth.userId }));
app.use('/api', oauth.errorHandler);
app.listen(PORT);
