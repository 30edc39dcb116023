import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, expect, test } from '@jest/globals';

import { TEST_CERTIFICATE, TEST_KEY } from '../../support/tls.js';
import { describeInstalled, FOLDER } from './install.js';
import { openRecipe, type RunningRecipe } from './recipe.js';

/** Texts of the program and their replacements. */
type Replacements = readonly (readonly [string, string])[];
const CODEGENIE: Replacements = [
  [
    "import serverless from 'serverless-http'",
    "import serverlessExpress from '@codegenie/serverless-express'",
  ],
  ['serverless(app)', 'serverlessExpress({ app })'],
];
const PARSERS: Replacements = [
  [
    'app.use(oauth.clientRouter);',
    'app.use(express.json(), express.urlencoded({ extended: true }), oauth.clientRouter);',
  ],
];

describeInstalled('docs/recipes: serverless', () => {
  let recipe: RunningRecipe;
  afterEach(() => recipe?.close());

  const open = (replacements: Replacements, isBase64: boolean) =>
    openRecipe('serverless', {
      program: 'gateway.mjs',
      async prepare(folder) {
        const file = join(folder, 'serverless.mjs');
        let text = await readFile(file, 'utf8');
        for (const [before, after] of replacements) {
          expect(text).toContain(before);
          text = text.replace(before, after);
        }
        await writeFile(file, text);
        await copyFile(join(FOLDER, 'gateway.mjs'), join(folder, 'gateway.mjs'));
      },
      environment: (address) => ({
        ISSUER: address.replace('http:', 'https:'),
        KEY: TEST_KEY,
        CERTIFICATE: TEST_CERTIFICATE,
        IS_BASE64: String(isBase64),
      }),
      ca: TEST_CERTIFICATE,
    });

  test.each<[string, Replacements, 'base64' | 'text']>([
    ['serverless-http', [], 'base64'],
    ['serverless-http behind parsers of the site', PARSERS, 'text'],
    ['@codegenie/serverless-express', CODEGENIE, 'text'],
    ['@codegenie/serverless-express behind parsers of the site', [...CODEGENIE, ...PARSERS], 'base64'],
  ])('serverless: a client gets a token, calls and is refused with %s', async (_name, replacements, form) => {
    recipe = await open(replacements, form === 'base64');
    const { access_token: token, refresh_token } = await recipe.obtainTokens('photos:read');
    const mine = await recipe.get('/api/photos', token);
    expect(mine).toMatchObject({ status: 200, body: { photosOf: expect.any(String) } });
    const poor = await recipe.obtainOwnToken('photos:write');
    expect(await recipe.get('/api/photos', poor)).toMatchObject({
      status: 403,
      challenge: expect.stringMatching(/error="insufficient_scope"/),
    });
    const renewed = await recipe.call('token', { grant_type: 'refresh_token', refresh_token });
    expect([renewed.status, renewed.body.scope]).toEqual([200, 'photos:read']);
    await recipe.revoke(renewed.body.access_token);
    expect(await recipe.get('/api/photos', renewed.body.access_token)).toMatchObject({ status: 401 });
  });
});
