import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, test } from '@jest/globals';

test('the entry of resource servers loads neither Mongoose nor anything else of the authorization server', async () => {
  const hook = `export async function resolve(name, context, next) { if (/^(mongoose|mongodb|bcrypt|ejs|passport)/.test(name)) throw new Error('loads ' + name); return next(name, context); }`;
  const load = (file: string) =>
    promisify(execFile)(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { register } from 'node:module'; register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)})); await import(${JSON.stringify(new URL(`../../dist/${file}`, import.meta.url).href)});`,
      ],
      { env: { ...process.env, NODE_OPTIONS: '' } },
    );
  await load('guard.js');
  await expect(load('index.js')).rejects.toThrow(/loads /);
});
