// A site with users, a JSON login and tokens of its own (JWTs, by the key JWT_SECRET), and neither sessions nor pages.
// Its users log in for a client at /signin with the passwords that they have.
//
// If the site has an app in the browser, the option `login` can name a page of the app instead. The page calls
// POST /session with the site's own token, and goes on: location.assign((await response.json()).goTo). Without a token
// the page opens '/signin' + location.search. /session needs no CSRF check: another site cannot send this token.

import bcrypt from 'bcrypt';
import MongoStore from 'connect-mongo';
import express from 'express';
import { authorizationServer, localLogin } from 'express-authorization-server';
import session from 'express-session';
import { jwtVerify, SignJWT } from 'jose';
import mongoose from 'mongoose';
import { Passport } from 'passport';

const { ISSUER, MONGODB_URI, SESSION_SECRET, JWT_SECRET, PORT = 3000 } = process.env;
await mongoose.connect(MONGODB_URI);
const app = express();

// the site's own: users, tokens, a JSON login
const User = mongoose.model('User', new mongoose.Schema({ email: String, name: String, hash: String }));
const key = new TextEncoder().encode(JWT_SECRET);
const signToken = (user) =>
  new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setSubject(user.id).setExpirationTime('1h').sign(key);
const verifyPassword = async (email, password) => {
  const user = await User.findOne({ email: String(email) });
  return user && (await bcrypt.compare(String(password), user.hash)) ? user : null;
};
const ownToken = async (req, res, next) => {
  try {
    const [, token = ''] = /^Bearer (.+)$/.exec(req.headers.authorization ?? '') ?? [];
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'] });
    req.user = await User.findById(payload.sub);
    return req.user ? next() : res.sendStatus(401);
  } catch {
    return res.sendStatus(401);
  }
};

// added: sessions and Passport, for the pages of the authorization server alone
const passport = new Passport();
const pages = [
  session({
    secret: SESSION_SECRET,
    resave: false,
    saveUninitialized: false,
    store: MongoStore.create({ client: mongoose.connection.getClient() }),
    cookie: { httpOnly: true, secure: ISSUER.startsWith('https:'), sameSite: 'lax' },
  }),
  passport.session(),
];

// added: the users, as the login page needs them
const toUser = (user) => user && { id: user.id, username: user.email, name: user.name };
const users = {
  findById: async (id) => toUser(await User.findById(id)),
  verify: async (email, password) => toUser(await verifyPassword(email, password)),
};

const oauth = authorizationServer({
  issuer: ISSUER,
  connection: mongoose.connection,
  scopes: { 'photos:read': 'See your photos' },
  login: '/signin',
  people: { find: (id) => User.findById(id) },
});
app.use(oauth.clientRouter);
app.use(['/oauth', '/signin', '/signout', '/session'], pages);
app.use(localLogin({ passport, users, path: '/signin', logoutPath: '/signout', oauth }));
app.use(oauth.pageRouter);

// the site's own login, as before
app.post('/login', express.json(), async (req, res) => {
  const user = await verifyPassword(req.body.email, req.body.password);
  return user ? res.json({ token: await signToken(user) }) : res.sendStatus(401);
});

// added: gives an app with the site's own token a session, and says where the user goes next
app.post('/session', ownToken, (req, res, next) =>
  req.logIn(toUser(req.user), (error) =>
    error ? next(error) : res.json({ goTo: oauth.takeReturnPath(req, res, '/') }),
  ),
);

// a route for both: req.user is the user, whichever token it was
app.get('/api/photos', oauth.guard({ scopes: ['photos:read'], user: true, orElse: ownToken }), (req, res) => {
  res.json({ photosOf: req.user.name });
});
app.use(oauth.errorHandler);
app.listen(PORT);
