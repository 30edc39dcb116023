import { expect, it } from '@jest/globals';

import { logInPerson } from '../support/person.js';
import { siteFor } from '../support/site-for.js';

const site = siteFor({
  security: { rateLimits: false },
  scopes: {
    'cards:read': { description: 'See your cards', group: 'Payments' },
    'cards:use': { description: 'Use your cards', group: 'Payments' },
    'cards:add': { description: 'Add a card', group: 'Payments' },
    albums: { description: 'See your albums', group: 'Pictures' },
    friends: { description: 'See your friends', group: 'Friends' },
    lonely: { description: 'See this' },
  },
});

it('the form of an application groups the scopes under the headings of the consent page', async () => {
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
