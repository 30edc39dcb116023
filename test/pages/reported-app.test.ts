import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import { carryValue } from '../../lib/core/http/carried-text.js';
import {
  createPerson,
  hiddenFields,
  logInPerson,
  pageAfter,
  type Person,
  postForm,
} from '../support/person.js';
import { openSite } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { obtainTokens } from '../support/tokens.js';

const LIST = '/oauth/authorizations';
let ada: Person;
let reported: { readonly report: unknown; readonly by: unknown }[];
let failure: Error | undefined;

const site = siteFor({
  pages: {
    onReport: async (report, { user }) => {
      await Promise.resolve();
      if (failure) throw failure;
      reported.push({ report, by: user });
    },
  },
});
const shop = fixture(() => site.client({ name: 'Shop' }));

beforeAll(async () => {
  await obtainTokens(site, shop);
});
beforeEach(async () => {
  [reported, failure] = [[], undefined];
  // each person has a limit of reports
  ada = await logInPerson(site);
});

const path = () => `${LIST}/${shop.clientId}`;

async function send(report: string, fields: Record<string, string> = {}): Promise<Response> {
  const page = await ada.agent.get(path());
  return postForm(ada.agent, `${path()}/report`, { ...hiddenFields(page), report, ...fields });
}
const sendAndOpen = async (report: string) => pageAfter(ada.agent, await send(report));

test('a report reaches the host as plain text and an event, and the person gets a notice', async () => {
  const events: unknown[] = [];
  site.oauth.events.once('client.reported', (event) => events.push(event));
  const { status, text } = await sendAndOpen(' It says it is <b>you</b>.\r\nNo!\u202e\u0007\ud83d\ude00 ');
  expect([status, text]).toEqual([
    200,
    expect.stringContaining('Your report about <strong><bdi>Shop</bdi></strong> was sent'),
  ]);
  expect(reported).toEqual([
    {
      report: { userId: 'ada', clientId: shop.clientId, text: 'It says it is <b>you</b>.\nNo!\ud83d\ude00' },
      by: { id: 'ada', name: 'Name of ada' },
    },
  ]);
  expect(events).toMatchObject([{ type: 'client.reported', userId: 'ada', clientId: shop.clientId }]);
  expect(JSON.stringify(events)).not.toContain('No!');
  expect((await ada.agent.get(path())).text).not.toContain('was sent');
});

test.each([
  ['no text', '  ', 'Please write what happened.'],
  ['1,001 characters', 'x'.repeat(1001), 'That is too long. 1,000 characters are possible.'],
])('a report with %s is refused and shown again', async (_what, typed, terms) => {
  const page = await sendAndOpen(typed);
  expect([page.status, page.text]).toEqual([422, expect.stringContaining(terms)]);
  expect(page.text).toContain(`\n${typed.trim()}</textarea>`);
  expect(reported).toEqual([]);
});

test('a report that the host could not take is shown again, and the host gets the error', async () => {
  failure = new Error('no mail today');
  const page = await sendAndOpen('It is <i>bad</i>.');
  expect(page.text).toContain('The report could not be sent just now.');
  expect(page.text).toContain('\nIt is &lt;i&gt;bad&lt;/i&gt;.</textarea>');
  expect(page.text).not.toContain('no mail today');
  expect(site.errors.at(-1)).toMatchObject({ endpoint: 'authorizations', error: 'server_error' });
});

test('a report of an ended session is shown again', async () => {
  const page = await send('It is bad.', { csrf_token: '' });
  expect([page.status, page.text]).toEqual([403, expect.stringContaining('\nIt is bad.</textarea>')]);
  expect(page.text).toContain('This page was open for too long');
  const { agent } = createPerson(site);
  const out = await postForm(agent, `${path()}/report`, { report: 'It is bad.' })
    .set('Origin', site.url)
    .set('Sec-Fetch-Site', 'same-origin');
  const displayed = carryValue('It is bad.');
  expect([out.status, out.text]).toEqual([403, expect.stringContaining(`value="${displayed}"`)]);
  expect(reported).toEqual([]);
});

test('an app that is not connected cannot be reported', async () => {
  const grace = await logInPerson(site, 'grace');
  const fields = hiddenFields(await grace.agent.get('/oauth/applications/new'));
  const sent = await postForm(grace.agent, `${path()}/report`, { ...fields, report: 'Bad.' });
  expect([sent.status, reported]).toEqual([404, []]);
});

test('more than ten reports in an hour are refused, and the text is shown again', async () => {
  let page = await sendAndOpen('Again.');
  for (let times = 0; times < 10 && page.status === 200; times += 1) page = await sendAndOpen('Again.');
  expect([page.status, page.text]).toEqual([422, expect.stringContaining('You have sent many reports.')]);
  expect(page.text).toContain('\nAgain.</textarea>');
  expect(reported.length).toBeLessThanOrEqual(10);
});

test('without onReport there is no form, and a report is refused', async () => {
  await using other = await openSite();
  const client = await other.client();
  await obtainTokens(other, client);
  const person = await logInPerson(other);
  const page = await person.agent.get(`${LIST}/${client.clientId}`);
  expect(page.text).not.toContain('report-form');
  const sent = await postForm(person.agent, `${LIST}/${client.clientId}/report`, {
    ...hiddenFields(page),
    report: 'Bad.',
  });
  expect(sent.status).toBe(404);
});
