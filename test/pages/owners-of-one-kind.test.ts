import { describe, expect, test } from '@jest/globals';

import { aroundNext } from '../support/meanwhile.js';
import { formOf, openOwnersSite, ownerPagesOf } from '../support/owners.js';
import { logInPerson } from '../support/person.js';
import { openSite } from '../support/site.js';

const PRINTING = {
  redirect_uris: 'https://print.example/callback',
  scope: 'profile',
  grant_type: 'authorization_code',
};

const { site, agents, application, serviceToken } = openOwnersSite();

const found = async (clientId: string) => (await site.oauth.clients.find(clientId))!;

describe('owners of an application', () => {
  const { get, post, csrfOf, send, make, invite, answer, remove } = ownerPagesOf(site, application);
  const { ownersOf, invitationsOf } = application;

  test('an application is unverified once it has another owner, who can change it', async () => {
    const id = await make();
    await invite(agents.ada, id, 'bob');
    expect((await found(id)).verified).toBe(true);
    expect((await answer(agents.bob, id, 'accept')).text).toContain('id="application-rotate"');
    expect((await found(id)).verified).toBe(false);
    const edit = await get(agents.bob, `/${id}/edit`).expect(200);
    const fields = { ...formOf(edit, 'application-submit'), name: 'Renamed', ...PRINTING };
    expect((await send(agents.bob, `/${id}/edit`, fields)).text).toContain('Your changes are saved.');
    expect(await found(id)).toMatchObject({ name: 'Renamed' });
    expect((await get(agents.bob, '')).text).toContain('Renamed');
  });

  test('an open page of a removed owner cannot change the application', async () => {
    const id = await make(['ada', 'bob']);
    const edit = await get(agents.bob, `/${id}/edit`).expect(200);
    const old = await get(agents.bob, `/${id}`).expect(200);
    await remove(agents.ada, id, 'bob');
    const fields = { ...formOf(edit, 'application-submit'), name: 'Mine', ...PRINTING };
    await post(agents.bob, `/${id}/edit`, fields).expect(404);
    await post(agents.bob, `/${id}/rotate-secret`, formOf(old, 'application-rotate')).expect(404);
    expect((await found(id)).name).not.toBe('Mine');
  });

  test('the consent page of a transferred application shows its owner and since when', async () => {
    const id = await make();
    await invite(agents.ada, id, 'bob', 'transfer');
    await answer(agents.bob, id, 'accept');
    expect((await found(id)).verified).toBe(false);
    const requested = await agents.eve.get('/oauth/authorize').query({
      response_type: 'code',
      client_id: id,
      redirect_uri: PRINTING.redirect_uris,
    });
    expect(requested.text).toContain('In the hands of <bdi>BOB</bdi> since <bdi>');
    expect(requested.text).not.toContain('by <bdi>BOB');
  });

  test('an owner who is removed during the request cannot invite anybody', async () => {
    const id = await make(['ada', 'bob']);
    const csrf_token = await csrfOf(agents.bob);
    aroundNext(site.oauth.models.Client as never, 'findOne', {
      after: () => site.oauth.clients.removeOwner(id, 'bob'),
    });
    await post(agents.bob, `/${id}/invite`, { csrf_token, person: 'eve', as: 'owner' }).expect(404);
    expect(await invitationsOf(id)).toEqual([]);
  });

  test('an invitation ends when code removes the owner who made it', async () => {
    const id = await make(['ada', 'bob']);
    await invite(agents.bob, id, 'eve');
    const requested = await get(agents.eve, `/${id}/invitation`).expect(200);
    await site.oauth.clients.update(id, { coOwnerIds: undefined });
    await post(agents.eve, `/${id}/accept`, formOf(requested, '/accept"')).expect(303);
    expect(await ownersOf(id)).toEqual(['ada']);
  });

  test('the owner of a trusted application cannot give it away', async () => {
    const { clientId } = await site.client({ ownerId: 'ada', trusted: true });
    expect((await send(agents.ada, `/${clientId}/invite`, { person: 'bob' })).status).toBe(404);
  });

  test('administrators see, remove and invite owners, and cannot transfer an application', async () => {
    const id = await make(['ada', 'bob']);
    const page = await get(agents.grace, `/${id}`).expect(200);
    expect(page.text).toContain('<bdi>BOB (bob@example.com)</bdi> <code>bob</code>');
    expect(page.text).not.toContain('value="transfer"');
    expect((await invite(agents.grace, id, 'eve', 'transfer')).status).toBe(404);
    await invite(agents.grace, id, 'eve');
    const csrf_token = await csrfOf(agents.grace);
    await post(agents.grace, `/${id}/remove-owner`, { csrf_token, owner: 'ada' }).expect(303);
    await answer(agents.eve, id, 'accept');
    expect(await ownersOf(id)).toEqual(['bob', 'eve']);
  });
});

describe('owners of a service token', () => {
  const { post, csrfOf, make, invite, answer } = ownerPagesOf(site, serviceToken);
  const { ownersOf } = serviceToken;

  test('a service token has at most twenty owners, by the page and by code', async () => {
    const many = Array.from({ length: 19 }, (_, index) => `person ${index}`);
    const id = await make(['ada', ...many]);
    expect((await invite(agents.ada, id, 'bob')).text).toContain(
      'The token has as many owners as it can have.',
    );
    const { personalAccessTokens: tokens } = site.oauth;
    await expect(tokens.addOwner(id, 'bob')).rejects.toThrow('at most 20 people');
    await expect(make(['ada', 'bob', ...many])).rejects.toThrow('at most 20 people');
    await tokens.removeOwner(id, 'person 1');
    await tokens.addOwner(id, 'bob');
    expect(await ownersOf(id)).toHaveLength(20);
  });

  test('a person with 50 service tokens cannot accept another one', async () => {
    await Promise.all(Array.from({ length: 50 }, () => make(['bob'])));
    const id = await make();
    await invite(agents.ada, id, 'bob');
    expect((await answer(agents.bob, id, 'accept')).text).toContain('You have as many service tokens');
    expect(await ownersOf(id)).toEqual(['ada']);
  });

  test('the token of a person has no owners', async () => {
    const { personalAccessTokens: tokens } = site.oauth;
    const { id } = await tokens.create({ userId: 'eve', name: 'Own', scopes: ['profile'] });
    const csrf_token = await csrfOf(agents.eve);
    await post(agents.eve, `/${id}/invite`, { csrf_token, person: 'bob' }).expect(404);
    await tokens.revoke(id);
  });

  test('policy.onAuthorize gets the creator of a service token and the user of a personal one', async () => {
    const questions: object[] = [];
    await using other = await openSite({
      personalAccessTokens: { serviceTokens: true },
      policy: {
        onAuthorize: ({ userId, createdBy }) => void questions.push({ userId, createdBy }),
      },
    });
    const person = await logInPerson(other);
    for (const kind of ['service', 'personal'])
      await person.agent.get(`${serviceToken.root}/new?kind=${kind}`);
    expect(questions).toEqual([
      { userId: undefined, createdBy: 'ada' },
      { userId: 'ada', createdBy: undefined },
    ]);
  });
});
