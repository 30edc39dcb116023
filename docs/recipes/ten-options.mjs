import MongoStore from 'connect-mongo';
import express from 'express';
import { authorizationServer, createUsers, localLogin } from 'express-authorization-server';
import session from 'express-session';
import mongoose from 'mongoose';
import passport from 'passport';

const { ISSUER, MONGODB_URI, SESSION_SECRET, PORT = 3000 } = process.env;
const { connection } = await mongoose.connect(MONGODB_URI);
const users = createUsers(connection);
const developers = ['ada', 'grace'];

const oauth = authorizationServer({
  issuer: ISSUER, // 1
  connection, // 2
  scopes: {
    // 3
    'photos:read': 'See your photos',
    'photos:write': { description: 'Add and delete photos', implies: ['photos:read'] },
  },
  login: '/login', // 4
  siteName: 'Lantern Photos', // 5
  people: { find: (id) => users.findById(id) }, // 6
  pages: { locales: ['en', 'de'], colors: { accent: '#0b6e4f' } }, // 7
  applications: {
    // 8
    isDeveloper: (req) => developers.includes(req.user.username),
    isAdministrator: (req) => req.user.username === 'grace',
  },
  security: { pkce: 'all' }, // 9
  onError(error, { requestId, endpoint }) {
    // 10
    console.error(requestId, endpoint, error.status, error.error, error.detail);
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
    cookie: { sameSite: 'lax', secure: ISSUER.startsWith('https:') },
  }),
  passport.session(),
  localLogin({ passport, users }),
  oauth.pageRouter,
);
app.get('/api/photos', oauth.guard({ scopes: ['photos:read'], user: true }), (req, res) => {
  res.json({ photosOf: req.user.username });
});
app.use('/api', oauth.errorHandler);
await oauth.ready();
app.listen(PORT);
