import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from '@jest/globals';

import { root, textOf } from './blocks.js';

const sources = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) =>
    readFileSync(join(root, 'lib', name), 'utf8')
      .replaceAll("\\'", "'")
      .replaceAll('’', "'"),
  );

/** The messages in the first column, with … for inserted values. */
const messages = textOf('docs/troubleshooting.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
  .flatMap((line) => [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)])
  .map(([, message = '']) => message)
  .filter((message) => message.includes(' '));

test.each(messages)('the message %s exists in lib/', (message) => {
  const parts = message
    .split('…')
    .map((part) => part.replaceAll(/^[';: ]+|[';: ?]+$/g, ''))
    .filter((part) => part.length > 1);
  expect(parts).not.toEqual([]);
  expect(sources.some((text) => parts.every((part) => text.includes(part)))).toBe(true);
});
