'use strict';
const { once } = require('node:events');

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

/** A host site as somebody would write it, of the modules that the ESM or the CommonJS host has loaded in its own way. */
module.exports = async function startSite({
  express,
  mongoose,
  passport,
  session,
  authorizationServer,
  createUsers,
  localLogin,
}) {
  const { connection } = await mongoose.connect(process.env.MONGODB_URI);
  const app = express();
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${server.address().port}`;

  const users = createUsers(connection, { rounds: 4 });
  const oauth = authorizationServer({
    issuer,
    connection,
    scopes: { 'photos:read': 'See your photos' },
    login: '/login',
    grantTypes: ['authorization_code', 'refresh_token', DEVICE],
  });
  app.use(
    session({ secret: 'of the scratch host', resave: false, saveUninitialized: false }),
    // Passport before 0.6 needs it
    passport.initialize(),
    passport.session(),
  );
  app.use(localLogin({ passport, users }), oauth.router);
  app.get('/api/photos', oauth.guard('photos:read'), (req, res) => res.json({ photosOf: req.auth.userId }));
  app.use(oauth.errorHandler);

  const user = await users.create({ username: 'ada', password: 'correct horse' });
  const client = await oauth.clients.create({
    name: 'Printing shop',
    redirectUris: ['https://print.example/callback'],
    grantTypes: ['authorization_code', 'refresh_token', DEVICE],
  });
  console.log(
    JSON.stringify({ issuer, userId: user.id, clientId: client.clientId, clientSecret: client.clientSecret }),
  );
};
