import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, test } from '@jest/globals';

/** Loads a built file in a process of its own, which refuses packages whose names begin with `refused`. */
function load(file: string, refused: string) {
  const hook = `export async function resolve(name, context, next) { if (/^(${refused})/.test(name)) throw new Error('loads ' + name); return next(name, context); }`;
  return promisify(execFile)(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { register } from 'node:module'; register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)})); await import(${JSON.stringify(new URL(`../../dist/${file}`, import.meta.url).href)});`,
    ],
    { env: { ...process.env, NODE_OPTIONS: '' } },
  );
}

test('the entry of resource servers loads neither Mongoose nor anything else of the authorization server', async () => {
  const refused = 'mongoose|mongodb|bcrypt|ejs|passport';
  await load('guard.js', refused);
  await expect(load('index.js', refused)).rejects.toThrow(/loads /);
});

test('zod comes with the package, in English, and not with all of its languages', async () => {
  for (const file of ['index.js', 'guard.js', 'testing.js']) await load(file, 'zod|.*locales');
});
