import { describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import type { Response } from 'supertest';

import { formOf } from '../../lib/testing/test-browser.js';
import { codeQuery, hiddenFields, locationOf, logInPerson, pageAfter, postForm } from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';

const READ = 'https://photos.example/auth/photos.readonly';
const WRITE = 'https://photos.example/auth/photos';
const DELETE = "$photos&'<delete>";
const ALBUMS = ['a/1', 'b&"2"'];
const API = 'https://api.photos.example/v1';

/** All changes of validator.escape, express-mongo-sanitize and perfect-express-sanitizer to bodies. */
const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#x27;',
  '<': '&lt;',
  '>': '&gt;',
  '/': '&#x2F;',
  '\\': '&#x5C;',
  '`': '&#96;',
};
const escape = (text: string) => text.replace(/[&"'<>/\\`]/g, (letter) => ESCAPED[letter] ?? letter);
const sanitize: RequestHandler = (req, _res, next) => {
  const clean = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(clean)
      : typeof value === 'string'
        ? escape(value).replace(/[$.]/g, '')
        : value;
  const fields = Object.entries((req.body ?? {}) as Record<string, unknown>);
  req.body = Object.fromEntries(
    fields.filter(([name]) => !/[$.]/.test(name)).map(([name, value]) => [name, clean(value)]),
  );
  next();
};

const site = siteFor({
  before: (app) => app.use(express.urlencoded({ extended: true }), sanitize),
  scopes: {
    [READ]: 'See your photos',
    [WRITE]: 'Add photos',
    [DELETE]: { description: 'Delete photos', risk: 'high' },
  },
  choices: {
    albums: {
      label: 'Which albums?',
      scopes: [WRITE],
      multiple: true,
      list: () => ALBUMS.map((value) => ({ value, label: value })),
    },
  },
  resources: { [API]: { name: 'Photos' } },
  personalAccessTokens: true,
  applications: { isAdministrator: () => true },
  security: { rateLimits: false },
});
const client = fixture(() => site.client({ scopes: [READ, WRITE, DELETE] }));
const ada = fixture(() => logInPerson(site));

/** The scopes and choices that ada has granted the client. */
const allowed = () =>
  site.database
    .collection('oauth_consents')
    .findOne<{ scopes: string[]; choices: object }>({ clientId: client.clientId });

/** Sends a form as a browser does, with some boxes ticked. */
async function send(page: Response, id: string, ticked: readonly string[] = [], more: object = {}) {
  const form = formOf(page.text, id, ticked);
  if (form === undefined) throw new Error(`no form ${id}: ${page.status} ${page.text}`);
  const fields: Record<string, string[]> = {};
  for (const [name, value] of form.fields) (fields[name] ??= []).push(value);
  return postForm(ada.agent, form.action, { ...fields, ...more });
}
/** Sends the form of a page that leads to an address. */
const post = ({ text }: Response, action: string) =>
  postForm(
    ada.agent,
    action,
    hiddenFields({
      text: text.match(/<form[\s\S]*?<\/form>/g)?.find((form) => form.includes(`"${action}"`)) ?? '',
    }),
  ).expect(303);
const requestOf = (scope: string) => codeQuery(client, { scope, prompt: 'consent' });
async function allow(scope: string) {
  const page = await ada.openAuthorize(requestOf(scope));
  const sent = await send(page, 'consent-form', ['granted_scope', 'choice-albums'], { decision: 'allow' });
  const next = await pageAfter(ada.agent, sent);
  // a dangerous scope is confirmed on a second page
  if (next.status !== 200) return next;
  return pageAfter(ada.agent, await send(next, 'consent-form', [], { decision: 'allow' }));
}

describe('behind a sanitizer of the site that changes /, &, quotes, $ and dots', () => {
  test('behind a sanitizer, scopes and choices with its letters are granted as ticked', async () => {
    const answer = locationOf(await allow([READ, WRITE, DELETE].join(' ')));
    expect(answer.searchParams.get('code')).toMatch(/./);
    expect(await allowed()).toMatchObject({ scopes: [READ, WRITE, DELETE], choices: { albums: ALBUMS } });
  });

  test('behind a sanitizer, one scope with its letters is withdrawn on the page of the app', async () => {
    await allow([READ, WRITE].join(' '));
    const page = await ada.agent.get(`/oauth/authorizations/${client.clientId}`);
    const { fields = [] } = formOf(page.text, 'authorization-scopes') ?? {};
    const ticked = fields.filter(([name]) => name === 'scope').map(([, value]) => value);
    await send(page, 'authorization-scopes', [], { scope: ticked.slice(1) });
    expect((await allowed())?.scopes).toEqual([WRITE, DELETE]);
  });

  test('behind a sanitizer, a personal access token has the confirmed name, API and scopes', async () => {
    const page = await ada.agent.get('/oauth/access-tokens/new');
    const filled = { name: 'Copies', resource: optionOf(page, 'Photos'), 'choice-albums': [] };
    const confirmation = await pageAfter(
      ada.agent,
      await send(page, 'token-form', ['granted_scope', 'choice-albums'], {
        name: filled.name,
        resource: filled.resource,
      }),
    );
    const made = await send(confirmation, 'token-form');
    expect(made.status).toBe(201);
    const [token] = await site.oauth.personalAccessTokens.list({ userId: 'ada' });
    expect(token).toMatchObject({ name: 'Copies', resource: API });
    expect([...(token?.scopes ?? [])].sort()).toEqual([READ, WRITE, DELETE].sort());
  });

  test('behind a sanitizer, an application with such scopes is registered and unblocked', async () => {
    const page = await ada.agent.get('/oauth/applications/new');
    const made = await send(page, 'application-form', ['scope'], {
      name: 'Shop',
      type: 'confidential',
      grant_type: 'client_credentials',
    });
    expect([made.status, made.text]).toEqual([201, expect.stringContaining('id="client-secret"')]);
    const app = await site.database
      .collection('oauth_clients')
      .findOne<{ _id: string; scopes: string[] }>({ name: 'Shop' });
    expect([...(app?.scopes ?? [])].sort()).toEqual([READ, WRITE, DELETE].sort());
    const path = `/oauth/applications/${app?._id}`;
    await post(await ada.agent.get(path), `${path}/block`);
    await post(await ada.agent.get(path), `${path}/unblock`);
    const after = await site.oauth.clients.find(app?._id ?? '');
    expect([after?.name, after?.blocked]).toEqual(['Shop', undefined]);
  });
});

test('a custom view that prints raw scopes is refused behind a sanitizer, with that reason', async () => {
  const page = await ada.openAuthorize(requestOf(READ));
  const sent = await postForm(ada.agent, '/oauth/authorize', {
    ...hiddenFields(page),
    granted_scope: READ,
    decision: 'allow',
  });
  expect([sent.status, sent.headers.location]).toEqual([400, undefined]);
  expect(sent.text).toContain('This form could not be read');
  expect(site.errors.at(-1)?.detail).toMatch(/^the field granted_scope came back changed/);
});

function optionOf({ text }: Response, label: string): string {
  return new RegExp(`<option value="([^"]*)"[^>]*>${label}<`).exec(text)?.[1] ?? '';
}
