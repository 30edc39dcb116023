import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';

import { type PagesApp, startAdministeredApp } from '../support/pages-app.js';
import { hiddenFields, logInPerson, pageAfter, postForm } from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';
import { callApi, obtainTokens } from '../support/tokens.js';

type Agent = ReturnType<PagesApp['agent']>;

const ROOT = '/oauth/applications';
let ada: Agent;
let grace: Agent;
let adaId: string;
const app = fixture(startAdministeredApp);

beforeAll(async () => {
  [ada, grace] = [await app.personOf('ada'), await app.personOf('grace')];
  adaId = await app.idOf('ada');
});

const create = (more = {}) =>
  app.clients.create({
    name: 'Shop',
    redirectUris: ['https://a.example/callback'],
    ownerId: adaId,
    ...more,
  });
const post = (agent: Agent, path: string, fields: object) => postForm(agent, `${ROOT}${path}`, fields);

/** The form with this button. */
function formOf(page: Response, button: string): Record<string, string> {
  const [form = ''] =
    page.text.match(/<form[\s\S]*?<\/form>/g)?.filter((each) => each.includes(button)) ?? [];
  return hiddenFields({ text: form });
}

describe('a blocked application', () => {
  it('an administrator blocks an application with a reason for the owner, and unblocks it', async () => {
    const { clientId } = await create();
    const page = await grace.get(`${ROOT}/${clientId}`).expect(200);
    const reason = 'It asks for <b>passwords</b>.';
    const answer = await post(grace, `/${clientId}/block`, {
      ...formOf(page, 'application-block'),
      reason,
    }).expect(303);
    const blocked = await grace.get(answer.headers.location!).expect(200);
    expect(blocked.text).toContain('The application is blocked.');
    expect(blocked.text).toContain('id="application-unblock"');
    expect(blocked.text).not.toContain('id="application-block"');
    expect((await app.clients.find(clientId))?.blocked?.reason).toBe(reason);
    const theirs = (await ada.get(`${ROOT}/${clientId}`).expect(200)).text;
    expect(theirs).toContain('This site has blocked the application.');
    expect(theirs).toContain('It asks for &lt;b&gt;passwords&lt;/b&gt;.');
    expect((await ada.get(ROOT)).text).toContain('eas-badge eas-bad">blocked');
    const back = await post(grace, `/${clientId}/unblock`, formOf(blocked, 'application-unblock')).expect(
      303,
    );
    expect((await grace.get(back.headers.location!)).text).toContain(
      'The application is not blocked any more',
    );
    expect((await app.clients.find(clientId))?.blocked).toBeUndefined();
    expect((await ada.get(`${ROOT}/${clientId}`)).text).not.toContain('blocked');
  });

  it('the owner of a blocked application cannot unblock, change, rotate or delete it', async () => {
    const { clientId } = await create();
    const before = await ada.get(`${ROOT}/${clientId}`);
    const forms = {
      rotate: formOf(before, 'application-rotate'),
      edit: hiddenFields(await ada.get(`${ROOT}/${clientId}/edit`)),
      remove: hiddenFields(await ada.get(`${ROOT}/${clientId}/delete`)),
    };
    await app.clients.block(clientId);
    const blocked = await app.clients.find(clientId);
    const page = (await ada.get(`${ROOT}/${clientId}`).expect(200)).text;
    for (const id of ['unblock', 'block"', 'edit', 'rotate', 'delete'])
      expect(page).not.toContain(`id="application-${id}`);
    await ada.get(`${ROOT}/${clientId}/edit`).expect(403);
    const refused = await ada.get(`${ROOT}/${clientId}/delete`).expect(403);
    expect(refused.text).toContain('This site has blocked this application.');
    const edited = {
      ...forms.edit,
      name: 'Other name',
      redirect_uris: 'https://b.example/',
      scope: 'photos:read',
      grant_type: 'authorization_code',
    };
    await post(ada, `/${clientId}/edit`, edited).expect(403);
    await post(ada, `/${clientId}/rotate-secret`, forms.rotate).expect(404);
    await post(ada, `/${clientId}/delete`, { ...forms.remove, confirmation: 'Shop' }).expect(403);
    const seen = { ...forms.rotate, seen: blocked?.updatedAt.toISOString() };
    await post(ada, `/${clientId}/unblock`, seen).expect(404);
    await post(ada, `/${clientId}/block`, { ...seen, reason: 'mine' }).expect(404);
    expect(await app.clients.find(clientId)).toEqual(blocked);
  });

  it('an application that changed since the page was opened is not unblocked', async () => {
    const { clientId } = await create();
    await app.clients.block(clientId);
    const page = await grace.get(`${ROOT}/${clientId}`);
    await app.clients.update(clientId, { redirectUris: ['https://evil.example/'] });
    const answer = await post(grace, `/${clientId}/unblock`, formOf(page, 'application-unblock')).expect(303);
    const now = await pageAfter(grace, answer);
    expect(now.text).toContain('so nothing was done');
    expect((await app.clients.find(clientId))?.blocked).toBeDefined();
    const form = formOf(now, 'application-unblock');
    await post(grace, `/${clientId}/unblock`, form).expect(303);
    // a second click
    const second = await post(grace, `/${clientId}/unblock`, form).expect(303);
    expect((await pageAfter(grace, second)).text).toContain('The application is not blocked any more.');
  });

  it('blocking needs the CSRF token (RFC 6749 §10.12), and cleans the reason', async () => {
    const { clientId } = await create();
    await post(grace, `/${clientId}/block`, { csrf_token: 'f'.repeat(64) }).expect(403);
    expect((await app.clients.find(clientId))?.blocked).toBeUndefined();
    const form = formOf(await grace.get(`${ROOT}/${clientId}`), 'application-block');
    const reason = `a\u202eb\u0000c\n${'long '.repeat(200)}`;
    await post(grace, `/${clientId}/block`, { ...form, reason }).expect(303);
    expect((await app.clients.find(clientId))?.blocked?.reason).toMatch(/^a b c long/);
    await post(grace, `/${clientId}/block`, { ...form, reason: ['a', 'b'] }).expect(400);
    await post(grace, '/nobody/block', form).expect(404);
  });
});

describe('a blocked application among connected apps', () => {
  const site = siteFor();

  it('the list of connected apps says that an app is blocked and can disconnect it', async () => {
    const client = await site.client();
    const tokens = await obtainTokens(site, client);
    await site.oauth.clients.block(client.clientId, { reason: 'for its owner alone' });
    const person = await logInPerson(site);
    const page = await person.agent.get('/oauth/authorizations').expect(200);
    expect(page.text).toContain('This site has blocked it');
    expect(page.text).not.toContain('for its owner alone');
    const form = formOf(page, client.clientId);
    await postForm(person.agent, '/oauth/authorizations/revoke', form).expect(303);
    const after = await person.agent.get('/oauth/authorizations');
    expect(after.text).toContain('No connected apps');
    await site.oauth.clients.unblock(client.clientId);
    expect((await callApi(site, tokens.access_token)).status).toBe(401);
  });
});
