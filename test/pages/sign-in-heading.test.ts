import { describe, expect, test } from '@jest/globals';

import { openid } from '../support/openid.js';
import { codeQuery, logInPerson } from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';

describe('the heading of the consent page', () => {
  const scopes = { 'photos:read': 'See your photos' };
  const resources = { 'https://api.photos.example': {} };
  const site = siteFor({ scopes, openid, resources });
  const granted = ['openid', 'profile', 'email', 'offline_access', 'photos:read'];
  const client = fixture(() => site.client({ name: 'Print Shop', scopes: granted }));
  const ada = fixture(() => logInPerson(site));

  const headingOf = async (scope: string, more = {}) => {
    const request = codeQuery(client, { scope, ...more });
    const { text } = await ada.openAuthorize(request);
    return /<h1[^>]*>(.*?)<\/h1>/s
      .exec(text)?.[1]
      ?.replaceAll(/<[^>]*>/g, '')
      .trim();
  };

  test.each(['openid', 'openid profile email'])('consent to %s is called a sign-in', async (scope) => {
    expect(await headingOf(scope)).toBe('Sign in to Print Shop');
  });

  test.each(['openid profile photos:read', 'openid offline_access', 'profile', 'photos:read'])(
    'the consent page calls a request for %s access to the account',
    async (scope) => {
      expect(await headingOf(scope)).toBe('Print Shop wants to access your account');
    },
  );

  test('the consent page calls a request for another API access to the account', async () => {
    const resource = 'https://api.photos.example';
    expect(await headingOf('openid profile', { resource })).toBe('Print Shop wants to access your account');
  });
});
