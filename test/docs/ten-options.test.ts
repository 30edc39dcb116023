import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { fileText, textOf } from './blocks.js';
import { openRecipe, type RunningRecipe } from './recipes/recipe.js';

const PROGRAM = 'ten-options.mjs';

describe('docs/ten-options.md', () => {
  let site: RunningRecipe;
  beforeAll(async () => {
    const prepare = (folder: string) => writeFile(join(folder, PROGRAM), fileText(PROGRAM));
    site = await openRecipe('ten-options', { prepare });
  });
  afterAll(() => site?.close());

  test('the site of docs/ten-options.md lets a client call the API as the user who allowed it', async () => {
    const { access_token: token } = await site.obtainTokens('photos:read');
    expect(await site.get('/api/photos', token)).toMatchObject({ status: 200, body: { photosOf: 'ada' } });
    expect(await site.get('/api/photos')).toMatchObject({ status: 401 });
  });

  test('the table of docs/ten-options.md has the ten options of its site, in their order', () => {
    const rows = [...textOf('docs/ten-options.md').matchAll(/^\| (\d+) \| `(\w+)` \|/gm)];
    const [, options = ''] = /authorizationServer\(\{\n([^]*?)\n\}\);/.exec(fileText(PROGRAM)) ?? [];
    const names = [...options.matchAll(/^ {2}(\w+)\b/gm)].map(([, name]) => name);
    expect(rows.map(([, number, name]) => [number, name])).toEqual(
      names.map((name, index) => [String(index + 1), name]),
    );
    expect(names).toHaveLength(10);
  });
});
