// A site whose JSON login puts a JWT into an HttpOnly cookie, as MERN sites do: no sessions, no pages on the server.
// Its app in the browser has the page /signin. For a client, that page gets a session from the cookie by POST /session.

import bcrypt from 'bcrypt';
import MongoStore from 'connect-mongo';
import cookieParser from 'cookie-parser';
import express from 'express';
import { authorizationServer } from 'express-authorization-server';
import session from 'express-session';
import { jwtVerify, SignJWT } from 'jose';
import mongoose from 'mongoose';
import { Passport } from 'passport';

const { ISSUER, MONGODB_URI, SESSION_SECRET, JWT_SECRET, PORT = 3000 } = process.env;
await mongoose.connect(MONGODB_URI);
const app = express();

// the site's own: users, and the cookie
const User = mongoose.model('User', new mongoose.Schema({ email: String, name: String, hash: String }));
const key = new TextEncoder().encode(JWT_SECRET);
const cookie = { httpOnly: true, secure: ISSUER.startsWith('https:'), sameSite: 'lax' };
const ownCookie = async (req, res, next) => {
  try {
    const { payload } = await jwtVerify(req.cookies.jwt ?? '', key, { algorithms: ['HS256'] });
    req.user = await User.findById(payload.sub);
    return req.user ? next() : res.sendStatus(401);
  } catch {
    return res.sendStatus(401);
  }
};

// added: sessions and Passport, for the pages of the authorization server alone
const passport = new Passport();
passport.serializeUser((user, done) => done(null, user.id));
passport.deserializeUser((id, done) => {
  User.findById(id).then((user) => done(null, user ?? false), done);
});
const pages = [
  session({
    secret: SESSION_SECRET,
    resave: false,
    saveUninitialized: false,
    store: MongoStore.create({ client: mongoose.connection.getClient() }),
    cookie,
  }),
  passport.session(),
];
const oauth = authorizationServer({
  issuer: ISSUER,
  connection: mongoose.connection,
  scopes: { 'photos:read': 'See your photos' },
  login: '/signin',
  people: { find: (id) => User.findById(id) },
});
app.use(oauth.clientRouter);
app.use(['/oauth', '/session', '/logout'], pages);
app.use(oauth.pageRouter);
app.use(cookieParser());

// added: browsers send the cookie with requests of other sites on the same domain, too. They name the origin of a POST.
const ownPage = (req, res, next) =>
  req.get('origin') === new URL(ISSUER).origin ? next() : res.sendStatus(403);
// added: gives the browser a session of the user in the cookie, and says where the user goes next
app.post('/session', ownPage, ownCookie, (req, res, next) =>
  req.logIn(req.user, (error) =>
    error ? next(error) : res.json({ goTo: oauth.takeReturnPath(req, res, '/') }),
  ),
);

// the site's own login and logout; the logout ends the session, too
app.post('/login', express.json(), async (req, res) => {
  const user = await User.findOne({ email: String(req.body.email) });
  if (!user || !(await bcrypt.compare(String(req.body.password), user.hash))) return res.sendStatus(401);
  const token = new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setSubject(user.id);
  return res.cookie('jwt', await token.setExpirationTime('1h').sign(key), cookie).sendStatus(204);
});
app.post('/logout', ownPage, (req, res, next) =>
  req.logout((error) => (error ? next(error) : res.clearCookie('jwt', cookie).sendStatus(204))),
);

// the page of the app: added are oauth.loginPage, and goOn() for users who are logged in, and after the login
app.use('/signin', oauth.loginPage);
app.get('/signin', (_req, res) => {
  res.send(`<!doctype html><html lang="en"><title>Sign in</title>
    <form id="signin"><input name="email"><input name="password" type="password"><button>Sign in</button></form>
    <script type="module">
      const post = (path, body) => fetch(path, {
        method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });
      const goOn = async () => {
        const response = await post('/session', {});
        if (response.ok) location.assign((await response.json()).goTo);
      };
      document.querySelector('#signin').addEventListener('submit', async (event) => {
        event.preventDefault();
        await post('/login', Object.fromEntries(new FormData(event.target)));
        await goOn();
      });
      await goOn();
    </script>`);
});

// a route for both: req.user is the user, by a client's token or by the cookie
app.get(
  '/api/photos',
  oauth.guard({ scopes: ['photos:read'], user: true, orElse: ownCookie }),
  (req, res) => {
    res.json({ photosOf: req.user.name });
  },
);
app.use(oauth.errorHandler);
app.listen(PORT);
