import { createRequire } from 'node:module';
import { join } from 'node:path';

import { expect, test } from '@jest/globals';

import type { VisitedPage } from '../../package/visitor.js';
import { fixture } from '../../support/site-for.js';
import { PERSON, REDIRECT_URI } from './actions.js';
import { describeInstalled, FOLDER } from './install.js';
import { openRecipe } from './recipe.js';

interface Otplib {
  readonly generate: (options: { readonly secret: string; readonly epoch?: number }) => Promise<string>;
}

describeInstalled('docs/recipes: second-factor', () => {
  let secret = '';
  /** The only used code; it belongs to this moment, or to the step before. */
  let used = '';
  const recipe = fixture(() => openRecipe('second-factor'));

  const codeAt = (seconds: number): Promise<string> => {
    const { generate } = createRequire(join(FOLDER, 'package.json'))('otplib') as Otplib;
    return generate({ secret, epoch: Math.floor(Date.now() / 1000) + seconds });
  };
  const query = () =>
    new URLSearchParams({
      response_type: 'code',
      client_id: recipe.clientId,
      redirect_uri: REDIRECT_URI,
      scope: 'photos:read',
    }).toString();
  const authorize = () => recipe.person.open(`${recipe.issuer}/oauth/authorize?${query()}`);
  const sendCode = (page: VisitedPage, code: string) => recipe.person.submit(page, { code }, 'factor-form');

  test('second-factor: a password is not enough, and the first code sets up the factor', async () => {
    const login = await authorize();
    const factor = await recipe.person.submit(login, PERSON, 'login-form');
    expect(factor.text).toContain('id="factor-form"');
    expect((await authorize()).text).toContain('id="factor-form"');
    [, secret = ''] = /[?&;]secret=([A-Z2-7]+)/.exec(factor.text) ?? [];
    expect(secret).not.toBe('');
    expect((await sendCode(factor, '000000')).text).toContain('This code is wrong');
    used = await codeAt(0);
    const consent = await sendCode(await authorize(), used);
    expect(consent.text).toContain('id="consent-form"');
    const { access_token: token } = await recipe.obtainTokens('photos:read');
    expect(await recipe.get('/api/photos', token)).toMatchObject({ status: 200 });
  });

  test('second-factor: a code works once, and after five wrong ones no code works', async () => {
    const out = await recipe.person.open(`${recipe.issuer}/logout`);
    await recipe.person.submit(out, {}, 'logout-form');
    const factor = await recipe.person.submit(await authorize(), PERSON, 'login-form');
    expect(factor.text).not.toContain('id="uri"');
    expect((await sendCode(factor, used)).text).toContain('was used before');
    // the window includes a code of the next half minute
    const { href } = (await sendCode(factor, await codeAt(30))).url;
    expect(href.startsWith(`${REDIRECT_URI}?code=`)).toBe(true);
    for (let tries = 0; tries < 4; tries += 1) await sendCode(factor, '000000');
    expect((await sendCode(factor, await codeAt(60))).text).toMatch(/Too many requests/);
  });
});
