import { describe, expect, test } from '@jest/globals';

import { readDetails } from '../../lib/core/authorization-details/read-details.js';
import type { Client } from '../../lib/core/clients/client.js';

type Validate = (fields: object) => unknown;

/** A server with one type, and the inputs of its schema. */
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
  test('a request without the parameter has no details', async () => {
    expect(await readDetails(undefined, CLIENT, typesOf(asIs).rules)).toBeUndefined();
  });

  test('a server without types ignores the parameter, whatever its value (RFC 6749 §3.1)', async () => {
    const rules = { authorizationDetails: new Map() };
    expect(await readDetails('nonsense', CLIENT, rules)).toBeUndefined();
  });

  test('no schema is called if a type is unknown, or not the client’s', async () => {
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

  test('a schema gets the fields, and the type stays as requested', async () => {
    const { rules, seen } = typesOf(asIs);
    expect(await readDetails(form({ a: 1, type: 'photo' }), CLIENT, rules)).toEqual([
      { type: 'photo', a: 1 },
    ]);
    expect(seen).toEqual([{ a: 1 }]);
    const renaming = typesOf((fields) => ({ value: { ...fields, type: 'payment' } }));
    expect(await readDetails(form({ type: 'photo' }), CLIENT, renaming.rules)).toEqual([{ type: 'photo' }]);
  });

  test('a schema may add defaults, and convert text into JSON values', async () => {
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
    ['that all objects have', { a: { constructor: 1 } }, { a: {} }],
  ])('a member that a schema drops is refused as unknown: %s', async (_where, sent, stored) => {
    const { rules } = typesOf(() => ({ value: stored }));
    await expect(readDetails(form({ type: 'photo', ...sent }), CLIENT, rules)).rejects.toMatchObject(refused);
  });

  test('the issues of a schema are not in the error, for they repeat the input', async () => {
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
  ])('a schema that %s is a server_error', async (_what, validate) => {
    const { rules } = typesOf(validate);
    await expect(readDetails(form({ type: 'photo' }), CLIENT, rules)).rejects.toMatchObject({
      error: 'server_error',
    });
  });
});
