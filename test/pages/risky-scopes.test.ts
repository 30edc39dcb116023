import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import {
  decideDevice,
  deviceClient,
  openDeviceSite,
  PAGE,
  poll,
  startDevice,
  typeCode,
} from '../support/device.js';
import {
  codeQuery,
  hiddenFields,
  locationOf,
  logInPerson,
  postForm,
  tickedScopes,
} from '../support/person.js';
import { fixture } from '../support/site-for.js';
import { redeem } from '../support/tokens.js';

const SCOPES = {
  'photos:read': 'See your photos',
  'photos:write': { description: 'Add and delete photos', implies: ['photos:read'] },
  'cards:charge': { description: 'Charge your card', details: 'Up to 50 € a month.', risk: 'high' },
  profile: { description: 'See your name', optional: false },
} as const;

let shop: ClientWithSecret;
const site = fixture(() =>
  openDeviceSite({ siteName: 'Lantern', scopes: SCOPES, security: { rateLimits: false } }),
);
const ada = fixture(() => logInPerson(site));
beforeEach(async () => {
  shop = await site.client();
});

const queryOf = (scope: string, client = shop) => codeQuery(client, { scope });
const open = (scope: string, client = shop) => ada.openAuthorize(queryOf(scope, client));
/** Allows the scopes of the page, and confirms them if necessary. */
async function confirm(page: Response): Promise<Response> {
  const granted = [...page.text.matchAll(/type="hidden" name="granted_scope" value="([^"]+)"/g)].map(
    ([, scope]) => scope,
  );
  return ada.sendForm({ ...hiddenFields(page), granted_scope: granted, decision: 'allow' });
}
const scopeOf = async (response: Response, client = shop) =>
  (await redeem(site, client, locationOf(response).searchParams.get('code') ?? '')).body.scope;
const isConfirmation = ({ status, text }: Response) =>
  status === 200 && text.includes('id="consent-confirm"');

describe('a high-risk scope', () => {
  it('a high-risk scope comes first, marked and unticked, with its details', async () => {
    const { text } = await open('photos:read cards:charge');
    expect(text.indexOf('Charge your card')).toBeLessThan(text.indexOf('See your photos'));
    expect(text).toMatch(/eas-high-mark">Can do harm</);
    expect(text).toContain('Up to 50 € a month.');
    expect(tickedScopes({ text })).toEqual(['photos:read']);
  });

  it('a high-risk scope is unticked even if it was allowed before', async () => {
    await confirm(await ada.choose(await open('cards:charge'), { scopes: ['cards:charge'] }));
    const again = await ada.openAuthorize({ ...queryOf('cards:charge photos:read'), prompt: 'consent' });
    expect(again.text).toContain('You already allow it to:');
    expect(tickedScopes(again)).toEqual(['photos:read']);
  });

  it('an unverified application gets a high-risk scope only after a confirmation page', async () => {
    const page = await open('photos:read cards:charge');
    const second = await ada.choose(page, { scopes: ['photos:read', 'cards:charge'] });
    expect(isConfirmation(second)).toBe(true);
    expect(second.text).toContain('Charge your card');
    expect(second.text).not.toMatch(/<li><bdi>See your photos/);
    expect(await scopeOf(await confirm(second))).toBe('photos:read cards:charge');
    // and the scope is remembered
    expect((await open('photos:read cards:charge')).status).toBe(302);
  });

  it('a high-risk scope can be denied on the confirmation page', async () => {
    const second = await ada.choose(await open('cards:charge'), { scopes: ['cards:charge'] });
    const denied = await ada.sendForm({ ...hiddenFields(second), decision: 'deny' });
    expect(locationOf(denied).searchParams.get('error')).toBe('access_denied');
  });

  it.each<[string, (second: Record<string, string>, first: Record<string, string>) => object]>([
    ['no confirmation token', (second) => ({ ...second, confirmation_token: '' })],
    ['a made-up confirmation token', (second) => ({ ...second, confirmation_token: 'x'.repeat(60) })],
    ['the token of the form', (second) => ({ ...second, confirmation_token: second.csrf_token })],
    ['only the first form', (_second, first) => first],
  ])('a decision with %s grants no high-risk scope', async (_what, fieldsOf) => {
    const page = await open('photos:read cards:charge');
    const second = await ada.choose(page, { scopes: ['cards:charge'] });
    const fields = fieldsOf(hiddenFields(second), hiddenFields(page));
    const answer = await ada.sendForm({ ...fields, granted_scope: ['cards:charge'], decision: 'allow' });
    expect(isConfirmation(answer)).toBe(true);
  });

  it('a confirmation is valid only for its scopes, application and person', async () => {
    const second = await ada.choose(await open('photos:read cards:charge'), { scopes: ['cards:charge'] });
    const { confirmation_token: token } = hiddenFields(second);
    const more = {
      ...hiddenFields(second),
      granted_scope: ['photos:read', 'cards:charge'],
      decision: 'allow',
    };
    expect(isConfirmation(await ada.sendForm(more))).toBe(true);
    const other = await site.client({ name: 'Another shop' });
    const elsewhere = {
      ...hiddenFields(await open('photos:read cards:charge', other)),
      confirmation_token: token,
      granted_scope: ['cards:charge'],
      decision: 'allow',
    };
    expect(isConfirmation(await ada.sendForm(elsewhere))).toBe(true);
  });

  it.each([{ verified: true }, { trusted: true }])(
    'a high-risk scope needs no confirmation for a client with %j',
    async (vouched) => {
      const known = await site.client(vouched);
      const page = await ada.openAuthorize({ ...queryOf('cards:charge', known), prompt: 'consent' });
      expect(tickedScopes(page)).toEqual([]);
      expect(await scopeOf(await ada.choose(page, { scopes: ['cards:charge'] }), known)).toBe('cards:charge');
    },
  );

  it('an unticked high-risk scope needs no confirmation', async () => {
    const page = await open('photos:read cards:charge');
    expect(await scopeOf(await ada.choose(page))).toBe('photos:read');
  });

  it('allowing a high-risk scope without a tick is no denial: the page asks again', async () => {
    const requested = await ada.choose(await open('cards:charge'));
    expect([requested.status, requested.text.includes('You have ticked nothing')]).toEqual([403, true]);
  });

  it('a high-risk scope of a device needs a confirmation', async () => {
    const frame = await deviceClient(site);
    const authorization = await startDevice(site, frame, { scope: 'photos:read cards:charge' });
    const first = await typeCode(ada, authorization.user_code);
    const second = await decideDevice(ada, first, { scopes: ['cards:charge'] });
    expect(isConfirmation(second)).toBe(true);
    expect((await poll(site, frame, authorization)).body.error).toBe('authorization_pending');
    const done = await postForm(ada.agent, PAGE, {
      ...hiddenFields(second),
      granted_scope: ['cards:charge'],
      decision: 'allow',
    }).redirects(1);
    expect(done.text).toContain('Your device is connected');
  });

  it('a device without granular consent confirms a high-risk scope with all others', async () => {
    const frame = await deviceClient(site, { granularConsent: false });
    const authorization = await startDevice(site, frame, { scope: 'photos:read cards:charge' });
    const first = await typeCode(ada, authorization.user_code);
    expect(first.text).not.toContain('type="checkbox"');
    const partial = await decideDevice(ada, first, { scopes: ['photos:read'] });
    expect([partial.status, partial.text.includes('This page was out of date')]).toEqual([403, true]);
    const second = await decideDevice(ada, first, { scopes: [] });
    expect(isConfirmation(second)).toBe(true);
    const granted = ['photos:read', 'cards:charge'];
    const fields = { ...hiddenFields(second), granted_scope: granted, decision: 'allow' };
    await ada.agent.post(PAGE).type('form').redirects(1).send(fields);
    expect((await poll(site, frame, authorization)).body.scope).toBe('photos:read cards:charge');
  });

  it('a device’s form without a ticked scope is no denial', async () => {
    const authorization = await startDevice(site, await deviceClient(site), { scope: 'cards:charge' });
    const requested = await decideDevice(ada, await typeCode(ada, authorization.user_code));
    expect([requested.status, requested.text.includes('You have ticked nothing')]).toEqual([403, true]);
  });
});

describe('a long list of scopes', () => {
  it.each([7, 8])('headings with numbers fold the scopes from eight on: %d', async (count) => {
    const names = Array.from({ length: count - 1 }, (_, index) => `x${index}`);
    await using large = await openDeviceSite({
      scopes: {
        ...Object.fromEntries(
          names.map((name) => [name, { description: `See ${name}`, group: { en: 'Things', de: 'Dinge' } }]),
        ),
        'cards:charge': SCOPES['cards:charge'],
      },
    });
    const person = await logInPerson(large);
    const { clientId } = await large.client();
    const { text } = await person.openAuthorize(codeQuery(clientId, { ui_locales: 'de' }));
    const folded = text.match(/<details class="eas-section"[^]*?<\/details>/g) ?? [];
    expect(folded).toHaveLength(count < 8 ? 0 : 1);
    expect(text).toContain('Dinge');
    if (count < 8) return;
    expect(folded[0]).toMatch(/<bdi>Dinge<\/bdi> <span[^>]*>7</);
    expect(folded[0]).not.toContain('Charge your card');
    expect(text).toContain('8 Berechtigungen');
    expect(tickedScopes({ text })).toEqual(names);
  });
});
