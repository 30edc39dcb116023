import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';

import {
  codeQuery,
  createPerson,
  errorOf,
  hiddenFields,
  locationOf,
  logInPerson,
  pendingRequestOf,
  type Person,
  type Query,
} from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';

const site = siteFor({ security: { rateLimits: false } });
const client = fixture(() => site.client({ name: 'Printing shop' }));
const ada = fixture(() => personOf());

beforeAll(async () => {
  await ada.authorize(requestOf());
});

const requestOf = (more: Query = {}): Query => codeQuery(client, { state: 'x y', ...more });
async function personOf(name = 'ada'): Promise<Person> {
  const person = await logInPerson(site, name);
  return person;
}
const pageOf = ({ text }: Response) =>
  /<form[^>]* id="(account|consent)-form"/.exec(
    text.replace(/<form class="eas-account-switch"[^>]*>/, ''),
  )?.[1];
const send = (person: Person, page: Response, fields: Record<string, unknown>) =>
  person.sendForm({ ...hiddenFields(page), ...fields });
const wayBack = (response: Response) =>
  new URL(locationOf(response).searchParams.get('return_to') ?? '', 'http://same.invalid').searchParams;

describe('prompt=none (OpenID Connect Core §3.1.2.1)', () => {
  it('prompt=none gives a code at once with a stored consent', async () => {
    expect(
      locationOf(await ada.openAuthorize(requestOf({ prompt: 'none' }))).searchParams.get('code'),
    ).toMatch(/./);
  });

  it('prompt=none without a login is login_required, without a login page', async () => {
    const response = await createPerson(site).openAuthorize(requestOf({ prompt: 'none' }));
    expect(errorOf(response)).toBe('login_required');
    expect(response.headers.location).toMatch(/^https:\/\/print\.example\/callback\?/);
    expect(locationOf(response).searchParams.get('state')).toBe('x y');
  });

  it('prompt=none for more than the stored consent is consent_required', async () => {
    const response = await ada.openAuthorize(requestOf({ scope: 'photos:read', prompt: 'none' }));
    expect(locationOf(response).searchParams.get('code')).toMatch(/./);
    const some = await site.client();
    await ada.authorize(requestOf({ client_id: some.clientId, scope: 'photos:read' }));
    expect(errorOf(await ada.openAuthorize(requestOf({ client_id: some.clientId, prompt: 'none' })))).toBe(
      'consent_required',
    );
  });

  it('prompt=none without any consent for the client is login_required', async () => {
    const fresh = await site.client();
    const response = await ada.openAuthorize(requestOf({ client_id: fresh.clientId, prompt: 'none' }));
    expect(errorOf(response)).toBe('login_required');
    const app = await site.client({ type: 'public', redirectUris: ['com.example.app:/callback'] });
    expect(
      errorOf(
        await ada.openAuthorize(
          requestOf({
            client_id: app.clientId,
            redirect_uri: 'com.example.app:/callback',
            code_challenge: 'x'.repeat(43),
            code_challenge_method: 'S256',
            prompt: 'none',
          }),
        ),
      ),
    ).toBe('login_required');
  });

  it('prompt=none together with another prompt is invalid_request', async () => {
    expect(errorOf(await ada.openAuthorize(requestOf({ prompt: 'none login' })))).toBe('invalid_request');
    expect(errorOf(await ada.openAuthorize(requestOf({ prompt: 'none consent' })))).toBe('invalid_request');
  });

  it('prompt=none together with login is invalid_request after a login, too', async () => {
    const visitor = createPerson(site);
    const login = locationOf(await visitor.openAuthorize(requestOf({ prompt: 'none login' })));
    expect(login.pathname).toBe('/login');
    await visitor.logIn('ada');
    expect(errorOf(await visitor.agent.get(login.searchParams.get('return_to')!))).toBe('invalid_request');
  });
});

describe('prompt=consent', () => {
  it('prompt=consent asks despite a stored consent, and for a trusted client', async () => {
    expect(pageOf(await ada.openAuthorize(requestOf({ prompt: 'consent' })))).toBe('consent');
    const trusted = await site.client({ trusted: true });
    expect(
      pageOf(await ada.openAuthorize(requestOf({ client_id: trusted.clientId, prompt: 'consent' }))),
    ).toBe('consent');
  });

  it('prompt=consent ends with the decision', async () => {
    expect((await ada.authorize(requestOf({ prompt: 'consent' }))).searchParams.get('code')).toMatch(/./);
  });
});

describe('prompt=select_account', () => {
  it('prompt=select_account asks for the account, and continues with the logged-in one', async () => {
    const page = await ada.openAuthorize(requestOf({ prompt: 'select_account' }));
    expect(pageOf(page)).toBe('account');
    expect(page.text).toContain('Continue as <bdi>Name of ada</bdi>');
    expect(locationOf(await send(ada, page, { account: 'continue' })).searchParams.get('code')).toMatch(/./);
  });

  it('prompt=select_account is followed by the consent page if needed', async () => {
    const page = await ada.openAuthorize(requestOf({ prompt: 'select_account consent' }));
    const consent = await send(ada, page, { account: 'continue' });
    expect(pageOf(consent)).toBe('consent');
    expect(new URLSearchParams(pendingRequestOf(consent)).get('prompt')).toBe('consent');
    expect(locationOf(await ada.choose(consent)).searchParams.get('code')).toMatch(/./);
  });

  it('prompt=select_account without a login shows the login page only', async () => {
    const response = await createPerson(site).openAuthorize(requestOf({ prompt: 'select_account' }));
    expect(locationOf(response).pathname).toBe('/login');
    expect(wayBack(response).has('prompt')).toBe(false);
    expect(wayBack(response).get('state')).toBe('x y');
  });

  it('prompt=select_account can be cancelled', async () => {
    const page = await ada.openAuthorize(requestOf({ prompt: 'select_account' }));
    expect(errorOf(await send(ada, page, { account: 'cancel' }))).toBe('access_denied');
  });
});

describe('prompt=login', () => {
  it('prompt=login asks for a new login, ends the old one, and returns to the request', async () => {
    const person = await personOf();
    const page = await person.openAuthorize(requestOf({ prompt: 'login', scope: 'profile' }));
    expect(pageOf(page)).toBe('account');
    expect(page.text).toContain('Please log in again');
    const response = await send(person, page, { account: 'switch' });
    expect([response.status, locationOf(response).pathname]).toEqual([303, '/login']);
    expect(Object.fromEntries(wayBack(response))).toEqual({ ...requestOf({ scope: 'profile' }) });
    expect((await person.agent.get('/oauth/applications')).status).toBe(303);
    await person.logIn('grace');
    const back = await person.agent.get(locationOf(response).searchParams.get('return_to') ?? '');
    expect(back.text).toContain('Name of grace');
  });

  it('prompt=login is not satisfied by the old login', async () => {
    const page = await ada.openAuthorize(requestOf({ prompt: 'login' }));
    expect(page.text).not.toContain('value="continue"');
    const response = await send(ada, page, { account: 'continue' });
    expect([response.status, pageOf(response)]).toEqual([403, 'account']);
  });

  it('prompt=login by a link alone ends nobody’s login', async () => {
    const person = await personOf();
    await person.openAuthorize(requestOf({ prompt: 'login', account: 'switch' }));
    expect((await person.agent.get('/oauth/applications')).status).toBe(200);
  });
});

describe('"not you?" on the consent page', () => {
  const fresh = async () =>
    requestOf({
      client_id: (await site.client()).clientId,
      scope: 'photos:read',
      ui_locales: 'en',
      login_hint: 'ada',
    });

  it('"not you?" ends the login, renews the session, and returns to the request', async () => {
    const person = await personOf();
    const query = await fresh();
    const page = await person.openAuthorize(query);
    const cookie = () =>
      person.agent.jar.getCookie('site.sid', { path: '/', domain: '127.0.0.1', secure: false, script: false })
        ?.value;
    const before = cookie();
    const response = await send(person, page, { account: 'switch' });
    expect([response.status, locationOf(response).pathname]).toEqual([303, '/login']);
    expect(Object.fromEntries(wayBack(response))).toEqual({ ...query });
    await person.logIn('grace');
    expect(before).toBeDefined();
    expect(cookie()).not.toBe(before);
    const consent = await person.agent.get(locationOf(response).searchParams.get('return_to') ?? '');
    expect(pageOf(consent)).toBe('consent');
    expect(consent.text).toContain('Name of grace');
    expect(locationOf(await person.choose(consent)).searchParams.get('code')).toMatch(/./);
  });

  it.each([undefined, '', 'x'.repeat(64)])(
    '"not you?" without the token of the session (%j) ends no login',
    async (token) => {
      const person = await personOf();
      const page = await person.openAuthorize(await fresh());
      const response = await send(person, page, { csrf_token: token, account: 'switch' });
      expect([response.status, pageOf(response)]).toEqual([403, 'consent']);
      expect(response.text).toContain('nothing was decided');
      expect((await person.agent.get('/oauth/applications')).status).toBe(200);
    },
  );

  it('"not you?" decides nothing, whatever else the form contains', async () => {
    const person = await personOf();
    const query = await fresh();
    const page = await person.openAuthorize(query);
    for (const account of ['', 'continue', ['switch', 'switch'], 'SWITCH']) {
      const response = await send(person, page, { account, decision: 'allow', granted_scope: 'photos:read' });
      if (account === 'continue') expect(pageOf(response)).toBe('consent');
      else expect([response.status, pageOf(response)]).toEqual([403, 'consent']);
    }
    expect(
      await site.database.collection('oauth_consents').countDocuments({ clientId: query.client_id }),
    ).toBe(0);
  });

  it('a form of an ended session leads to the login with the same request', async () => {
    const person = await personOf();
    const query = await fresh();
    const page = await person.openAuthorize(query);
    await person.agent.post('/logout');
    for (const fields of [{ account: 'switch' }, { decision: 'allow', granted_scope: 'photos:read' }]) {
      const response = await send(person, page, fields);
      expect([response.status, locationOf(response).pathname]).toEqual([303, '/login']);
      expect(Object.fromEntries(wayBack(response))).toEqual({ ...query });
    }
  });
});

describe('login_hint and ui_locales', () => {
  it('login_hint and ui_locales go to the login page, and stay in the request', async () => {
    const response = await createPerson(site).openAuthorize(
      requestOf({ login_hint: 'ada@photos.example', ui_locales: 'de fr' }),
    );
    const { searchParams } = locationOf(response);
    expect([searchParams.get('login_hint'), searchParams.get('ui_locales')]).toEqual([
      'ada@photos.example',
      'de fr',
    ]);
    expect(wayBack(response).get('login_hint')).toBe('ada@photos.example');
  });

  it.each([`login_hint=${'x'.repeat(201)}`, 'login_hint=', 'login_hint=a&login_hint=b'])(
    'an invalid login_hint is left out: %s',
    async (hint) => {
      const response = await createPerson(site).openAuthorize(
        `${new URLSearchParams(requestOf() as Record<string, string>).toString()}&${hint}`,
      );
      expect(locationOf(response).searchParams.has('login_hint')).toBe(false);
    },
  );
});

it('an unknown prompt is ignored, and a repeated one is refused', async () => {
  expect(
    locationOf(await ada.openAuthorize(requestOf({ prompt: 'create hasOwnProperty' }))).searchParams.get(
      'code',
    ),
  ).toMatch(/./);
  const twice = `${new URLSearchParams(requestOf({ prompt: 'login' }) as Record<string, string>).toString()}&prompt=consent`;
  expect(errorOf(await ada.openAuthorize(twice))).toBe('invalid_request');
});
