import express from 'express';
import session from 'express-session';
import mongoose from 'mongoose';
import passport from 'passport';
import { authorizationServer, createUsers, localLogin } from 'express-authorization-server';

const { connection } = await mongoose.connect(process.env.MONGODB_URI);
const oauth = authorizationServer({
  issuer: process.env.ISSUER,
  connection,
  scopes: { 'photos:read': 'See your photos', 'albums:read': 'See your albums' },
  login: '/login',
  resources: {
    [process.env.ALBUMS_API]: { scopes: ['albums:read'], accessTokenFormat: 'jwt', accessTokenTtl: 600 },
    [process.env.PRINT_API]: { scopes: ['photos:read'] },
  },
  tokens: { accessTokenClaims: ({ client }) => ({ partner: client.name }) }, // req.auth.extra.partner in the albums API
  signingKeys: { encryptionSecret: process.env.KEY_SECRET, rotationInterval: 30 * 86_400 },
});
express()
  .use(
    session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false }),
    passport.session(),
  )
  .use(localLogin({ passport, users: createUsers(connection) }), oauth.router)
  .listen(process.env.PORT);
