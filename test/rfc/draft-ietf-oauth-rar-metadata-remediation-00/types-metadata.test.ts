import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { z } from 'zod';

import { openSite } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { DETAILS } from './types.js';

const PATH = '/oauth/authorization_details_types';
const describeAs = () => 'Something';

const site = siteFor(() => ({
  authorizationDetails: {
    ...DETAILS,
    mandate: {
      describe: describeAs,
      schema: {
        title: 'A mandate',
        type: 'object',
        properties: { account: { type: 'string', maxLength: 20 } },
        required: ['account'],
        additionalProperties: false,
      },
    },
    dated: {
      describe: describeAs,
      schema: z.strictObject({ on: z.string().transform((text) => new Date(text)) }),
    },
    written: {
      describe: describeAs,
      schema: {
        '~standard': {
          version: 1,
          vendor: 'of the host',
          validate: (value: unknown) => ({ value }),
          jsonSchema: { input: () => ({ type: 'object', properties: { size: { type: 'number' } } }) },
        },
      },
    },
    wordless: {
      describe: describeAs,
      schema: {
        '~standard': { version: 1, vendor: 'of the host', validate: (value: unknown) => ({ value }) },
      },
    },
  },
}));

interface Described {
  readonly schema: { readonly properties: Record<string, unknown>; readonly required: string[] };
}
const typesOf = async () =>
  (await request(site.server).get(PATH).expect(200)).body as Record<string, Described>;

describe('§5 the metadata of the types', () => {
  test('the metadata names the types endpoint, which any origin may read [5-1] [5-2]', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({ authorization_details_types_metadata_endpoint: `${site.url}${PATH}` });
    const response = await request(site.server).get(PATH).set('Origin', 'https://app.example');
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(Object.keys(response.body as object)).toEqual([
      'budget',
      'voucher',
      'mandate',
      'dated',
      'written',
      'wordless',
    ]);
    await request(site.server).post(PATH).expect(405);
  });

  test('the types endpoint returns the JSON Schema of the site with the type added [5-3] [5-5] [5-6]', async () => {
    const { mandate } = await typesOf();
    expect(mandate).toEqual({
      schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: 'A mandate',
        type: 'object',
        properties: { type: { const: 'mandate' }, account: { type: 'string', maxLength: 20 } },
        required: ['type', 'account'],
        additionalProperties: false,
      },
    });
  });

  test('the types endpoint converts schemas of zod and other libraries to JSON Schema [5-5] [5-6]', async () => {
    const { budget, dated, written } = await typesOf();
    expect(budget!.schema).toMatchObject({
      type: 'object',
      properties: { type: { const: 'budget' }, to: { type: 'string', maxLength: 70 } },
      required: ['type', 'amount', 'to'],
      additionalProperties: false,
    });
    expect(dated!.schema).toMatchObject({ properties: { on: { type: 'string' } } });
    expect(written!.schema).toMatchObject({
      properties: { type: { const: 'written' }, size: { type: 'number' } },
    });
  });

  test('the types endpoint restricts only the type if a schema has no JSON Schema [5-5]', async () => {
    const { wordless } = await typesOf();
    expect(wordless!.schema).toMatchObject({
      properties: { type: { const: 'wordless' } },
      required: ['type'],
    });
  });

  test('a site without types has no types endpoint [5-1]', async () => {
    await using plain = await openSite();
    await request(plain.server).get(PATH).expect(404);
    const { body } = await request(plain.server).get('/.well-known/oauth-authorization-server');
    expect(body).not.toHaveProperty('authorization_details_types_metadata_endpoint');
  });
});
