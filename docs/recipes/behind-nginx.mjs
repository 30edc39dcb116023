// nginx serves the site under a path, which is part of the issuer: ISSUER=https://site.example/photos
//
// If nginx removes the path (proxy_pass http://127.0.0.1:3000/;), mount everything at the root, leave `path` out of the
// session cookie, and give localLogin path: '/login', logoutPath: '/logout' and publicBasePath: path. `issuer`, `login`
// and `home` stay as they are.

import MongoStore from 'connect-mongo';
import express from 'express';
import { authorizationServer, createUsers, localLogin } from 'express-authorization-server';
import session from 'express-session';
import mongoose from 'mongoose';
import passport from 'passport';

const { ISSUER, MONGODB_URI, SESSION_SECRET, PORT = 3000 } = process.env;
const { pathname: path } = new URL(ISSUER);
const { connection } = await mongoose.connect(MONGODB_URI);
const oauth = authorizationServer({
  issuer: ISSUER,
  connection,
  scopes: { 'photos:read': 'See your photos', 'photos:write': 'Add and delete photos' },
  login: `${path}/login`, // login and home are the paths that browsers see
  pages: { home: `${path}/` },
});

const app = express();
app.set('trust proxy', 1);
app.use(oauth.wellKnown); // the metadata, at the root
app.use(path, oauth.clientRouter);
app.use(
  path,
  session({
    name: 'photos.sid', // other programs on this host may have sessions, too
    secret: SESSION_SECRET,
    resave: false,
    saveUninitialized: false,
    store: MongoStore.create({ client: connection.getClient() }),
    cookie: { path, sameSite: 'lax', secure: true },
  }),
  passport.session(),
);
const users = createUsers(connection);
app.use(
  localLogin({
    passport,
    users,
    path: `${path}/login`,
    logoutPath: `${path}/logout`,
  }),
);
app.use(path, oauth.pageRouter);
app.get(`${path}/api/photos`, oauth.guard('photos:read'), (req, res) =>
  res.json({ photosOf: req.auth.userId, from: req.ip }),
);
app.use(path, oauth.errorHandler);
app.listen(PORT, '127.0.0.1'); // nginx alone can connect
