// AWS Lambda behind API Gateway (HTTP API, payload 2.0). The export `handler` is the handler of the function.
// For @codegenie/serverless-express, replace the two lines of serverless-http by
//   import serverlessExpress from '@codegenie/serverless-express' and const answer = serverlessExpress({ app })
//
// Indexes: call await oauth.ready() once, in a step of your deployment, and make connect-mongo's own index there, too
// (autoRemove: 'native'). Leave guard.cache off, because a sleeping instance hears no changes. A stage in the path (/prod)
// is part of the issuer, as in behind-nginx.mjs. WebSockets and streams need a process that stays.

import MongoStore from 'connect-mongo';
import express from 'express';
import { authorizationServer, createUsers, localLogin } from 'express-authorization-server';
import session from 'express-session';
import mongoose from 'mongoose';
import passport from 'passport';
import serverless from 'serverless-http';

const { ISSUER, MONGODB_URI, SESSION_SECRET } = process.env;
// three connections are enough for one request at a time; indexes are made when you deploy, see below
const { connection } = await mongoose.connect(MONGODB_URI, {
  maxPoolSize: 3,
  maxIdleTimeMS: 60_000,
  autoIndex: false,
});
const oauth = authorizationServer({
  issuer: ISSUER,
  connection,
  scopes: { 'photos:read': 'See your photos', 'photos:write': 'Add and delete photos' },
  login: '/login',
});
const app = express();
app.set('trust proxy', 1); // API Gateway ends TLS
app.use(oauth.clientRouter);
app.use(
  session({
    secret: SESSION_SECRET,
    resave: false,
    saveUninitialized: false,
    store: MongoStore.create({ client: connection.getClient(), autoRemove: 'disabled' }),
    cookie: { sameSite: 'lax', secure: true },
  }),
  passport.session(),
  localLogin({ passport, users: createUsers(connection) }),
  oauth.pageRouter,
);
app.get('/api/photos', oauth.guard('photos:read'), (req, res) => res.json({ photosOf: req.auth.userId }));
app.use('/api', oauth.errorHandler);

const answer = serverless(app);
export function handler(event, context) {
  context.callbackWaitsForEmptyEventLoop = false; // the connection stays open for the next request
  return answer(event, context);
}
