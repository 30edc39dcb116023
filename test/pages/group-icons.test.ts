import { expect, it } from '@jest/globals';

import type { AuthorizationServerOptions } from '../../lib/index.js';
import { GROUP_ICONS } from '../../lib/settings/pages/group-icons.js';
import { codeQuery, logInPerson } from '../support/person.js';
import { openSite } from '../support/site.js';
import { siteFor } from '../support/site-for.js';

const SCOPES: AuthorizationServerOptions['scopes'] = {
  'cards:read': { description: 'See your cards', group: 'Payments' },
  'cards:use': { description: 'Use your cards', group: 'Payments', icon: 'card' },
  'cards:add': { description: 'Add a card', group: 'Payments', icon: 'bell' },
  albums: { description: 'See your albums', group: 'Pictures', icon: '/icons/albums.svg?v=1&x=2' },
  friends: { description: 'See your friends', group: 'Friends' },
  lonely: { description: 'See this', icon: 'heart' },
};
const site = siteFor({ security: { rateLimits: false }, scopes: SCOPES });

async function headings(scopes: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const person = await logInPerson(site);
  const { clientId } = await site.client({ scopes });
  const { text, headers } = await person.openAuthorize(codeQuery(clientId, { scope: scopes.join(' ') }));
  expect(headers['content-security-policy']).toMatch(/img-src 'self'(;|$)/);
  return Object.fromEntries(
    [...text.matchAll(/class="eas-section-heading">([^]*?)<bdi>([^<]*)</g)].map(
      ([, icon = '', heading = '']) => [heading, icon.trim()],
    ),
  );
}

it('a group has the picture of its first scope that has one: lines of ours, or a picture of the site', async () => {
  const displayed = await headings(Object.keys(SCOPES));
  expect(displayed).toEqual({
    Payments: expect.stringMatching(/^<svg class="eas-icon" aria-hidden="true" [^>]*stroke="currentColor"/),
    Pictures: '<img class="eas-icon" src="/icons/albums.svg?v=1&amp;x=2" alt="">',
    Friends: '',
  });
  expect(displayed.Payments).toContain(`<path d="${GROUP_ICONS.card}"/>`);
});

it('the form of an application has the scopes under the same headings', async () => {
  const { agent } = await logInPerson(site);
  const { text } = await agent.get('/oauth/applications/new').expect(200);
  const listed = text.matchAll(/eas-section-heading"><bdi>([^<]*)<|name="scope" value="([^"]*)"/g);
  expect([...listed].map(([, heading, scope]) => heading ?? scope)).toEqual([
    'lonely',
    'Payments',
    'cards:read',
    'cards:use',
    'cards:add',
    'Pictures',
    'albums',
    'Friends',
    'friends',
  ]);
});

it('a picture is that of what is asked for', async () => {
  expect(await headings(['cards:read', 'friends'])).toEqual({ Payments: '', Friends: '' });
});

it.each([
  'kart',
  '',
  'constructor',
  'https://cdn.example/card.svg',
  '//cdn.example/card.svg',
  '/\\\\cdn.example/card.svg',
  'javascript:alert(1)',
  'data:image/svg+xml,x',
  '/card.svg" onerror="x',
  '/a b.svg',
])('what is neither a name nor a path of the site is refused at the start: %j', async (icon) => {
  await expect(
    openSite({ scopes: { cards: { description: 'See your cards', group: 'Payments', icon } } }),
  ).rejects.toThrow(
    /the option scopes\.cards\.icon must be bell, calendar, .* or the path of a picture on this site/,
  );
});
