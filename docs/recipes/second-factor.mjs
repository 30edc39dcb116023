// localLogin with a second factor: the code of an authenticator app (TOTP, RFC 6238). The authorization server sends
// users to /second-factor, which sends them to the password first. Nobody is logged in for a client before both are done.
// The pages of the site that need both ask for isDone(req) themselves.

import MongoStore from 'connect-mongo';
import express from 'express';
import { authorizationServer, createUsers, localLogin, safeReturnPath } from 'express-authorization-server';
import rateLimit from 'express-rate-limit';
import session from 'express-session';
import mongoose from 'mongoose';
import { generateSecret, generateURI, verify } from 'otplib';
import passport from 'passport';

const { ISSUER, MONGODB_URI, SESSION_SECRET, PORT = 3000 } = process.env;
const { connection } = await mongoose.connect(MONGODB_URI);
const users = createUsers(connection);
// whoever can read this collection can make the codes: encrypt the secrets if your backups go elsewhere
const Factor = mongoose.model('Factor', { _id: String, secret: String, lastStep: Number });

const isDone = (req) => req.session.secondFactor === req.user.id;

const oauth = authorizationServer({
  issuer: ISSUER,
  connection,
  scopes: { 'photos:read': 'See your photos' },
  login: '/second-factor',
  people: {
    find: (id) => users.findById(id),
    isLoggedIn: isDone,
  },
});
const app = express();
app.use(oauth.clientRouter);
app.use(
  session({
    secret: SESSION_SECRET,
    resave: false,
    saveUninitialized: false,
    store: MongoStore.create({ client: connection.getClient() }),
    // another site cannot send the forms below with this cookie
    cookie: { httpOnly: true, sameSite: 'lax', secure: ISSUER.startsWith('https:') },
  }),
  passport.session(),
  localLogin({ passport, users }),
  oauth.pageRouter,
);

// what a page shows is set apart from its HTML
const escape = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const showForm = (res, { status = 200, action, uri, wrong = false }) =>
  res.status(status).send(`<!doctype html><html lang="en"><title>Second factor</title>
    ${uri === undefined ? '' : `<p>Add this to your authenticator app: <code id="uri">${escape(uri)}</code></p>`}
    ${wrong ? '<p role="alert">This code is wrong, or was used before.</p>' : ''}
    <form id="factor-form" method="post" action="${escape(action)}">
      <label>Code <input name="code" inputmode="numeric" autocomplete="one-time-code" required></label>
      <button>Go on</button>
    </form>`);
/** The secret of the user; a new one until a code has proved that the app has it. */
const findFactor = async (req) => {
  const stored = await Factor.findById(req.user.id);
  if (stored !== null) return { secret: stored.secret, lastStep: stored.lastStep };
  req.session.newSecret ??= generateSecret();
  const uri = generateURI({ issuer: 'Photos', label: req.user.username, secret: req.session.newSecret });
  return { secret: req.session.newSecret, uri };
};

app.use('/second-factor', oauth.loginPage, (req, res, next) =>
  req.user ? next() : res.redirect(303, `/login?${new URLSearchParams({ return_to: req.originalUrl })}`),
);
app.get('/second-factor', async (req, res) => {
  if (isDone(req)) return res.redirect(303, safeReturnPath(req.query.return_to, '/'));
  const { uri } = await findFactor(req);
  return showForm(res, { action: req.originalUrl, uri });
});
app.post(
  '/second-factor',
  // five wrong codes of a user; several processes need a store that they share
  rateLimit({
    windowMs: 15 * 60_000,
    limit: 5,
    keyGenerator: (req) => req.user.id,
    skipSuccessfulRequests: true,
  }),
  express.urlencoded({ extended: false }),
  async (req, res) => {
    const { secret, lastStep, uri } = await findFactor(req);
    const token = String(req.body?.code);
    const result = /^\d{6}$/.test(token)
      ? await verify({ secret, token, epochTolerance: 30, afterTimeStep: lastStep })
      : { valid: false };
    // RFC 6238 §5.2: a code works once, also if it comes twice at the same moment
    const isFirst =
      result.valid &&
      (uri === undefined
        ? (await Factor.updateOne({ _id: req.user.id, lastStep }, { lastStep: result.timeStep }))
            .modifiedCount === 1
        : await Factor.create({ _id: req.user.id, secret, lastStep: result.timeStep }).then(
            () => true,
            () => false,
          ));
    if (!isFirst) return showForm(res, { status: 422, action: req.originalUrl, uri, wrong: true });
    delete req.session.newSecret;
    req.session.secondFactor = req.user.id;
    return res.redirect(303, safeReturnPath(req.query.return_to, '/'));
  },
);

app.get('/api/photos', oauth.guard({ scopes: ['photos:read'], user: true }), (req, res) => {
  res.json({ photosOf: req.user.name });
});
app.use(oauth.errorHandler);
app.listen(PORT);
