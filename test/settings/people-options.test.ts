import { expect, it } from '@jest/globals';

import { peopleRows } from '../../lib/settings/options/people-options.js';

const userName = peopleRows.name.default;

it.each([
  [{ displayName: 'Ada L.', name: 'Ada', id: '1' }, 'Ada L.'],
  [{ name: '', profile: { name: 'Ada Lovelace' }, email: 'ada@photos.example', id: '1' }, 'Ada Lovelace'],
  [{ fullName: 'Ada Lovelace', userName: 'ada', id: '1' }, 'Ada Lovelace'],
  [{ firstName: 'Ada', lastName: 'Lovelace', username: 'ada', id: '1' }, 'Ada Lovelace'],
  [{ firstName: 'Ada', id: '1' }, 'Ada'],
  // https://www.passportjs.org/reference/normalized-profile/
  [{ name: { givenName: 'Ada', familyName: 'Lovelace' }, id: '1' }, 'Ada Lovelace'],
  [{ userName: 'ada', email: 'ada@photos.example', _id: 5 }, 'ada'],
  [{ login: () => 'a method', name: {}, profile: null, email: 'ada@photos.example' }, 'ada@photos.example'],
  [{ name: ' ', firstName: '', id: '1' }, '1'],
])('%j has the name %s on the pages', (user, name) => {
  expect(userName(user)).toBe(name);
});
