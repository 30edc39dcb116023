import { beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';

import type { ClientWithSecret } from '../../lib/index.js';
import { detailsParameter } from '../support/authorization-details.js';
import {
  codeQuery,
  hiddenFields,
  locationOf,
  logInPerson,
  type Person,
  tickedScopes,
} from '../support/person.js';
import { siteFor } from '../support/site-for.js';
import { redeem, refreshTokens } from '../support/tokens.js';

const value = z.union([z.string(), z.number(), z.looseObject({})]);
const transfer = { type: 'transfer' };
const NOTHING = 'There is nothing here that you could choose, so it cannot be allowed.';
let client: ClientWithSecret;
let person: Person;

const site = siteFor({
  authorizationDetails: {
    transfer: {
      schema: z.strictObject({
        accounts: z.array(value).optional(),
        from: value.optional(),
        max: value.optional(),
      }),
      describe: () => 'Move money',
      compare: () => true,
      choices: {
        accounts: {
          label: 'Which accounts?',
          multiple: true,
          optional: true,
          list: () => [123, 456, 789].map((id) => ({ value: id as never, label: `Account ${id}` })),
        },
        from: {
          label: 'From which?',
          optional: true,
          list: () => ['123', '456'].map((id) => ({ value: id, label: `From ${id}` })),
        },
        max: { label: 'At most?', optional: true, number: { min: 10, max: 100, step: 0.5, default: 50 } },
      },
    },
  },
});
beforeEach(async () => {
  client = await site.client();
  person = await logInPerson(site);
});

const openFor = (named: object) =>
  person.openAuthorize(codeQuery(client, { state: 'xyz', ...detailsParameter({ ...transfer, ...named }) }));
async function allow(named: object, selected: object) {
  const page = await openFor(named);
  const detail = tickedScopes(page, 'detail');
  return person.sendForm({ ...hiddenFields(page), detail, decision: 'allow', ...selected });
}
async function tokensFor(named: object, selected: object) {
  const code = locationOf(await allow(named, selected)).searchParams.get('code') ?? '';
  const { body } = await redeem(site, client, code).expect(200);
  return body as { readonly authorization_details: object[]; readonly refresh_token: string };
}

describe('numbers of a client in a detail', () => {
  test('numbers in a detail are offered as a list and granted, and can be requested again', async () => {
    const named = { accounts: [123, 456, 999] };
    const page = await openFor(named);
    expect(page.text).toContain('Account 123');
    expect(page.text).not.toContain('Account 789');
    expect((await allow(named, { 'choice-0-accounts': ['789'] })).status).toBe(422);
    const tokens = await tokensFor(named, { 'choice-0-accounts': ['456', '123'] });
    expect(tokens.authorization_details).toEqual([{ ...transfer, accounts: [456, 123] }]);
    const less = { ...transfer, accounts: [123] };
    const { body } = await refreshTokens(site, client, tokens.refresh_token, {
      ...detailsParameter(less),
    }).expect(200);
    expect(body.authorization_details).toEqual([less]);
  });

  test.each<[string, object, object]>([
    ['one of a list', { from: 123 }, { 'choice-0-from': '123' }],
    ['a number', { max: 20 }, { 'choice-0-max': '20' }],
    ['a number that is text', { max: '20' }, { 'choice-0-max': '20' }],
    ['text', { from: '123' }, { 'choice-0-from': '123' }],
  ])('a value in a detail retains its type: %s', async (_what, named, selected) => {
    const tokens = await tokensFor(named, selected);
    expect(tokens.authorization_details).toEqual([{ ...transfer, ...named }]);
    // a second request needs no consent
    expect(locationOf(await openFor(named)).searchParams.get('code')).toEqual(expect.any(String));
  });
});

describe('a number of a client as the limit of a choice', () => {
  test('a number in a detail is the maximum of the choice, and people may choose less', async () => {
    const { text } = await openFor({ max: 20 });
    expect(text).toMatch(/<input [^>]*name="choice-0-max" value="" min="10" max="20" step="0.5"/);
    for (const more of ['20.5', '100'])
      expect((await allow({ max: 20 }, { 'choice-0-max': more })).status).toBe(422);
    const tokens = await tokensFor({ max: 20 }, { 'choice-0-max': '12.5' });
    expect(tokens.authorization_details).toEqual([{ ...transfer, max: 12.5 }]);
  });

  test('the default of a choice stays if it is within the number of the client', async () => {
    expect((await openFor({ max: 60 })).text).toMatch(/value="50" min="10" max="60"/);
    expect((await openFor({ max: 500 })).text).toMatch(/value="50" min="10" max="100"/);
  });

  test.each<[string, object]>([
    ['less than the minimum', { max: 5 }],
    ['no number', { max: 'all' }],
    ['an object', { max: { amount: 5 } }],
    ['an object in a list', { accounts: [{ id: 123 }] }],
  ])('an impossible value in a detail cannot be allowed: %s', async (_what, named) => {
    expect((await openFor(named)).text).toContain(NOTHING);
    const [name] = Object.keys(named);
    for (const selected of ['5', '10', '123'])
      expect((await allow(named, { [`choice-0-${name}`]: selected })).status).toBe(422);
  });
});
