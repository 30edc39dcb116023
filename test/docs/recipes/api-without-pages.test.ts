import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import bcrypt from 'bcrypt';
import request from 'supertest';

import { hiddenFields, postForm } from '../../support/person.js';
import { NAVIGATION } from '../../support/visitor.js';
import { REDIRECT_URI } from './actions.js';
import { openRecipe, type RunningRecipe } from './recipe.js';

describe('docs/recipes: api-without-pages', () => {
  let recipe: RunningRecipe;
  let url: string;
  let clientId: string;

  beforeEach(async () => {
    recipe = await openRecipe('api-without-pages', {
      environment: () => ({ JWT_SECRET: 'of the test as well, long enough' }),
    });
    ({ issuer: url, clientId } = recipe);
    await recipe.database
      .collection('users')
      .insertOne({ email: 'ada@site.example', name: 'Ada', hash: await bcrypt.hash('correct horse', 4) });
  });
  afterEach(() => recipe?.close());

  const authorize = (agent: ReturnType<typeof request.agent>) =>
    agent
      .get('/oauth/authorize')
      .query({ response_type: 'code', client_id: clientId, scope: 'photos:read', state: 'x' })
      .set(NAVIGATION);
  const photosBy = (token: string) => request(url).get('/api/photos').set('Authorization', `Bearer ${token}`);
  const ownToken = async () => {
    const { body } = await request(url)
      .post('/login')
      .send({ email: 'ada@site.example', password: 'correct horse' })
      .expect(200);
    return String(body.token);
  };

  test('api-without-pages: people log in, and a route accepts both kinds of tokens', async () => {
    expect((await photosBy(await ownToken())).body).toEqual({ photosOf: 'Ada' });
    await photosBy('eyJhbGciOiJub25lIn0.e30.').expect(401);
    const agent = request.agent(url);
    const { headers: toLogin } = await authorize(agent);
    expect(toLogin.location).toMatch(/^\/signin/);
    const page = await agent.get(String(toLogin.location)).set(NAVIGATION).expect(200);
    const { headers: toConsent } = await postForm(agent, '/signin', {
      ...hiddenFields(page),
      username: 'ada@site.example',
      password: 'correct horse',
    })
      .set(NAVIGATION)
      .expect(303);
    const consent = await agent.get(String(toConsent.location)).set(NAVIGATION).expect(200, /Ada/);
    const { headers: decided } = await postForm(agent, String(toConsent.location), {
      ...hiddenFields(consent),
      granted_scope: 'photos:read',
      decision: 'allow',
    });
    const { headers: back } = await agent.get(String(decided.location)).set(NAVIGATION);
    const code = new URL(String(back.location)).searchParams.get('code');
    const { status, body } = await recipe.call('token', {
      grant_type: 'authorization_code',
      code: code ?? '',
      redirect_uri: REDIRECT_URI,
    });
    expect(status).toBe(200);
    expect((await photosBy(body.access_token)).body).toEqual({ photosOf: 'Ada' });
    const refused = await photosBy('eas_at_x').expect(401);
    expect(refused.headers['www-authenticate']).toMatch(/^Bearer /);
  });

  test('api-without-pages: an app of the site passes on its token, and the person continues', async () => {
    const agent = request.agent(url);
    await authorize(agent).expect(302);
    await agent.post('/session').expect(401);
    const { body } = await agent
      .post('/session')
      .set('Authorization', `Bearer ${await ownToken()}`)
      .expect(200);
    expect(body.goTo).toMatch(/^\/oauth\/authorize\?/);
    await agent
      .get(String(body.goTo))
      .set(NAVIGATION)
      .expect(200, /consent-form/);
  });
});
