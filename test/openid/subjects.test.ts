import { describe, expect, test } from '@jest/globals';

import { createSids, createSubjects, type SubjectClient } from '../../lib/core/openid/subjects.js';
import { refusalOf } from '../support/refusal.js';

const OPENID = { pairwiseSalt: 'a salt that nobody else knows' } as never;
const subjectOf = createSubjects(OPENID);
const client = (redirectUri: string, more: Partial<SubjectClient> = {}): SubjectClient => ({
  clientId: 'shop',
  subjectType: 'pairwise',
  redirectUris: [redirectUri],
  ...more,
});
const shop = client('https://shop.example/cb');

describe('OpenID Connect Core §8.1 a pairwise subject', () => {
  test('a pairwise subject is the same for all clients of a sector, each time', () => {
    const beside = client('https://shop.example:8443/other', { clientId: 'beside' });
    const listed = client('https://elsewhere.example/', {
      sectorIdentifierUri: 'https://shop.example/uris.json',
    });
    for (const each of [shop, beside, listed]) expect(subjectOf(each, 'ada')).toBe(subjectOf(shop, 'ada'));
  });

  test('a pairwise subject differs for another user, another sector and another salt', () => {
    const others = [
      subjectOf(shop, 'grace'),
      subjectOf(client('https://www.shop.example/cb'), 'ada'),
      createSubjects({ pairwiseSalt: 'another salt' })(shop, 'ada'),
      // a session is never identified by a user's id
      createSids(OPENID)(shop, 'ada'),
    ];
    expect(new Set([subjectOf(shop, 'ada'), ...others]).size).toBe(5);
  });

  test('a pairwise subject reveals neither the user nor the border of its parts', () => {
    expect(subjectOf(shop, 'ada')).not.toContain('ada');
    const [one, other] = [client('https://a.example/'), client('https://a.example.b/')];
    expect(subjectOf(one, '.b ada')).not.toBe(subjectOf(other, ' ada'));
  });

  test.each<[string, Parameters<typeof createSubjects>[0], SubjectClient]>([
    ['its salt is gone', { pairwiseSalt: undefined }, shop],
    ['the option is off', false, shop],
    [
      'its client has two hosts',
      OPENID,
      { ...shop, redirectUris: ['https://a.example/', 'https://b.example/'] },
    ],
    ['its client is on loopback, a host of everybody', OPENID, client('http://127.0.0.1/cb')],
    ['its client has no redirect URI', OPENID, { ...shop, redirectUris: [] }],
  ])('a pairwise subject is a server_error if %s', (_why, openid, of) => {
    expect(refusalOf(() => createSubjects(openid)(of, 'ada'))).toBe('server_error');
  });
});

test.each(['public', undefined])(
  "OpenID Connect Core §8 a client with subjects that are %s gets the user's id",
  (type) => {
    const { subjectType: _pairwise, ...rest } = shop;
    const of = { ...rest, ...(type !== undefined && { subjectType: type }) } as SubjectClient;
    expect(createSubjects(OPENID)(of, 'ada')).toBe('ada');
    expect(createSubjects(false)(of, 'ada')).toBe('ada');
  },
);
