import MongoStore from 'connect-mongo';
import express from 'express';
import { authorizationServer, createUsers, localLogin } from 'express-authorization-server';
import session from 'express-session';
import mongoose from 'mongoose';
import passport from 'passport';

const { ISSUER, MONGODB_URI, SESSION_SECRET } = process.env;
const { connection } = await mongoose.connect(MONGODB_URI);
export const users = createUsers(connection);
export const oauth = authorizationServer({
  issuer: ISSUER,
  connection,
  scopes: { 'photos:read': 'See your photos', 'photos:write': 'Add and delete photos' },
  login: '/login',
  people: { find: (id) => users.findById(id) },
});
export const app = express();
app.use(oauth.clientRouter);
app.use(
  session({
    secret: SESSION_SECRET,
    resave: false,
    saveUninitialized: false,
    store: MongoStore.create({ client: connection.getClient() }),
    cookie: { sameSite: 'lax', secure: ISSUER.startsWith('https:') },
  }),
  passport.session(),
  localLogin({ passport, users }),
  oauth.pageRouter,
);
