const express = require('express');
const { authorizationServer } = require('express-authorization-server');
const { actingAs } = require('express-authorization-server/testing');
const mongoose = require('mongoose');
const request = require('supertest');

/** A host as its tests open it, for the suites of `suites.ts`. */
module.exports = async function openHost() {
  const connection = await mongoose.createConnection(process.env.DATABASE_URI).asPromise();
  const oauth = authorizationServer({
    issuer: 'http://localhost:3000',
    connection,
    scopes: { 'photos:read': 'See your photos' },
    login: '/login',
  });
  await oauth.ready();
  const app = express();
  app.get('/api/photos', oauth.guard('photos:read'), (req, res) => void res.json(req.auth.userId));
  return {
    tokenHeaders: () => actingAs(oauth, 'ada', ['photos:read']),
    statusWith: async (headers) => (await request(app).get('/api/photos').set(headers)).status,
    close: () => oauth.close().then(() => connection.close()),
  };
};
