import { expect, test } from '@jest/globals';

import { normalizeText, usernameKey } from '../../../lib/shared/protocol/username-key.js';

test.each([
  ['alice', 'alice'],
  ['ALICE', 'alice'],
  ['  Alice ', 'alice'],
  ['Ａlice', 'alice'],
  ['ﬁona', 'fiona'],
  ['é', 'e\u0301'.normalize('NFKC')],
  ['e\u0301', 'é'],
  ['Straße', 'straße'],
  ['ΑΒΓ', 'αβγ'],
  ['a b', 'a b'],
  ['', ''],
])('the user name %j is compared as %j', (username, key) => {
  expect(usernameKey(username)).toBe(key);
  expect(usernameKey(key)).toBe(key);
});

test('a password keeps its case and its spaces', () => {
  expect(normalizeText(' Pa\uff53s ')).toBe(' Pass ');
});
