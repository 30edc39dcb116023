const mongoose = require('mongoose');
const request = require('supertest');

const app = require('../app');
const User = require('../models/user');
const Recipe = require('../models/recipe');

const PERSON = { email: 'ada@example.com', password: 'correct horse battery staple' };

beforeAll(async () => {
  await mongoose.connect(process.env.MONGODB_URI || 'mongodb://127.0.0.1:27017/cookbook');
  await mongoose.connection.dropDatabase();
  const ada = new User({ name: 'Ada', email: PERSON.email });
  await ada.setPassword(PERSON.password);
  await ada.save();
  await Recipe.create({ title: 'Lemon cake', owner: ada._id });
});
afterAll(() => mongoose.disconnect());

async function send(agent, page, action, fields) {
  const { text } = await agent.get(page);
  const [, _csrf] = /name="_csrf" value="([^"]+)"/.exec(text);
  return agent
    .post(action)
    .type('form')
    .send({ ...fields, _csrf });
}
const logIn = (agent, person = PERSON) => send(agent, '/account/login', '/account/session', person);

test('a wrong password leads back to the form, the right one to the recipes', async () => {
  const agent = request.agent(app);
  const wrong = await logIn(agent, { ...PERSON, password: 'wrong' });
  expect(wrong.headers.location).toBe('/account/login');
  expect((await agent.get('/account/login')).text).toContain('Wrong e-mail address or password.');
  expect((await logIn(agent)).headers.location).toBe('/recipes');
  expect((await agent.get('/recipes')).text).toContain('Lemon cake');
});

test('a form of another site is refused', async () => {
  const agent = request.agent(app);
  await logIn(agent);
  expect((await agent.post('/recipes').type('form').send({ title: 'Stolen cake' })).status).toBe(403);
});

test('the API is for people who are logged in', async () => {
  const agent = request.agent(app);
  expect((await agent.get('/api/recipes')).status).toBe(401);
  await logIn(agent);
  expect((await agent.get('/api/recipes')).body).toEqual({ of: 'Ada', recipes: ['Lemon cake'] });
});
