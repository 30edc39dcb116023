import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { findUnstorable } from '../../lib/shared/protocol/storable.js';
import { holds } from '../support/properties.js';
import { fixture } from '../support/site-for.js';
import { grantsDetail, members, openClient, openSiteForAnything, registersKey } from '../support/storable.js';

describe('JSON of strangers', () => {
  const site = fixture(() => openSiteForAnything());
  const client = fixture(() => openClient(site));

  holds('a registered key is refused, or stored unchanged', [members], async (more) => {
    await registersKey(site, more);
  });

  holds('an authorization detail is refused, or stored unchanged', [members], async (more) => {
    const isGranted = await grantsDetail(site, client, more);
    expect(isGranted).toBe(findUnstorable([more], 10) === undefined);
  });

  test.each(['ObjectId', 'MinKey', 'Int32', 'anything', 7, null])(
    'JSON of strangers with _bsontype %p is refused',
    async (type) => {
      expect(await registersKey(site, { _bsontype: type })).toBe(false);
      expect(await grantsDetail(site, client, { amount: { _bsontype: type, value: 1000 } })).toBe(false);
    },
  );

  test.each(['constructor', 'prototype', 'isMongooseBuffer'])(
    'JSON of strangers with the member %s, which Mongoose reads, is refused',
    async (name) => {
      expect(await registersKey(site, { [name]: 'A' })).toBe(false);
      expect(await grantsDetail(site, client, { [name]: { name: 'Date' } })).toBe(false);
    },
  );

  test.each(['toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', '__proto__'])(
    'JSON of strangers with the member %s of every object is refused',
    async (name) => {
      const more = JSON.parse(`{${JSON.stringify(name)}:[[{}]]}`) as Record<string, unknown>;
      expect(await registersKey(site, more)).toBe(false);
      expect(await grantsDetail(site, client, more)).toBe(false);
    },
  );

  test('JSON of strangers with half a surrogate pair is refused, because it would change', async () => {
    expect(await registersKey(site, { kid: 'a\ud800' })).toBe(false);
    expect(await grantsDetail(site, client, { to: '\udc00b' })).toBe(false);
    expect(await grantsDetail(site, client, { to: 'ü \ud83d\ude00' })).toBe(true);
  });

  test('JSON of strangers may have a dot in a name', async () => {
    expect(await grantsDetail(site, client, { 'urn:a.b': { '.': 1, '': 2 } })).toBe(true);
  });
});

describe('the rule of storable values', () => {
  holds('a value is storable if and only if its members and names are', [members], (value) => {
    const inside = Object.values(value).map((member) => findUnstorable(member, 9));
    const names = Object.keys(value).map((name) => findUnstorable({ [name]: 0 }, 1));
    const isStorable = [...inside, ...names].every((reason) => reason === undefined);
    expect(findUnstorable(value, 10) === undefined).toBe(isStorable);
  });

  holds('a value is storable up to its maximum depth', [fc.integer({ min: 0, max: 20 })], (depth) => {
    let value: unknown = 1;
    for (let level = 0; level < depth; level += 1) value = [value];
    expect(findUnstorable(value, 10)).toBe(depth > 10 ? 'depth' : undefined);
  });
});
