import { beforeAll, expect, test } from '@jest/globals';
import bcrypt from 'bcrypt';
import request from 'supertest';

import { fixture } from '../../support/site-for.js';
import { NAVIGATION } from '../../support/visitor.js';
import { describeInstalled } from './install.js';
import { openRecipe } from './recipe.js';

describeInstalled('docs/recipes: jwt-cookie', () => {
  let url: string;
  const recipe = fixture(() =>
    openRecipe('jwt-cookie', {
      environment: () => ({ JWT_SECRET: 'of the test as well, long enough' }),
    }),
  );
  beforeAll(async () => {
    url = recipe.issuer;
    await recipe.database
      .collection('users')
      .insertOne({ email: 'ada@site.example', name: 'Ada', hash: await bcrypt.hash('correct horse', 4) });
  });

  /** A browser in which Ada has logged in at the site. */
  const logIn = async () => {
    const agent = request.agent(url);
    const ada = { email: 'ada@site.example', password: 'correct horse' };
    await agent
      .post('/login')
      .send({ ...ada, password: 'wrong' })
      .expect(401);
    await agent.post('/login').send(ada).expect(204);
    return agent;
  };
  const authorize = (agent: ReturnType<typeof request.agent>) =>
    agent
      .get('/oauth/authorize')
      .query({ response_type: 'code', client_id: recipe.clientId, scope: 'photos:read', state: 'x' })
      .set(NAVIGATION);
  const session = (agent: ReturnType<typeof request.agent>, origin: string) =>
    agent.post('/session').set('Origin', origin);

  test('jwt-cookie: the page of the app gets a session by the cookie, and the person continues', async () => {
    const agent = await logIn();
    const { headers } = await authorize(agent).expect(302);
    expect(headers.location).toMatch(/^\/signin/);
    await agent
      .get(String(headers.location))
      .set(NAVIGATION)
      .expect(200, /id="signin"/);
    const { body } = await session(agent, url).expect(200);
    expect(body.goTo).toMatch(/^\/oauth\/authorize\?/);
    await agent
      .get(body.goTo)
      .set(NAVIGATION)
      .expect(200, /consent-form/);
    // a logout at the site ends the session here
    await agent.post('/logout').set('Origin', url).expect(204);
    await session(agent, url).expect(401);
    await authorize(agent).expect(302);
  });

  test('jwt-cookie: no other site gets or ends a session by the person’s cookie', async () => {
    const agent = await logIn();
    for (const origin of ['https://other.example', `${url}.other.example`, 'null']) {
      await session(agent, origin).expect(403);
      await agent.post('/logout').set('Origin', origin).expect(403);
    }
    await agent.post('/session').expect(403);
    await session(request.agent(url), url).expect(401);
  });

  test('jwt-cookie: a route accepts the cookie and tokens of clients, and refuses others', async () => {
    const agent = await logIn();
    await agent.get('/api/photos').expect(200, { photosOf: 'Ada' });
    const refused = await request(url).get('/api/photos').expect(401);
    expect(refused.headers['www-authenticate']).toMatch(/^Bearer /);
    await request(url).get('/api/photos').set('Cookie', 'jwt=eyJhbGciOiJub25lIn0.e30.').expect(401);
    await agent.get('/api/photos').set('Authorization', 'Bearer eas_at_x').expect(401);
    const token = await recipe.obtainOwnToken('photos:read');
    await request(url).get('/api/photos').set('Authorization', `Bearer ${token}`).expect(403);
  });
});
