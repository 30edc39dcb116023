const { actingAs } = require('express-authorization-server/testing');
const mongoose = require('mongoose');
const request = require('supertest');
const { app, oauth } = require('./app.cjs');

beforeAll(() => mongoose.connect(process.env.MONGODB_URI));
afterAll(() => oauth.close().then(() => mongoose.disconnect()));

test('a client sees the photos of ada, if she has allowed it', async () => {
  const headers = await actingAs(oauth, 'id-of-ada', ['photos:read']);
  const response = await request(app).get('/api/photos').set(headers);
  expect(response.body).toEqual({ photosOf: 'id-of-ada' });
});

test('nobody sees them without a token', async () => {
  expect((await request(app).get('/api/photos')).status).toBe(401);
});
