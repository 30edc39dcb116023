import { describe, expect, test } from '@jest/globals';
import request, { type Response } from 'supertest';

import {
  codeQuery,
  createPerson,
  hiddenFields,
  locationOf,
  logInPerson,
  type Query,
} from '../../support/person.js';
import { pushed } from '../../support/pushed-requests.js';
import { register } from '../../support/registration.js';
import { openSite, REDIRECT_URI, type Site } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { createPkce, redeem } from '../../support/tokens.js';

const NATIVE = 'com.example.app:/callback';
const LOOPBACK = 'http://[::1]:4000/callback';
const ODD = 'https://print.example/a;b,c?x=1&y="2"'.replaceAll('"', '%22');

const site = siteFor({
  formPost: true,
  pushedRequests: true,
  registration: { open: true },
  pages: { linkToUnverifiedClients: true },
  grantTypes: ['authorization_code', 'implicit'],
});
const client = fixture(() =>
  site.client({ redirectUris: [REDIRECT_URI, NATIVE, LOOPBACK, ODD], verified: true }),
);
const ada = fixture(() => logInPerson(site));

function queryOf(more: Query = {}): Query {
  return codeQuery(client, { response_mode: 'form_post', state: 'xyz', ...more });
}
/** The page with the response, after the consent page if there is one. */
async function answerTo(query: Query, person = ada): Promise<Response> {
  const page = await person.openAuthorize(query);
  return page.text.includes('id="consent-form"') ? person.choose(page) : page;
}
const policyOf = ({ headers }: Response) => String(headers['content-security-policy']);
const formActionOf = (page: Response) => /form-action ([^;]*)/.exec(policyOf(page))?.[1];
const actionOf = ({ text }: Response) =>
  /<form[^>]* action="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');

describe('§2 the response', () => {
  test('a form_post response is a form that posts a valid code to the redirect URI [2-1] [2-2]', async () => {
    const page = await answerTo(queryOf());
    expect(page.status).toBe(200);
    expect(page.text).toContain('<form id="form-post" method="post"');
    expect(actionOf(page)).toBe(REDIRECT_URI);
    const fields = hiddenFields(page);
    expect(Object.keys(fields).sort()).toEqual(['code', 'iss', 'state']);
    expect(fields).toMatchObject({ state: 'xyz', iss: site.url });
    expect((await redeem(site, client, fields.code!)).status).toBe(200);
  });

  test('the form_post page is not cached and sends no Referer [2-3]', async () => {
    const { headers } = await answerTo(queryOf());
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers).not.toHaveProperty('etag');
  });

  test('the form_post page may post only to the redirect URI, and only by our script [4-1]', async () => {
    const page = await answerTo(queryOf());
    expect(formActionOf(page)).toBe(REDIRECT_URI);
    expect(policyOf(page)).toMatch(/default-src 'none'.*script-src 'self'/);
  });

  test.each([
    [ODD, 'https://print.example/a%3Bb%2Cc'],
    [LOOPBACK, 'http:'],
  ])('the form_post page posts to %s [2-1] [4-1]', async (redirectUri, source) => {
    const page = await answerTo(queryOf({ redirect_uri: redirectUri }));
    expect([actionOf(page), formActionOf(page)]).toEqual([redirectUri, source]);
  });

  test('a state with markup is escaped and comes back unchanged [4-1]', async () => {
    const state = `"><script>alert(1)</script>'&amp;`;
    const page = await answerTo(queryOf({ state }));
    expect(page.text).not.toContain('<script>alert');
    expect(hiddenFields(page).state).toBe(state);
  });

  test('a token response with form_post is a form [2-1]', async () => {
    const page = await answerTo(queryOf({ response_type: 'token' }));
    expect(Object.keys(hiddenFields(page))).toEqual(expect.arrayContaining(['access_token', 'token_type']));
  });

  test('a pushed request with form_post gets a form [2-1]', async () => {
    const query = await pushed(site, client, { response_mode: 'form_post' });
    expect(Object.keys(hiddenFields(await answerTo(query)))).toContain('code');
  });
});

describe('§2 an error', () => {
  test('an error response with form_post is a form [2-1]', async () => {
    const page = await answerTo(queryOf({ scope: 'nonsense' }));
    expect(actionOf(page)).toBe(REDIRECT_URI);
    expect(hiddenFields(page)).toMatchObject({ error: 'invalid_scope', state: 'xyz', iss: site.url });
    const silent = await createPerson(site).openAuthorize(queryOf({ prompt: 'none' }));
    expect(hiddenFields(silent)).toMatchObject({ error: 'login_required' });
  });

  test('a form_post error for an unverified client is posted only after a click of the person [2-1] [4-1]', async () => {
    const { body } = await register(site, { client_name: 'Prints', redirect_uris: [REDIRECT_URI] });
    const page = await ada.openAuthorize(queryOf({ client_id: body.client_id as string, scope: 'nonsense' }));
    expect(page.status).toBe(400);
    expect(page.text).toContain('id="error-client"');
    expect(page.text).not.toContain('data-sends-itself');
    expect(actionOf(page)).toBe(REDIRECT_URI);
    expect(hiddenFields(page)).toMatchObject({ error: 'invalid_scope', state: 'xyz' });
    expect(formActionOf(page)).toContain(REDIRECT_URI);
  });
});

describe('refused response modes', () => {
  test('form_post is refused without the option formPost, and is not in the metadata [4-2]', async () => {
    await using without = await openSite();
    const other = await without.client();
    const person = await logInPerson(without);
    const { searchParams } = locationOf(await person.openAuthorize(queryOf({ client_id: other.clientId })));
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual(['invalid_request', 'xyz']);
    expect(await modesOf(without)).toEqual(['query', 'fragment']);
    expect(await modesOf(site)).toEqual(['query', 'fragment', 'form_post']);
  });

  test.each([
    ['form_post to a private-use scheme', { redirect_uri: NATIVE }],
    ['form_post of a state with a line break', { state: 'a\nb' }],
    ['an unknown response_mode', { response_mode: 'smoke_signal' }],
    ['the response_mode constructor', { response_mode: 'constructor' }],
    ['a list of response modes', { response_mode: 'form_post query' }],
  ])('%s is refused [4-2]', async (_why, more: Query) => {
    const { searchParams } = locationOf(await ada.openAuthorize(queryOf(more)));
    expect(searchParams.get('error')).toBe('invalid_request');
    expect(searchParams.has('code')).toBe(false);
  });

  test('response_mode query is refused for response_type token [4-2]', async () => {
    const location = locationOf(
      await ada.openAuthorize(queryOf({ response_type: 'token', response_mode: 'query' })),
    );
    expect(location.hash).toContain('error=invalid_request');
  });
});

test('the PAR endpoint refuses a response_mode that cannot work [4-2]', async () => {
  const sent = pushed(site, client, {
    response_mode: 'form_post',
    redirect_uri: NATIVE,
    ...createPkce().challenge,
  });
  await expect(sent).rejects.toThrow('400');
});

async function modesOf({ server }: Site): Promise<unknown> {
  const { body } = await request(server).get('/.well-known/oauth-authorization-server');
  return (body as { response_modes_supported: unknown }).response_modes_supported;
}
