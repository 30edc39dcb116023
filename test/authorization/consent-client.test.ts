import { describe, expect, test } from '@jest/globals';

import {
  type ConsentClient,
  consentClientOf,
  consentDigest,
} from '../../lib/core/authorization/consent-client.js';

const CREATED_AT = new Date('2026-01-01');
const CLIENT: ConsentClient = consentClientOf({
  clientId: 'print',
  name: 'Print Shop',
  type: 'confidential',
  description: 'Prints photos',
  clientUri: 'https://print.example/',
  logoUri: 'https://print.example/logo.png',
  policyUri: 'https://print.example/policy',
  tosUri: 'https://print.example/terms',
  ownerId: 'bob',
  ownerSince: CREATED_AT,
  createdAt: CREATED_AT,
});
const REQUESTED = { scopes: ['photos:read'], resources: [], redirectUri: 'https://print.example/cb' };
/** Another value of each field: the compiler asks for one if a field is added. */
const OTHERS: ConsentClient = {
  clientId: 'prints',
  name: 'Your bank',
  type: 'public',
  description: 'Shows photos',
  clientUri: 'https://print.example/en',
  logoUri: 'https://print.example/other.png',
  policyUri: undefined,
  tosUri: 'https://print.example/other',
  ownerId: 'eve',
  ownerSince: new Date('2026-02-01'),
  createdAt: new Date('2026-01-02'),
  mayAct: ['binder'],
  isVerified: true,
  publisher: 'Print Ltd',
  isSelfRegistered: true,
  describesItself: true,
  granularConsent: false,
};

describe('the client data of the consent page (RFC 6749 §10.2)', () => {
  test.each(Object.entries(OTHERS))('the digest in a consent form covers the field %s', (field, value) => {
    expect(Object.keys(CLIENT)).toContain(field);
    const changed = { ...CLIENT, [field]: value as unknown };
    expect(consentDigest({ ...REQUESTED, client: changed })).not.toBe(
      consentDigest({ ...REQUESTED, client: CLIENT }),
    );
  });

  test('the registered pages of a client stand in for missing ones on the consent page', () => {
    const details = {
      clientUri: 'https://a.example/',
      logoUri: 'https://a.example/l',
      tosUri: 'https://a.example/t',
    };
    const registration = { accessTokenHash: 'hash', details };
    expect(consentClientOf({ clientId: 'a', name: 'A', registration })).toMatchObject({
      ...details,
      policyUri: undefined,
      isSelfRegistered: true,
      describesItself: false,
    });
    expect(
      consentClientOf({ clientId: 'a', name: 'A', registration, tosUri: 'https://b.example/t' }).tosUri,
    ).toBe('https://b.example/t');
  });

  test('the consent page has no fields that it does not show', () => {
    const bare = consentClientOf({ clientId: 'a', name: 'A' });
    const more = {
      clientId: 'a',
      name: 'A',
      redirectUris: ['https://a.example/cb'],
      blocked: { at: CREATED_AT },
    };
    expect(consentClientOf(more)).toEqual(bare);
  });

  test('a trusted client counts as verified on the consent page', () => {
    expect(consentClientOf({ clientId: 'a', name: 'A', trusted: true })).toMatchObject({
      isVerified: true,
    });
    expect(consentClientOf({ clientId: 'a', name: 'A', verified: true })).toMatchObject({
      isVerified: true,
    });
  });
});
