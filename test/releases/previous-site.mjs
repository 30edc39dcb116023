import { createServer } from 'node:http';

import express from 'express';
import session from 'express-session';
import mongoose from 'mongoose';

const [, , entry, options] = process.argv;
const { authorizationServer } = await import(entry);
const { uri, issuer } = JSON.parse(options);

const app = express();
const server = createServer(app);
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}`;
const connection = await mongoose.createConnection(uri).asPromise();
const oauth = authorizationServer({
  issuer,
  connection,
  scopes: {
    'photos:read': 'See your photos',
    'photos:write': 'Add and delete photos',
    profile: 'See your name',
  },
  login: '/login',
  grantTypes: [
    'authorization_code',
    'refresh_token',
    'client_credentials',
    'urn:ietf:params:oauth:grant-type:device_code',
  ],
  signingKeys: { encryptionSecret: 'a secret of the test site, 32 characters at least' },
  rateLimits: false,
  // by what it answers it says enough
  onError: () => undefined,
});
await oauth.ready();
app.use(session({ secret: 'of the test', resave: false, saveUninitialized: false }));
app.use((req, _res, next) => {
  req.user = { id: 'ada' };
  next();
});
app.use(oauth.router);
app.get('/api/me', oauth.guard(), (req, res) => res.json(req.auth));
app.use('/api', oauth.errorHandler);

process.on('disconnect', () => process.exit());
process.send({ url });
