const express = require('express');
const { authorizationServer } = require('express-authorization-server');
const mongoose = require('mongoose');

const oauth = authorizationServer({
  issuer: 'http://localhost:3000',
  connection: mongoose.connection,
  scopes: { 'photos:read': 'See your photos' },
  login: '/login',
});
const app = express();
app.use(oauth.router);
app.get('/api/photos', oauth.guard('photos:read'), (req, res) => res.json({ photosOf: req.auth.userId }));
app.use('/api', oauth.errorHandler);
module.exports = { app, oauth };
