import { describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../../lib/index.js';
import {
  ACCOUNTS,
  BUDGET,
  DETAIL_TYPES,
  detailsParameter,
  IDENTITY,
  PAYMENT,
  TRANSFER,
} from '../../support/authorization-details.js';
import {
  decideOn,
  DEVICE_CODE,
  deviceClient,
  personOf,
  poll,
  startDevice,
  typeCode,
} from '../../support/device.js';
import {
  type Choice,
  codeQuery,
  hiddenFields,
  locationOf,
  logInPerson,
  type Person,
  type Query,
} from '../../support/person.js';
import { siteFor } from '../../support/site-for.js';
import { redeem } from '../../support/tokens.js';

let client: ClientWithSecret;

const site = siteFor({
  authorizationDetails: DETAIL_TYPES,
  grantTypes: ['authorization_code', 'refresh_token', 'implicit', DEVICE_CODE],
});
async function start(options = {}): Promise<Person> {
  client = await site.client(options);
  const person = await logInPerson(site);
  return person;
}

const query = (...details: object[]) => codeQuery(client, { state: 'xyz', ...detailsParameter(...details) });
async function granted(person: Person, requested: Query, choice?: Choice): Promise<unknown> {
  const { searchParams } = await person.authorize(requested, choice);
  if (searchParams.get('error') !== null) return searchParams.get('error');
  const { body } = await redeem(site, client, searchParams.get('code') ?? '').expect(200);
  return (body as Record<string, unknown>).authorization_details ?? body;
}

describe('§3 the person', () => {
  test('the consent page shows authorization details as plain text in the language of the person [3.1-3] [12-3]', async () => {
    const person = await start();
    const evil = { ...PAYMENT, creditor: '<script>alert(1)</script>\u202egnihtemos' };
    const page = await person.openAuthorize({ ...query(evil, IDENTITY), scope: 'photos:read' });
    expect(page.text).toContain('See your photos');
    expect(page.text).toContain('Pay 20.00 EUR');
    expect(page.text).toContain('To &lt;script&gt;alert(1)&lt;/script&gt; gnihtemos');
    expect(page.text).not.toContain('<script>alert');
    const german = await person.openAuthorize({ ...query(PAYMENT), ui_locales: 'de' });
    expect(german.text).toContain('20.00 EUR zahlen');
  });

  test('a person may deselect optional authorization details only [7.1-1]', async () => {
    const person = await start();
    const requested = query(PAYMENT, ACCOUNTS, IDENTITY);
    expect(await granted(person, requested, { details: ['1'] })).toEqual([ACCOUNTS, IDENTITY]);
    // details that were not requested cannot be selected
    expect(await granted(person, requested, { details: ['0', '7', '-1', '__proto__'] })).toEqual([
      PAYMENT,
      IDENTITY,
    ]);
  });

  test('a selected detail without scopes counts as consent, and an empty selection as a denial [3.1-2]', async () => {
    const person = await start();
    const both = { ...query(PAYMENT), scope: 'photos:read' };
    expect(await granted(person, both, { scopes: [], details: ['0'] })).toEqual([PAYMENT]);
    expect(await granted(person, both, { scopes: [], details: [] })).toBe('access_denied');
    expect(await granted(person, query(PAYMENT), { details: [] })).toBe('access_denied');
    expect(await granted(person, query(PAYMENT), { decision: 'deny' })).toBe('access_denied');
  });

  test('a form with other authorization details than its page is refused', async () => {
    const person = await start();
    const cheap = await person.openAuthorize(query(PAYMENT));
    const dear = query({ ...PAYMENT, amount: '9999.00' });
    const dearPage = await person.openAuthorize(dear);
    const { shown: displayed } = hiddenFields(cheap);
    const answer = await person.sendForm({
      ...hiddenFields(dearPage),
      shown: displayed,
      detail: '0',
      decision: 'allow',
    });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('This page was out of date');
  });

  test('a risky detail is not preselected, and needs a confirmation for an unverified client', async () => {
    const person = await start({ ownerId: 'grace' });
    const requested = query(ACCOUNTS, TRANSFER);
    expect(await granted(person, requested)).toEqual([ACCOUNTS]);
    const page = await person.openAuthorize(query(TRANSFER));
    const nothing = await person.choose(page);
    expect(nothing.text).toContain('You have ticked nothing');
    const confirm = await person.choose(page, { details: ['0'] });
    expect(confirm.text).toContain('Move all money');
    const fields = hiddenFields(confirm);
    // a confirmation is valid only for the details of its page
    const more = await person.openAuthorize(query(ACCOUNTS, TRANSFER));
    const moved = await person.sendForm({
      ...hiddenFields(more),
      confirmation_token: fields.confirmation_token,
      detail: ['0', '1'],
      decision: 'allow',
    });
    expect(moved.text).toContain('confirmation_token');
    const sent = await person.sendForm({ ...fields, decision: 'allow' });
    expect(locationOf(sent).searchParams.get('code')).not.toBeNull();
  });
});

describe('§6.1 remembered consent', () => {
  test('consent covers lesser authorization details by the comparison of the type, and no other details', async () => {
    const person = await start();
    expect(await granted(person, query(ACCOUNTS))).toEqual([ACCOUNTS]);
    const less = { ...ACCOUNTS, actions: ['list'] };
    const silent = await person.openAuthorize({ ...query(less), prompt: 'none' });
    expect(locationOf(silent).searchParams.get('code')).not.toBeNull();
    const more = { ...ACCOUNTS, actions: ['list', 'transactions'] };
    expect((await person.openAuthorize(query(more))).status).toBe(200);
    const refused = await person.openAuthorize({ ...query(more), prompt: 'none' });
    expect(locationOf(refused).searchParams.get('error')).toBe('consent_required');
    const displayed = await person.agent.get(`/oauth/authorizations/${client.clientId}`);
    expect(displayed.text).toContain('See accounts: list, balances');
    // a scope without consent is requested all the same
    expect((await person.openAuthorize({ ...query(less), scope: 'photos:read' })).status).toBe(200);
  });

  test('consent for one budget does not cover two budgets [6.1-3]', async () => {
    const person = await start();
    expect(await granted(person, query(BUDGET))).toEqual([BUDGET]);
    const silently = async (...details: object[]) =>
      locationOf(await person.openAuthorize({ ...query(...details), prompt: 'none' })).searchParams;
    expect((await silently(BUDGET)).get('code')).not.toBeNull();
    const twenty = Array.from({ length: 20 }, () => BUDGET);
    expect((await silently(...twenty)).get('error')).toBe('consent_required');
    // two budgets of one request are remembered, and a later consent to one budget does not change that
    const both = { ...query(BUDGET, BUDGET), prompt: 'consent' };
    expect(await granted(person, both)).toEqual([BUDGET, BUDGET]);
    expect(await granted(person, { ...query(BUDGET), prompt: 'consent' })).toEqual([BUDGET]);
    expect((await silently(BUDGET, BUDGET)).get('code')).not.toBeNull();
    expect((await silently(BUDGET, BUDGET, BUDGET)).get('error')).toBe('consent_required');
  });

  test('a payment needs consent each time', async () => {
    const person = await start();
    expect(await granted(person, query(PAYMENT))).toEqual([PAYMENT]);
    expect((await person.openAuthorize(query(PAYMENT))).status).toBe(200);
    expect((await person.openAuthorize(query(ACCOUNTS, PAYMENT))).status).toBe(200);
    // a stored detail of a type that no longer compares does not count
    await site.database
      .collection('oauth_consents')
      .updateOne({ clientId: client.clientId }, { $set: { authorizationDetails: [PAYMENT] } });
    expect((await person.openAuthorize(query(PAYMENT))).status).toBe(200);
  });

  test('a denial ends the consent for authorization details, and not for scopes', async () => {
    const person = await start();
    await granted(person, { ...query(ACCOUNTS), scope: 'photos:read' });
    expect((await person.openAuthorize(query(ACCOUNTS))).status).toBe(302);
    const page = await person.openAuthorize({ ...query(ACCOUNTS), prompt: 'consent' });
    await person.choose(page, { decision: 'deny' });
    expect((await person.openAuthorize(query(ACCOUNTS))).status).toBe(200);
    const { authorization_details: _left, ...plain } = query();
    expect((await person.openAuthorize({ ...plain, scope: 'photos:read' })).status).toBe(302);
  });

  test('a revocation ends the consent for authorization details', async () => {
    const person = await start();
    await granted(person, query(ACCOUNTS));
    await site.oauth.grants.revoke({ userId: 'ada', clientId: client.clientId });
    expect((await person.openAuthorize(query(ACCOUNTS))).status).toBe(200);
  });

  test('a trusted client gets the requested authorization details without consent', async () => {
    const person = await start({ trusted: true });
    expect(await granted(person, query(PAYMENT))).toEqual([PAYMENT]);
  });
});

describe('§3 other grants', () => {
  test('a person decides on each detail of a device [3.1-3]', async () => {
    const device = await deviceClient(site);
    const requested = await startDevice(site, device, detailsParameter(PAYMENT, ACCOUNTS));
    const person = await personOf(site);
    expect((await typeCode(person, requested.user_code)).text).toContain('To Merchant A');
    await decideOn(person, requested, { details: ['1'] });
    const { body } = await poll(site, device, requested).expect(200);
    expect(body).toMatchObject({ authorization_details: [ACCOUNTS] });
    expect(body.scope).toBeUndefined();
  });

  test('an implicit response has authorization details as JSON in the fragment [7-1]', async () => {
    const person = await start();
    const { hash } = await person.authorize({ ...query(PAYMENT), response_type: 'token' });
    expect(JSON.parse(new URLSearchParams(hash.slice(1)).get('authorization_details') ?? '')).toEqual([
      PAYMENT,
    ]);
  });
});
