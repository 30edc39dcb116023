/* A site on oauth2orize, with models as in its examples and bcrypt for secrets; ada is logged in. */
import { randomBytes } from 'node:crypto';

import bcrypt from 'bcrypt';
import express from 'express';
import mongoose from 'mongoose';
import passport from 'passport';

import { CLIENT, load, REDIRECT_URI, SCOPES, serve } from './old-server.mjs';

const oauth2orize = await load('oauth2orize');
const { BasicStrategy } = await load('passport-http');
const { Strategy: BearerStrategy } = await load('passport-http-bearer');
const { Schema } = mongoose;

const User = mongoose.model('User', new Schema({ _id: String, name: String }));
const Client = mongoose.model(
  'Client',
  new Schema({ name: String, clientId: String, clientSecret: String, redirectUri: String }),
);
const tokenFields = {
  token: String,
  userID: { type: String, ref: 'User' },
  clientID: { type: Schema.Types.ObjectId, ref: 'Client' },
  scope: String,
};
const AccessToken = mongoose.model('AccessToken', new Schema({ ...tokenFields, expirationDate: Date }));
const RefreshToken = mongoose.model('RefreshToken', new Schema(tokenFields));
const codes = new Map();
const newValue = () => randomBytes(48).toString('base64url');
async function issue({ clientID, userID, scope }) {
  const [access, refresh] = [newValue(), newValue()];
  const expirationDate = new Date(Date.now() + 3600_000);
  await AccessToken.create({ token: access, clientID, userID, scope, expirationDate });
  await RefreshToken.create({ token: refresh, clientID, userID, scope });
  return [access, refresh, { expires_in: 3600, scope }];
}

const server = oauth2orize.createServer();
// it distinguishes its callbacks by their number of parameters
server.grant(
  oauth2orize.grant.code((client, redirectUri, user, _answer, { scope }, done) => {
    const code = newValue();
    codes.set(code, { clientID: client._id, userID: user._id, scope: scope.join(' '), redirectUri });
    done(null, code);
  }),
);
server.exchange(
  oauth2orize.exchange.code((client, code, redirectUri, done) => {
    const found = codes.get(code);
    codes.delete(code);
    if (!found || found.redirectUri !== redirectUri || !found.clientID.equals(client._id))
      return done(null, false);
    issue(found).then((values) => done(null, ...values), done);
  }),
);
server.exchange(
  oauth2orize.exchange.refreshToken((client, token, _scope, done) => {
    RefreshToken.findOneAndDelete({ token, clientID: client._id })
      .lean()
      .then((found) => (found ? issue(found) : [false]))
      .then((values) => done(null, ...values), done);
  }),
);

passport.use(
  new BasicStrategy((clientId, secret, done) => {
    Client.findOne({ clientId })
      .lean()
      .then(async (client) =>
        client && (await bcrypt.compare(secret, client.clientSecret)) ? client : false,
      )
      .then((client) => done(null, client), done);
  }),
);
passport.use(
  new BearerStrategy((token, done) => {
    AccessToken.findOne({ token, expirationDate: { $gt: new Date() } })
      .lean()
      .then((found) => done(null, found ? { id: found.userID } : false), done);
  }),
);

await serve(async ({ databaseUri }) => {
  await mongoose.connect(databaseUri);
  await User.create({ _id: 'ada', name: 'Ada' });
  await Client.create({
    name: 'Printing shop',
    clientId: CLIENT.id,
    clientSecret: await bcrypt.hash(CLIENT.secret, 6),
    redirectUri: REDIRECT_URI,
  });
  const app = express();
  app.get(
    '/oauth/authorize',
    (req, _res, next) => {
      req.user = { _id: 'ada' };
      req.session = {};
      next();
    },
    server.authorize(
      (clientId, redirectUri, done) => {
        Client.findOne({ clientId, redirectUri })
          .lean()
          .then((client) => done(null, client ?? false, redirectUri), done);
      },
      // the logged-in user has allowed it before
      (_client, _user, scope, done) =>
        done(
          null,
          scope.every((each) => SCOPES.includes(each)),
        ),
    ),
  );
  app.post(
    '/oauth/token',
    express.urlencoded({ extended: false }),
    passport.authenticate('basic', { session: false }),
    server.token(),
    server.errorHandler(),
  );
  app.get('/api', passport.authenticate('bearer', { session: false }), (req, res) => {
    res.json({ user: req.user.id });
  });
  return app;
});
