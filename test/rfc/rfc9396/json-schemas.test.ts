import { expect, test } from '@jest/globals';

import { detailsParameter } from '../../support/authorization-details.js';
import { push } from '../../support/pushed-requests.js';
import { openSite } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { obtainCode, redeem } from '../../support/tokens.js';

const TRANSFER = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A transfer',
  type: 'object',
  properties: {
    amount: { type: 'string', pattern: '^\\d+\\.\\d\\d$', maxLength: 12 },
    currency: { type: 'string', enum: ['EUR', 'USD'] },
    on: { type: 'string', format: 'date' },
    copies: { type: 'integer', minimum: 1, maximum: 3 },
    to: { $ref: '#/$defs/account' },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2, uniqueItems: true },
    by: { oneOf: [{ const: 'post' }, { $ref: '#/$defs/account' }] },
  },
  required: ['amount', 'currency', 'to'],
  additionalProperties: false,
  $defs: {
    account: {
      type: 'object',
      properties: { iban: { type: 'string', minLength: 5 } },
      required: ['iban'],
      additionalProperties: false,
    },
  },
};
const RIGHT = { type: 'transfer', amount: '20.00', currency: 'EUR', to: { iban: 'DE123' } };
const describeIt = () => 'Transfer money';

const site = siteFor({
  pushedRequests: true,
  authorizationDetails: { transfer: { schema: TRANSFER, describe: describeIt } },
});
const client = fixture(() => site.client());

test('a detail that matches a JSON Schema is granted unchanged', async () => {
  const full = { ...RIGHT, on: '2026-11-30', copies: 2, tags: ['a', 'b'], by: { iban: 'DE999' } };
  const code = await obtainCode(site, client, { query: detailsParameter(full) });
  expect((await redeem(site, client, code)).body.authorization_details).toEqual([full]);
});

test.each([
  ['an unknown field [5-2]', { ...RIGHT, urgent: true }],
  ['a nested unknown field [5-2]', { ...RIGHT, to: { iban: 'DE123', bic: 'X' } }],
  ['a wrong type [5-3]', { ...RIGHT, amount: 20 }],
  ['another pattern [5-4]', { ...RIGHT, amount: '20' }],
  ['a value that is not listed [5-4]', { ...RIGHT, currency: 'XYZ' }],
  ['an impossible date [5-4]', { ...RIGHT, on: '2026-02-30' }],
  ['a number beyond its bounds [5-4]', { ...RIGHT, copies: 4 }],
  ['a fraction [5-4]', { ...RIGHT, copies: 1.5 }],
  ['a list that is too long [5-4]', { ...RIGHT, tags: ['a', 'b', 'c'] }],
  ['a repeated item [5-4]', { ...RIGHT, tags: ['a', 'a'] }],
  ['a value outside oneOf [5-4]', { ...RIGHT, by: 'pigeon' }],
  ['a value that a reference forbids [5-4]', { ...RIGHT, to: { iban: 'DE' } }],
  ['a missing field [5-5]', { type: 'transfer', amount: '20.00', currency: 'EUR' }],
])('a detail with %s is refused', async (_what, detail) => {
  await push(site, client, detailsParameter(detail)).expect(400, /invalid_authorization_details/);
});

const withField = (field: object) => ({ ...TRANSFER, properties: { ...TRANSFER.properties, field } });

test.each<[string, object, RegExp]>([
  ['additional properties', { ...TRANSFER, additionalProperties: undefined }, /must be false/],
  ['another draft', { ...TRANSFER, $schema: 'http://json-schema.org/draft-07/schema#' }, /\$schema/],
  ['an unknown keyword', withField({ type: 'string', minLenght: 3 }), /field: .*minLenght/],
  ['a condition', { ...TRANSFER, if: {}, then: {} }, /"if", "then"/],
  ['a limit that is no number', withField({ type: 'string', minLength: '3' }), /field: minLength/],
  ['a limit of another type', withField({ type: 'number', minLength: 3 }), /field: .*minLength/],
  ['a limit without a type', withField({ minLength: 3 }), /field: it needs one type of object/],
  ['several types', withField({ type: ['string', 'null'] }), /field: it needs one type of object/],
  ['an unknown format', withField({ type: 'string', format: 'iban' }), /field: format/],
  ['a pattern with the flag u', withField({ type: 'string', pattern: '^\\p{L}+$' }), /field: pattern/],
  ['an invalid pattern', withField({ type: 'string', pattern: '(' }), /regular expression/],
  ['a value of another type', withField({ type: 'integer', enum: [1, 1.5] }), /not of its type/],
  ['a default', withField({ type: 'string', default: 'x' }), /field: .*default/],
  ['a limit beside a reference', withField({ $ref: '#/$defs/account', minProperties: 2 }), /minProperties/],
  ['a reference to nothing', withField({ $ref: '#/$defs/nothing' }), /not found/],
  ['a list of anything', withField({ type: 'array' }), /field: items/],
  ['a wrong schema in a list', withField({ type: 'array', items: { minLength: 1 } }), /field, items: /],
  ['a wrong schema among several', withField({ anyOf: [{ type: 'string' }, { not: {} }] }), /field, 1: /],
  ['a wrong referenced schema', { ...TRANSFER, $defs: { account: { not: {} } } }, /account: /],
  ['an unknown required field', { ...TRANSFER, required: ['sum'] }, /required/],
  ['the type array', { type: 'array', items: { type: 'string' } }, /type must be 'object'/],
  ['a property named type', withFieldNamed('type'), /take 'type' out/],
])('the server does not start with a JSON Schema with %s', async (_what, schema, message) => {
  const opened = openSite({
    authorizationDetails: { transfer: { schema: schema as never, describe: describeIt } },
  });
  await expect(opened).rejects.toThrow(message);
  await expect(opened).rejects.toThrow(
    /^authorizationServer: the option authorizationDetails.transfer.schema/,
  );
});

function withFieldNamed(name: string): object {
  return { ...TRANSFER, properties: { ...TRANSFER.properties, [name]: { type: 'string' } } };
}
