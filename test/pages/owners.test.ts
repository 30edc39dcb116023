import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import type { OAuthEvent } from '../../lib/index.js';
import { aroundNext } from '../support/meanwhile.js';
import { knowing, logInAll } from '../support/owners.js';
import {
  createPerson,
  hiddenFields,
  logInPerson,
  pageAfter,
  type Person,
  postForm,
} from '../support/person.js';
import { openSite, type Site } from '../support/site.js';
import { siteFor } from '../support/site-for.js';

type Agent = Person['agent'];

const GONE = 'There is no such invitation any more.';
const WEEK = 7 * 86_400_000;
const NAMES = ['ada', 'bob', 'eve', 'grace'] as const;
const PRINTING = {
  redirect_uris: 'https://print.example/callback',
  scope: 'profile',
  grant_type: 'authorization_code',
};

let agents: Record<(typeof NAMES)[number], Agent>;
const events: OAuthEvent[] = [];

const site = siteFor(() => ({
  personalAccessTokens: { serviceTokens: true },
  security: { rateLimits: false },
  applications: { isAdministrator: ({ user }) => (user as unknown as { id: string }).id === 'grace' },
  ...knowing(NAMES),
}));

beforeAll(async () => {
  site.oauth.events.on('*', (event) => {
    if (/^owner\./.test(event.type)) events.push(event);
  });
  agents = await logInAll(site, NAMES);
});
beforeEach(async () => {
  for (const ownerId of NAMES)
    for (const { id } of await site.oauth.personalAccessTokens.list({ ownerId }))
      await site.oauth.personalAccessTokens.revoke(id);
  events.splice(0);
});
const heard = () => events.map(({ type, userId, actorId, reason }) => [type, userId, actorId, reason]);

/** What people own together. */
interface Kind {
  readonly root: string;
  /** Makes one in the hands of these people, and returns its id. */
  readonly make: (of: Site, owners: readonly string[], name: string) => Promise<string>;
  readonly ownersOf: (id: string) => Promise<readonly string[]>;
  readonly invitationsOf: (id: string) => Promise<readonly (Invitation | undefined)[]>;
  /** Lets its invitations end now. */
  readonly expire: (id: string) => Promise<unknown>;
  readonly block: (id: string) => Promise<unknown>;
  /** What the page says that asks somebody to become an owner. */
  readonly requested: readonly string[];
  readonly accepted: string;
  readonly left: string;
  readonly removed: string;
  readonly last: string;
}
interface Invitation {
  readonly id: string;
  readonly userId?: string;
  readonly typed: string;
  readonly as: string;
  readonly expiresAt: Date;
}

const found = async (clientId: string) => (await site.oauth.clients.find(clientId))!;
const grantOf = (_id: string) => site.oauth.models.Grant.findOne({ _id }).lean();
const setIn = (collection: string, id: string, field: string) =>
  site.database.connection
    .collection(collection)
    .updateOne({ _id: id as never }, { $set: { [`${field}.$[].expiresAt`]: new Date(Date.now() - 1) } });

const APPLICATION: Kind = {
  root: '/oauth/applications',
  async make(of, [ownerId, ...coOwnerIds], name) {
    return (await of.client({ name, ownerId, coOwnerIds, verified: true })).clientId;
  },
  async ownersOf(id) {
    const { ownerId, coOwnerIds = [] } = await found(id);
    return [String(ownerId), ...coOwnerIds];
  },
  invitationsOf: async (id) => (await found(id)).invitations ?? [],
  expire: (id) => setIn('oauth_clients', id, 'invitations'),
  block: (id) => site.oauth.clients.block(id),
  requested: ['Become an owner of <bdi>Deploy &lt;b&gt;</bdi>?'],
  accepted: 'You are an owner of this application now.',
  left: 'You are no longer an owner of the application.',
  removed: 'If they know a secret of the application, make a new one.',
  last: 'Nobody else owns the application.',
};
const SERVICE_TOKEN: Kind = {
  root: '/oauth/access-tokens',
  async make({ oauth }, owners, name) {
    return (await oauth.personalAccessTokens.create({ owners: [...owners], name, scopes: ['photos:read'] }))
      .id;
  },
  ownersOf: async (id) => (await site.oauth.personalAccessTokens.find(id))!.owners ?? [],
  invitationsOf: async (id) => (await grantOf(id))?.namedToken?.invitations ?? [],
  expire: (id) => setIn('oauth_grants', id, 'namedToken.invitations'),
  block: (id) => site.oauth.personalAccessTokens.block(id),
  requested: ['Deploy &lt;b&gt;', 'See your photos'],
  accepted: 'You are an owner of this token now.',
  left: 'You are no longer an owner of',
  removed: 'If they know the token, replace it.',
  last: 'Nobody else owns the token.',
};

/** The pages of one kind, as people use them. */
function pagesOf({ root, make: create }: Kind) {
  const get = (agent: Agent, path: string) => agent.get(`${root}${path}`);
  const post = (agent: Agent, path: string, fields: object) =>
    postForm(agent, `${root}${path}`, fields).set('Sec-Fetch-Site', 'same-origin');
  const csrfOf = async (agent: Agent) => hiddenFields(await get(agent, '/new')).csrf_token!;
  /** Sends a form with the token of the session, and follows where it leads. */
  const send = async (agent: Agent, path: string, fields: object): Promise<Response> =>
    pageAfter(agent, await post(agent, path, { csrf_token: await csrfOf(agent), ...fields }));
  return {
    get,
    post,
    csrfOf,
    send,
    make: (owners: readonly string[] = ['ada'], name = 'Deployment') => create(site, owners, name),
    invite: (agent: Agent, id: string, person: string, as = 'owner') =>
      send(agent, `/${id}/invite`, { person, as }),
    async answer(agent: Agent, id: string, action: 'accept' | 'decline') {
      const page = await get(agent, `/${id}/invitation`).expect(200);
      return send(agent, `/${id}/${action}`, formOf(page, `/${action}"`));
    },
    async remove(agent: Agent, id: string, owner: string) {
      const page = await get(agent, `/${id}/remove-owner?owner=${owner}`).expect(200);
      return send(agent, `/${id}/remove-owner`, formOf(page, 'remove-owner"'));
    },
  };
}

/** The hidden fields of the form of a page that has this in it. */
function formOf({ text }: Pick<Response, 'text'>, part: string): Record<string, string> {
  const form = text.match(/<form[\s\S]*?<\/form>/g)?.find((each) => each.includes(part));
  return form === undefined ? {} : hiddenFields({ text: form });
}

describe.each([
  ['an application', APPLICATION],
  ['a service token', SERVICE_TOKEN],
])('%s', (_what, kind) => {
  const { root, ownersOf, invitationsOf } = kind;
  const { get, post, csrfOf, send, make, invite, answer, remove } = pagesOf(kind);

  describe('an owner invites another', () => {
    test('who sees it among what is theirs, accepts, and can do what the owner can', async () => {
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

    test('nothing tells whether there is such a person', async () => {
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
      // another name of the same person reveals nothing either: the page repeats what was typed
      expect((await invite(agents.ada, known, 'eve@example.com')).text).toContain(
        '<bdi>eve@example.com</bdi>',
      );
    });

    test('who declines it, or from whom it is taken back', async () => {
      const id = await make();
      await invite(agents.ada, id, 'bob');
      expect((await answer(agents.bob, id, 'decline')).text).toContain('The invitation is declined.');
      expect(await invitationsOf(id)).toEqual([]);
      const page = await invite(agents.ada, id, 'bob');
      const old = await get(agents.bob, `/${id}/invitation`).expect(200);
      const withdrawn = await send(agents.ada, `/${id}/withdraw`, formOf(page, '/withdraw"'));
      expect(withdrawn.text).toContain('The invitation is taken back.');
      // even if there is another invitation by now, which is not the one they saw
      await invite(agents.ada, id, 'bob', 'transfer');
      expect((await send(agents.bob, `/${id}/accept`, formOf(old, '/accept"'))).text).toContain(GONE);
      expect(await ownersOf(id)).toEqual(['ada']);
      expect(heard().filter(([type]) => type === 'owner.invitation_ended')).toEqual([
        ['owner.invitation_ended', 'bob', 'bob', 'declined'],
        ['owner.invitation_ended', 'bob', 'ada', 'withdrawn'],
      ]);
    });

    test('five at most, of whoever; those that have expired do not count, and cannot be accepted', async () => {
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
    ])('%j is refused, with what was typed', async (person, message) => {
      const id = await make(['ada', 'bob']);
      const page = await invite(agents.ada, id, person);
      expect(page.status).toBe(422);
      expect(page.text).toContain(message);
      expect(await invitationsOf(id)).toEqual([]);
      await get(agents.ada, `/${id}`).expect(200);
    });

    test('a form of another session is shown again, and one of nobody is kept until they are logged in', async () => {
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

    test('in their own place: the owner is none any more, and the others stay', async () => {
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

    test('in their own place, who is an owner already', async () => {
      const id = await make(['ada', 'bob']);
      await invite(agents.ada, id, 'bob', 'transfer');
      await answer(agents.bob, id, 'accept');
      expect(await ownersOf(id)).toEqual(['bob']);
    });
  });

  describe('owners', () => {
    test('leave, and remove each other; the last one stays, also with an old page', async () => {
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

    test('who are removed take their invitations with them, and their open pages do nothing', async () => {
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

    test('both of two who leave at the same moment: one stays', async () => {
      const id = await make(['ada', 'bob']);
      await Promise.all([remove(agents.ada, id, 'ada'), remove(agents.bob, id, 'bob')]);
      expect(await ownersOf(id)).toHaveLength(1);
    });

    test('of what is blocked stay as they are', async () => {
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

  describe('a stranger', () => {
    test('sees and accepts nothing of an invitation, whatever they send', async () => {
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
      // nor is the invitation to one thing one to another
      const other = await make(['eve']);
      await send(agents.bob, `/${other}/accept`, { invitation });
      expect([await ownersOf(id), await ownersOf(other)]).toEqual([['ada'], ['eve']]);
      expect(await invitationsOf(id)).toEqual([expect.objectContaining({ id: invitation })]);
    });

    test.each([['none'], ['forged']])(
      'sends no form from another site, with the CSRF token: %s',
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

  test('a person invites twenty times in an hour, to whatever is theirs, and no more', async () => {
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

describe('an application alone', () => {
  const { get, post, csrfOf, send, make, invite, answer, remove } = pagesOf(APPLICATION);
  const { ownersOf, invitationsOf } = APPLICATION;

  test('is verified no more once there is another owner, who changes it', async () => {
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

  test('is changed by no page that a former owner has open', async () => {
    const id = await make(['ada', 'bob']);
    const edit = await get(agents.bob, `/${id}/edit`).expect(200);
    const old = await get(agents.bob, `/${id}`).expect(200);
    await remove(agents.ada, id, 'bob');
    const fields = { ...formOf(edit, 'application-submit'), name: 'Mine', ...PRINTING };
    await post(agents.bob, `/${id}/edit`, fields).expect(404);
    await post(agents.bob, `/${id}/rotate-secret`, formOf(old, 'application-rotate')).expect(404);
    expect((await found(id)).name).not.toBe('Mine');
  });

  test('that is handed over says so to whom it asks for access, and not that today’s owner has registered it', async () => {
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

  test('who is removed in the middle of it invites nobody', async () => {
    const id = await make(['ada', 'bob']);
    const csrf_token = await csrfOf(agents.bob);
    aroundNext(site.oauth.models.Client as never, 'findOne', {
      after: () => site.oauth.clients.removeOwner(id, 'bob'),
    });
    await post(agents.bob, `/${id}/invite`, { csrf_token, person: 'eve', as: 'owner' }).expect(404);
    expect(await invitationsOf(id)).toEqual([]);
  });

  test('invitations are void as well if code has taken away who made them', async () => {
    const id = await make(['ada', 'bob']);
    await invite(agents.bob, id, 'eve');
    const requested = await get(agents.eve, `/${id}/invitation`).expect(200);
    await site.oauth.clients.update(id, { coOwnerIds: undefined });
    await post(agents.eve, `/${id}/accept`, formOf(requested, '/accept"')).expect(303);
    expect(await ownersOf(id)).toEqual(['ada']);
  });

  test('that the site trusts is given away by no owner', async () => {
    const { clientId } = await site.client({ ownerId: 'ada', trusted: true });
    expect((await send(agents.ada, `/${clientId}/invite`, { person: 'bob' })).status).toBe(404);
  });

  test('administrators see all owners, remove and invite them, and hand nothing over that is not theirs', async () => {
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

describe('a service token alone', () => {
  const { post, csrfOf, make, invite, answer } = pagesOf(SERVICE_TOKEN);
  const { ownersOf } = SERVICE_TOKEN;

  test('has twenty owners at most, by the page and by code', async () => {
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

  test('is taken by nobody who looks after as many as they can', async () => {
    await Promise.all(Array.from({ length: 50 }, () => make(['bob'])));
    const id = await make();
    await invite(agents.ada, id, 'bob');
    expect((await answer(agents.bob, id, 'accept')).text).toContain('You have as many service tokens');
    expect(await ownersOf(id)).toEqual(['ada']);
  });

  test('has owners; the token of a person has none', async () => {
    const { personalAccessTokens: tokens } = site.oauth;
    const { id } = await tokens.create({ userId: 'eve', name: 'Own', scopes: ['profile'] });
    const csrf_token = await csrfOf(agents.eve);
    await post(agents.eve, `/${id}/invite`, { csrf_token, person: 'bob' }).expect(404);
    await tokens.revoke(id);
  });

  test('policy.onAuthorize is told who makes one, and of which user a personal one is', async () => {
    const questions: object[] = [];
    await using other = await openSite({
      personalAccessTokens: { serviceTokens: true },
      policy: {
        onAuthorize: ({ userId, createdBy }) => void questions.push({ userId, createdBy }),
      },
    });
    const person = await logInPerson(other);
    for (const kind of ['service', 'personal'])
      await person.agent.get(`${SERVICE_TOKEN.root}/new?kind=${kind}`);
    expect(questions).toEqual([
      { userId: undefined, createdBy: 'ada' },
      { userId: 'ada', createdBy: undefined },
    ]);
  });
});
