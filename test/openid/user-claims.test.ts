import { describe, expect, test } from '@jest/globals';

import type { RequestedClaim } from '../../lib/features/openid/claims-request.js';
import type { UserClaims } from '../../lib/features/openid/options.js';
import { type ClaimsQuestion, findUserClaims } from '../../lib/features/openid/user-claims.js';

const SCOPE_CLAIMS = {
  email: ['email', 'email_verified'],
  profile: ['name', 'updated_at'],
  address: ['address'],
};

/** The claims of a user from these data of the host. */
const reported = (known: unknown, question: Partial<ClaimsQuestion> = {}) =>
  findUserClaims(
    { claims: () => Promise.resolve(known as UserClaims), scopeClaims: SCOPE_CLAIMS },
    { userId: 'ada', scopes: ['openid'], requested: {}, withScopes: true, ...question },
  );

describe('OpenID Connect Core §5.4 the claims of scopes', () => {
  const ada = {
    name: 'Ada',
    'name#ja': 'エイダ',
    email: 'ada@photos.example',
    email_verified: false,
    age: 36,
  };

  test('claims of scopes are left out if a token can be used to ask for them', async () => {
    expect(await reported(ada, { scopes: ['openid', 'profile', 'email'], withScopes: false })).toEqual({});
  });
});

describe('OpenID Connect Core §5.5.1 single claims', () => {
  const asking = (requested: Readonly<Record<string, RequestedClaim>>) => ({ requested, withScopes: false });

  test('a claim is in the requested language, or in all languages without a request', async () => {
    const known = { name: 'Ada', 'name#ja': 'エイダ', 'name#de': 'Ada!' };
    expect(await reported(known, asking({ 'name#ja': {} }))).toEqual({ 'name#ja': 'エイダ' });
    expect(await reported(known, asking({ name: {} }))).toEqual(known);
  });

  test.each<[string, object, Readonly<Record<string, RequestedClaim>>, boolean]>([
    ['no values are requested', { email: 'a@x' }, { email: { values: [] } }, false],
    ['a text and true differ', { email_verified: true }, { email_verified: { values: ['true'] } }, false],
    [
      'its members stand in another order',
      { address: { country: 'GB', locality: 'London' } },
      { address: { values: [{ locality: 'London', country: 'GB' }] } },
      true,
    ],
    [
      'it has an additional member',
      { address: { country: 'GB', locality: 'London' } },
      { address: { values: [{ country: 'GB' }] } },
      false,
    ],
    [
      'it equals the time of a Date from the host',
      { updated_at: new Date('2030-01-01') },
      { updated_at: { values: [Date.UTC(2030) / 1000] } },
      true,
    ],
  ])('a claim with values is included or left out: %s', async (_what, known, requested, isReported) => {
    expect(Object.keys((await reported(known, asking(requested))) ?? {})).toEqual(
      isReported ? Object.keys(known) : [],
    );
  });

  test('claims without a request are left out, even if they cannot be JSON', async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const known = { name: 'Ada', id: 10n, circular };
    expect(await reported(known, asking({ name: {} }))).toEqual({ name: 'Ada' });
  });
});

describe('the user data of the host', () => {
  test.each([null, undefined, false])('the user data %s are no user', async (known) => {
    expect(await reported(known)).toBeUndefined();
  });

  test.each([[[]], ['Ada'], [true], [1]])('the user data %j are a server_error', async (known) => {
    await expect(reported(known)).rejects.toMatchObject({ error: 'server_error' });
  });
});
