import { expect, test } from '@jest/globals';

import { refusal } from '../../support/refusal.js';
import { fixture } from '../../support/site-for.js';
import { PERSON } from './actions.js';
import { describeInstalled } from './install.js';
import { openRecipe } from './recipe.js';

describeInstalled('docs/recipes: cookie-session', () => {
  const recipe = fixture(() => openRecipe('cookie-session'));

  test('cookie-session: people log in, and the client’s token works until it is revoked', async () => {
    const { access_token: token, scope } = await recipe.obtainTokens('photos:read');
    expect(scope).toBe('photos:read');
    expect(await recipe.get('/api/photos', token)).toMatchObject({
      status: 200,
      body: { photosOf: expect.any(String) },
    });
    const other = (await recipe.obtainTokens('photos:write')).access_token;
    expect(await recipe.get('/api/photos', other)).toMatchObject({
      status: 403,
      challenge: expect.stringMatching(/error="insufficient_scope"/),
    });
    await recipe.revoke(token);
    expect(await recipe.get('/api/photos', token)).toMatchObject(refusal(401, 'invalid_token'));
  });

  test('cookie-session: the login is in the cookie, and a logout ends it', async () => {
    const { person, issuer } = recipe;
    const page = await person.open(`${issuer}/login`);
    await person.submit(page, { ...PERSON, password: 'wrong' }, 'login-form');
    await person.submit(page, PERSON, 'login-form');
    expect(JSON.parse((await person.open(`${issuer}/`)).text)).toEqual({ user: 'ada' });
    const out = { ...page, text: '<form id="out" action="/logout"></form>' };
    expect(JSON.parse((await person.submit(out, {}, 'out')).text)).toEqual({ user: null });
  });
});
