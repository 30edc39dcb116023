import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import ts from 'typescript';

import { authorizationServer } from '../../lib/index.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = [
  ...readdirSync(join(root, 'lib/settings'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `lib/settings/${name}`),
  'lib/pages/login/local-login-options.ts',
];

function textsIn(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(root, file), 'utf8'),
    ts.ScriptTarget.ES2023,
    true,
  );
  const texts: string[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    ts.forEachChild(node, look);
  };
  look(source);
  return texts;
}

const count = (text: string, sign: string): number => text.split(sign).length - 1;
const isWhole = (text: string): boolean =>
  count(text, '{') === count(text, '}') && count(text, '(') === count(text, ')');

describe('the hint after "; " in the words of an option', () => {
  const connection = mongoose.createConnection();
  const start = (openid: object) => () =>
    authorizationServer({
      issuer: 'https://photos.example',
      connection,
      scopes: {},
      login: '/login',
      openid: openid as never,
    });
  const EXAMPLE = 'a function, such as async (userId) => claimsOf(await User.findById(userId))';

  test('no example in the words of an option contains a "; " that would split it', () => {
    const hinted = files.flatMap(textsIn).filter((text) => text.includes('; '));
    expect(hinted.length).toBeGreaterThan(10);
    const torn = hinted.filter((text) => {
      const [terms = '', ...hint] = text.split('; ');
      return !isWhole(terms) || !isWhole(hint.join('; '));
    });
    expect(torn).toEqual([]);
  });

  test('the words of an option have whole examples for a missing value and for a wrong one', () => {
    expect(start({})).toThrow(`openid.claims is missing: it must be ${EXAMPLE}`);
    expect(start({ claims: 5 })).toThrow(`openid.claims must be ${EXAMPLE}, not 5`);
  });
});
