import { describe, expect, test } from '@jest/globals';

import { formOf, openOwnersSite, ownerPagesOf } from '../support/owners.js';
import { createPerson, hiddenFields, logInPerson, pageAfter } from '../support/person.js';
import { openSite } from '../support/site.js';

const GONE = 'There is no such invitation any more.';
const WEEK = 7 * 86_400_000;

const { site, agents, events, application, serviceToken } = openOwnersSite();
const heard = () => events.map(({ type, userId, actorId, reason }) => [type, userId, actorId, reason]);

describe.each([
  ['an application', application],
  ['a service token', serviceToken],
])('%s', (_what, kind) => {
  const { root, ownersOf, invitationsOf } = kind;
  const { get, post, csrfOf, send, make, invite, answer, remove } = ownerPagesOf(site, kind);

  describe('invitations', () => {
    test('an invited person sees and accepts the invitation, and becomes an owner', async () => {
      const id = await make(['ada'], 'Deploy <b>');
      const page = await invite(agents.ada, id, ' Bob@example.com ');
      expect(page.text).toContain('If there is such a person here');
      expect(page.text).toContain('<bdi>Bob@example.com</bdi>');
      expect(await ownersOf(id)).toEqual(['ada']);
      await get(agents.bob, `/${id}`).expect(404);

      const list = await get(agents.bob, '').expect(200);
      expect(list.text).toContain(`href="${root}/${id}/invitation"`);
      expect(list.text).toContain('Invited by <bdi>ADA (ada@example.com)</bdi>.');
      const requested = await get(agents.bob, `/${id}/invitation`).expect(200);
      for (const text of kind.requested) expect(requested.text).toContain(text);
      expect(requested.text).not.toContain('secret_of');

      expect((await answer(agents.bob, id, 'accept')).text).toContain(kind.accepted);
      expect([await ownersOf(id), await invitationsOf(id)]).toEqual([['ada', 'bob'], []]);
      const own = await get(agents.bob, `/${id}`).expect(200);
      // by their names, as the site has them
      expect(own.text).toContain('<bdi>ADA (ada@example.com)</bdi>');
      expect(own.text).not.toContain('<code>ada</code>');
      expect((await get(agents.bob, '')).text).not.toContain(`${id}/invitation"`);
      expect(heard()).toEqual([
        ['owner.invited', 'bob', 'ada', 'owner'],
        ['owner.added', 'bob', 'ada', 'owner'],
      ]);
    });

    test('an invitation does not reveal whether the person exists', async () => {
      const [known, unknown] = [await make(), await make()];
      const [there, nowhere] = [
        await invite(agents.ada, known, 'eve'),
        await invite(agents.ada, unknown, 'nobody'),
      ].map(({ status, text }) => [
        status,
        text
          .replaceAll(/value="[^"]*"/g, '')
          .replaceAll(known, 'ID')
          .replaceAll(unknown, 'ID')
          .replaceAll('nobody', 'eve')
          .replaceAll(/<time[^]*?<\/time>|code_challenge=[^&"]*|[\w-]{43}|…[\w-]{4}/g, ''),
      ]);
      expect(nowhere).toEqual(there);
      const [stored, ...more] = await invitationsOf(unknown);
      expect([stored, more]).toEqual([
        expect.objectContaining({ typed: 'nobody', as: 'owner', invitedBy: 'ada' }),
        [],
      ]);
      expect(stored?.userId).toBeUndefined();
      // another name of the same person reveals nothing either: the page repeats the typed name
      expect((await invite(agents.ada, known, 'eve@example.com')).text).toContain(
        '<bdi>eve@example.com</bdi>',
      );
    });

    test('an invitation can be declined or withdrawn', async () => {
      const id = await make();
      await invite(agents.ada, id, 'bob');
      expect((await answer(agents.bob, id, 'decline')).text).toContain('The invitation is declined.');
      expect(await invitationsOf(id)).toEqual([]);
      const page = await invite(agents.ada, id, 'bob');
      const old = await get(agents.bob, `/${id}/invitation`).expect(200);
      const withdrawn = await send(agents.ada, `/${id}/withdraw`, formOf(page, '/withdraw"'));
      expect(withdrawn.text).toContain('The invitation is taken back.');
      // an old form does not accept a later invitation
      await invite(agents.ada, id, 'bob', 'transfer');
      expect((await send(agents.bob, `/${id}/accept`, formOf(old, '/accept"'))).text).toContain(GONE);
      expect(await ownersOf(id)).toEqual(['ada']);
      expect(heard().filter(([type]) => type === 'owner.invitation_ended')).toEqual([
        ['owner.invitation_ended', 'bob', 'bob', 'declined'],
        ['owner.invitation_ended', 'bob', 'ada', 'withdrawn'],
      ]);
    });

    test('five invitations can be open, and expired ones neither count nor can be accepted', async () => {
      const id = await make();
      for (const name of ['bob', 'x', 'y', 'z', 'q']) await invite(agents.ada, id, name);
      const sixth = await invite(agents.ada, id, 'eve');
      expect(sixth.status).toBe(422);
      expect(sixth.text).toContain('Five invitations are open already.');
      expect(sixth.text).toContain('name="person" value="eve"');
      const [first] = await invitationsOf(id);
      await kind.expire(id);
      await get(agents.bob, `/${id}/invitation`).expect(303);
      expect((await get(agents.bob, '')).text).not.toContain(id);
      expect((await send(agents.bob, `/${id}/accept`, { invitation: first?.id })).text).toContain(GONE);
      expect(await ownersOf(id)).toEqual(['ada']);
      await invite(agents.ada, id, 'eve');
      const [left, ...others] = await invitationsOf(id);
      expect([left?.userId, others]).toEqual(['eve', []]);
      expect(left!.expiresAt.getTime() - Date.now()).toBeGreaterThan(WEEK - 60_000);
      expect(left!.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(WEEK);
    });

    test.each([
      ['', 'Enter who it is.'],
      ['\u0000 \u200b', 'Enter who it is.'],
      ['x'.repeat(201), 'This is longer than 200 characters.'],
      ['ada', 'This person is an owner already.'],
      ['bob@example.com', 'This person is an owner already.'],
    ])('the invitation of %j is refused and shown again', async (person, message) => {
      const id = await make(['ada', 'bob']);
      const page = await invite(agents.ada, id, person);
      expect(page.status).toBe(422);
      expect(page.text).toContain(message);
      expect(await invitationsOf(id)).toEqual([]);
      await get(agents.ada, `/${id}`).expect(200);
    });

    test('an invitation form of another session is shown again or waits for a login', async () => {
      const id = await make();
      const fields = { csrf_token: 'old', person: 'bob', as: 'transfer' };
      const page = await post(agents.ada, `/${id}/invite`, fields).expect(403);
      expect(page.text).toContain('value="bob"');
      expect(page.text).toMatch(/value="transfer" checked/);
      expect(await invitationsOf(id)).toEqual([]);
      const { agent } = createPerson(site);
      const lost = await post(agent, `/${id}/invite`, { person: 'bob', as: 'owner' }).expect(403);
      expect(hiddenFields(lost)).toMatchObject({ person: 'bob', as: 'owner' });
      for (const sent of [get(agent, `/${id}/invitation`), post(agent, `/${id}/accept`, {})]) {
        const { location } = (await sent.expect(303)).headers;
        expect(decodeURIComponent(String(location))).toContain(`${root}/${id}/invitation`);
      }
    });

    test('a transfer replaces the owner and leaves the others', async () => {
      const id = await make(['ada', 'eve']);
      await invite(agents.ada, id, 'bob', 'transfer');
      expect(await ownersOf(id)).toEqual(['ada', 'eve']);
      await answer(agents.bob, id, 'accept');
      expect(await ownersOf(id)).toEqual(['bob', 'eve']);
      await get(agents.ada, `/${id}`).expect(404);
      expect(heard().slice(1)).toEqual([
        ['owner.added', 'bob', 'ada', 'transfer'],
        ['owner.removed', 'ada', 'ada', undefined],
      ]);
    });

    test('a transfer to an existing owner removes the other one', async () => {
      const id = await make(['ada', 'bob']);
      await invite(agents.ada, id, 'bob', 'transfer');
      await answer(agents.bob, id, 'accept');
      expect(await ownersOf(id)).toEqual(['bob']);
    });
  });

  describe('removing owners', () => {
    test('owners leave and remove each other, and the last one stays, also with an old page', async () => {
      const id = await make(['ada', 'bob', 'eve']);
      const old = await get(agents.ada, `/${id}/remove-owner?owner=ada`).expect(200);
      expect((await remove(agents.ada, id, 'eve')).text).toContain(kind.removed);
      const page = await get(agents.bob, `/${id}/remove-owner?owner=bob`).expect(200);
      const left = await post(agents.bob, `/${id}/remove-owner`, formOf(page, 'remove-owner"')).expect(303);
      expect(left.headers.location).toBe(root);
      expect((await pageAfter(agents.bob, left)).text).toContain(kind.left);
      expect(await ownersOf(id)).toEqual(['ada']);
      expect((await get(agents.ada, `/${id}`)).text).not.toMatch(/remove-owner|owner-remove-0/);
      const last = await send(agents.ada, `/${id}/remove-owner`, formOf(old, 'remove-owner"'));
      expect(last.text).toContain(kind.last);
      expect(await ownersOf(id)).toEqual(['ada']);
      expect(heard()).toEqual([
        ['owner.removed', 'eve', 'ada', undefined],
        ['owner.removed', 'bob', 'bob', undefined],
      ]);
    });

    test('a removed owner’s invitations end, and their open pages do nothing', async () => {
      const id = await make(['ada', 'bob']);
      await invite(agents.bob, id, 'eve');
      const old = await get(agents.bob, `/${id}`).expect(200);
      const requested = await get(agents.eve, `/${id}/invitation`).expect(200);
      await remove(agents.ada, id, 'bob');
      const { csrf_token } = hiddenFields(old);
      await post(agents.bob, `/${id}/invite`, { csrf_token, person: 'bob' }).expect(404);
      await post(agents.bob, `/${id}/remove-owner`, { csrf_token, owner: 'ada' }).expect(404);
      const late = await send(agents.eve, `/${id}/accept`, formOf(requested, '/accept"'));
      expect(late.text).toContain(GONE);
      expect(await ownersOf(id)).toEqual(['ada']);
    });

    test('one of two owners stays if both leave at the same moment', async () => {
      const id = await make(['ada', 'bob']);
      await Promise.all([remove(agents.ada, id, 'ada'), remove(agents.bob, id, 'bob')]);
      expect(await ownersOf(id)).toHaveLength(1);
    });

    test('owners of a blocked item cannot change', async () => {
      const id = await make(['ada', 'eve']);
      await invite(agents.ada, id, 'bob');
      const requested = await get(agents.bob, `/${id}/invitation`).expect(200);
      await kind.block(id);
      expect((await get(agents.ada, `/${id}`)).text).not.toMatch(/-invite-form"|token-invite"|remove-owner/);
      for (const [path, fields] of [
        ['invite', { person: 'bob' }],
        ['withdraw', {}],
        ['remove-owner', { owner: 'eve' }],
        ['remove-owner', { owner: 'ada' }],
      ] as const)
        expect([path, (await send(agents.ada, `/${id}/${path}`, fields)).status]).toEqual([path, 404]);
      await post(agents.bob, `/${id}/accept`, formOf(requested, '/accept"')).expect(303);
      expect(await ownersOf(id)).toEqual(['ada', 'eve']);
    });
  });

  describe('strangers', () => {
    test('a stranger sees and accepts no invitation, with any form', async () => {
      const id = await make();
      await invite(agents.ada, id, 'bob');
      const invitation = (await invitationsOf(id))[0]!.id;
      const csrf_token = await csrfOf(agents.eve);
      const none = await get(agents.eve, `/${id}/invitation`).expect(303);
      expect((await pageAfter(agents.eve, none)).text).toContain(GONE);
      for (const action of ['accept', 'decline'])
        for (const fields of [{ invitation }, { invitation, userId: 'bob' }, { invitation: '' }, {}])
          expect((await send(agents.eve, `/${id}/${action}`, fields)).text).toContain(GONE);
      for (const [path, fields, status] of [
        ['/none/accept', { invitation }, 303],
        [`/${id}/accept`, { 'invitation[$ne]': '' }, 303],
        [`/${id}/withdraw`, { invitation }, 404],
        [`/${id}/invite`, { person: 'eve' }, 404],
        [`/${id}/remove-owner`, { owner: 'ada' }, 404],
      ] as const)
        await post(agents.eve, path, { csrf_token, ...fields }).expect(status);
      await get(agents.eve, `/${id}/remove-owner?owner=ada`).expect(404);
      // and an invitation to one item is none to another
      const other = await make(['eve']);
      await send(agents.bob, `/${other}/accept`, { invitation });
      expect([await ownersOf(id), await ownersOf(other)]).toEqual([['ada'], ['eve']]);
      expect(await invitationsOf(id)).toEqual([expect.objectContaining({ id: invitation })]);
    });

    test.each([['none'], ['forged']])(
      'owners and invitations do not change by a form of another site, with the CSRF token: %s',
      async (csrf) => {
        const id = await make(['ada', 'eve']);
        await invite(agents.ada, id, 'bob');
        const invitation = (await invitationsOf(id))[0]!.id;
        for (const [agent, path, fields] of [
          [agents.ada, 'invite', { person: 'eve' }],
          [agents.ada, 'withdraw', { invitation }],
          [agents.ada, 'remove-owner', { owner: 'eve' }],
          [agents.bob, 'accept', { invitation }],
          [agents.bob, 'decline', { invitation }],
        ] as const) {
          const sent = { ...(csrf !== 'none' && { csrf_token: csrf }), ...fields };
          expect([path, (await post(agent, `/${id}/${path}`, sent)).status]).toEqual([path, 403]);
        }
        await get(agents.bob, `/${id}/accept?invitation=${invitation}`).expect(404);
        expect([await ownersOf(id), (await invitationsOf(id)).length]).toEqual([['ada', 'eve'], 1]);
      },
    );
  });

  test('without people.findByName owners are listed, and nobody can be invited', async () => {
    await using other = await openSite({
      personalAccessTokens: { serviceTokens: true },
      security: { rateLimits: false },
    });
    const { agent } = await logInPerson(other);
    const id = await kind.make(other, ['ada', 'bob'], 'Job');
    const page = await get(agent, `/${id}`).expect(200);
    expect(page.text).toMatch(/id="(application|token)-owners"/);
    expect(page.text).not.toMatch(/-invite-form"|token-invite"/);
    const { csrf_token } = hiddenFields(page);
    await post(agent, `/${id}/invite`, { csrf_token, person: 'bob' }).expect(404);
    await get(agent, `/${id}/invitation`).expect(404);
  });

  test('a person can send twenty invitations in an hour', async () => {
    await using limited = await openSite({
      personalAccessTokens: { serviceTokens: true },
      people: { findByName: () => null },
    });
    const { agent } = await logInPerson(limited);
    const ids = await Promise.all(Array.from({ length: 5 }, () => kind.make(limited, ['ada'], 'Job')));
    const csrf_token = await csrfOf(agent);
    const statuses: number[] = [];
    for (let tries = 0; tries < 22; tries += 1) {
      const path = `/${ids[tries % 5]}/invite`;
      statuses.push((await post(agent, path, { csrf_token, person: `nobody ${tries}` })).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 303), 429, 429]);
  });
});
