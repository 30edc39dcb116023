import { describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { FAILURE_MEANINGS } from '../../lib/shared/failure-reasons.js';
import { runCli } from '../support/cli.js';
import { logInPerson } from '../support/person.js';
import { REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { redeem, tokenRequest } from '../support/tokens.js';

const site = siteFor({ security: { rateLimits: false } });
const client = fixture(() => site.client({ ownerId: 'ada' }));
const ada = fixture(() => logInPerson(site, 'ada'));

const pageOf = async ({ clientId }: ClientWithSecret, language = 'en') =>
  (await ada.agent.get(`/oauth/applications/${clientId}`).set('Accept-Language', language).expect(200)).text;
const listIn = (page: string) =>
  [
    ...(/<ul [^>]*id="application-failures">[^]*?<\/ul>/.exec(page)?.[0] ?? '').matchAll(
      /<li>([^]*?)<\/li>/g,
    ),
  ].map(([, item = '']) =>
    item
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );

describe('the page of an application lists the refusals of the last day', () => {
  test('an application without refusals has no list of them', async () => {
    expect(await pageOf(client)).not.toContain('application-failures');
  });

  test('refusals stand by frequency, each with a remedy, before the secrets', async () => {
    await redeem(site, client, 'eas_ac_nonsense');
    for (const clientSecret of ['wrong', 'wrong as well', 'once more'])
      await tokenRequest(site, { ...client, clientSecret }, { grant_type: 'client_credentials' });
    await ada.agent.get(
      `/oauth/authorize?response_type=code&client_id=${client.clientId}&redirect_uri=${REDIRECT_URI}/other`,
    );
    const page = await pageOf(client);
    expect(listIn(page)).toEqual([
      'The client secret was wrong. Check that your server has the newest one. 3 times wrong_client_secret',
      'The redirect_uri is none of those above. It must be the same to the last character. once redirect_uri_mismatch',
      'There is no such code, or it is long gone. Redeem it at once, unchanged. once code_unknown',
    ]);
    expect(page.indexOf('application-failures')).toBeLessThan(page.indexOf('secrets-heading'));
  });

  test('refusals are in English, and marked so, on a page in another language', async () => {
    const page = await pageOf(client, 'de');
    expect(listIn(page)[0]).toMatch(/^The client secret was wrong\..* 3-mal /);
    expect(page).toContain('<p dir="ltr" lang="en">The client secret was wrong.');
  });

  test('an application has no refusals of another one, and nobody else sees them', async () => {
    const other = await site.client({ ownerId: 'ada' });
    expect(await pageOf(other)).not.toContain('application-failures');
    const grace = await logInPerson(site, 'grace');
    const { status, text } = await grace.agent.get(`/oauth/applications/${client.clientId}`);
    expect([status, text.includes('wrong_client_secret')]).toEqual([404, false]);
  });

  test('`clients show` lists the refusals of an application', async () => {
    const show = (...args: string[]) =>
      runCli(['clients', 'show', client.clientId, ...args], { uri: site.database.uri });
    const { stdout } = await show();
    expect(stdout).toMatch(
      /\n\nREFUSED +REASON +IN THE LAST DAY\n3 +wrong_client_secret +The client secret was wrong\./,
    );
    expect(JSON.parse((await show('--json')).stdout)).toMatchObject({
      clientId: client.clientId,
      failures: { wrong_client_secret: 3, redirect_uri_mismatch: 1, code_unknown: 1 },
    });
    const other = await site.client();
    const quiet = await runCli(['clients', 'show', other.clientId], { uri: site.database.uri });
    expect(quiet.stdout).not.toContain('REFUSED');
  });
});

test('each reason of a refusal has a different explanation', () => {
  const meanings = Object.values(FAILURE_MEANINGS);
  expect(new Set(meanings).size).toBe(meanings.length);
});
