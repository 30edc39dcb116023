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
  // each has reports of her own to send
  ada = await logInPerson(site);
});

const path = () => `${LIST}/${shop.clientId}`;

async function send(report: string, fields: Record<string, string> = {}): Promise<Response> {
  const page = await ada.agent.get(path());
  return postForm(ada.agent, `${path()}/report`, { ...hiddenFields(page), report, ...fields });
}
const sendAndOpen = async (report: string) => pageAfter(ada.agent, await send(report));

test('the host is told of an app that is reported, in plain text, and the person that it was sent', async () => {
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
  ['nothing', '  ', 'Please write what happened.'],
  ['too much', 'x'.repeat(1001), 'That is too long. 1,000 characters are possible.'],
])('with %s it is refused, and what was typed is still there', async (_what, typed, terms) => {
  const page = await sendAndOpen(typed);
  expect([page.status, page.text]).toEqual([422, expect.stringContaining(terms)]);
  expect(page.text).toContain(`\n${typed.trim()}</textarea>`);
  expect(reported).toEqual([]);
});

test('what the host could not take can be sent again, and the host is told why', async () => {
  failure = new Error('no mail today');
  const page = await sendAndOpen('It is <i>bad</i>.');
  expect(page.text).toContain('The report could not be sent just now.');
  expect(page.text).toContain('\nIt is &lt;i&gt;bad&lt;/i&gt;.</textarea>');
  expect(page.text).not.toContain('no mail today');
  expect(site.errors.at(-1)).toMatchObject({ endpoint: 'authorizations', error: 'server_error' });
});

test('a form of an ended session is shown again, with what was typed', async () => {
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

test('nobody reports what they have not connected', async () => {
  const grace = await logInPerson(site, 'grace');
  const fields = hiddenFields(await grace.agent.get('/oauth/applications/new'));
  const sent = await postForm(grace.agent, `${path()}/report`, { ...fields, report: 'Bad.' });
  expect([sent.status, reported]).toEqual([404, []]);
});

test('more than ten in an hour are too many: those before were told of, and the text is not lost', async () => {
  let page = await sendAndOpen('Again.');
  for (let times = 0; times < 10 && page.status === 200; times += 1) page = await sendAndOpen('Again.');
  expect([page.status, page.text]).toEqual([422, expect.stringContaining('You have sent many reports.')]);
  expect(page.text).toContain('\nAgain.</textarea>');
  expect(reported.length).toBeLessThanOrEqual(10);
});

test('without the option there is no such form, and none is taken', async () => {
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
