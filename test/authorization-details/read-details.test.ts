import { describe, expect, test } from '@jest/globals';

import { readDetails } from '../../lib/core/authorization-details/read-details.js';
import type { Client } from '../../lib/core/clients/client.js';

type Validate = (fields: object) => unknown;

/** A server with one type, and what its schema was shown. */
function typesOf(validate: Validate) {
  const seen: object[] = [];
  const schema = {
    '~standard': {
      validate(fields: object) {
        seen.push(fields);
        return validate(fields);
      },
    },
  };
  const authorizationDetails = new Map([['photo', { schema, choices: new Map() }]]);
  return { seen, rules: { authorizationDetails } as never };
}
const CLIENT = {} as Client;
const form = (...details: object[]) => JSON.stringify(details);
const asIs: Validate = (value) => ({ value });
const refused = { error: 'invalid_authorization_details' };

describe('RFC 9396 §5 the details of a request', () => {
  test('there are none if the parameter is not sent', async () => {
    expect(await readDetails(undefined, CLIENT, typesOf(asIs).rules)).toBeUndefined();
  });

  test('a server without types ignores the parameter, whatever is in it (RFC 6749 §3.1)', async () => {
    const rules = { authorizationDetails: new Map() };
    expect(await readDetails('nonsense', CLIENT, rules)).toBeUndefined();
  });

  test('no schema is asked if one of the types is unknown, or not the client’s', async () => {
    const { rules, seen } = typesOf(asIs);
    const unknown = readDetails(form({ type: 'photo' }, { type: 'other' }), CLIENT, rules);
    await expect(unknown).rejects.toMatchObject(refused);
    const client = { authorizationDetailsTypes: [] as readonly string[] } as Client;
    const reason = 'authorization_details_not_registered';
    await expect(readDetails(form({ type: 'photo' }), client, rules)).rejects.toMatchObject({
      ...refused,
      reason,
    });
    expect(seen).toEqual([]);
  });

  test('a schema sees the fields, and the type stays what was asked for', async () => {
    const { rules, seen } = typesOf(asIs);
    expect(await readDetails(form({ a: 1, type: 'photo' }), CLIENT, rules)).toEqual([
      { type: 'photo', a: 1 },
    ]);
    expect(seen).toEqual([{ a: 1 }]);
    const renaming = typesOf((fields) => ({ value: { ...fields, type: 'payment' } }));
    expect(await readDetails(form({ type: 'photo' }), CLIENT, renaming.rules)).toEqual([{ type: 'photo' }]);
  });

  test('a schema may add defaults, and turn text into what JSON has', async () => {
    const { rules } = typesOf(() => ({ value: { day: new Date('2030-01-01'), size: 'small' } }));
    expect(await readDetails(form({ type: 'photo', day: '2030-01-01' }), CLIENT, rules)).toEqual([
      { type: 'photo', day: '2030-01-01T00:00:00.000Z', size: 'small' },
    ]);
  });

  test.each<[string, object, object]>([
    ['at the top', { a: 1, b: 2 }, { a: 1 }],
    ['in an object', { a: { b: 1, c: 2 } }, { a: { b: 1 } }],
    ['in an object of a list', { a: [{ b: 1 }, { b: 1, c: 2 }] }, { a: [{ b: 1 }, { b: 1 }] }],
    ['of a list', { a: [1, 2] }, { a: [1] }],
    ['that became text', { a: { b: 1 } }, { a: 'b' }],
    ['that objects have anyhow', { a: { constructor: 1 } }, { a: {} }],
  ])('what a schema leaves out is unknown: a member %s', async (_where, sent, stored) => {
    const { rules } = typesOf(() => ({ value: stored }));
    await expect(readDetails(form({ type: 'photo', ...sent }), CLIENT, rules)).rejects.toMatchObject(refused);
  });

  test('what a schema has against it is not said, for it repeats what was sent', async () => {
    const { rules } = typesOf(() => ({ issues: [{ message: 'secret is no number' }] }));
    const reading = readDetails(form({ type: 'photo', a: 'secret' }), CLIENT, rules);
    await expect(reading).rejects.toMatchObject({
      ...refused,
      description: expect.not.stringMatching(/secret/),
    });
  });

  test.each<[string, Validate]>([
    ['throws', () => Promise.reject(new Error('of the host'))],
    ['gives nothing', () => ({ value: undefined })],
    ['gives a list', () => ({ value: [] })],
    ['gives text', () => ({ value: 'photo' })],
  ])('a schema that %s is a fault of the host', async (_what, validate) => {
    const { rules } = typesOf(validate);
    await expect(readDetails(form({ type: 'photo' }), CLIENT, rules)).rejects.toMatchObject({
      error: 'server_error',
    });
  });
});
