import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, expect, test } from '@jest/globals';

import { TEST_CERTIFICATE, TEST_KEY } from '../../support/tls.js';
import { describeInstalled, FOLDER } from './install.js';
import { openRecipe, type RunningRecipe } from './recipe.js';

/** The two lines that another adapter takes. */
const CODEGENIE = [
  [
    "import serverless from 'serverless-http'",
    "import serverlessExpress from '@codegenie/serverless-express'",
  ],
  ['serverless(app)', 'serverlessExpress({ app })'],
] as const;

describeInstalled('docs/recipes/serverless.md', () => {
  let recipe: RunningRecipe;
  afterEach(() => recipe?.close());

  const open = (isCodegenie: boolean, isBase64: boolean) =>
    openRecipe('serverless', {
      program: 'gateway.mjs',
      async prepare(folder) {
        const file = join(folder, 'serverless.mjs');
        let text = await readFile(file, 'utf8');
        for (const [before, after] of isCodegenie ? CODEGENIE : []) {
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

  test.each([
    ['serverless-http', false, 'base64'],
    ['serverless-http', false, 'text'],
    ['@codegenie/serverless-express', true, 'base64'],
    ['@codegenie/serverless-express', true, 'text'],
  ])(
    '%s, whose bodies come as %s %s: a client gets a token, calls, and is refused',
    async (_name, isCodegenie, form) => {
      recipe = await open(isCodegenie, form === 'base64');
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
    },
  );
});
