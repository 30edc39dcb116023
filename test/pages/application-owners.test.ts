import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import type { NewClient, OAuthEvent } from '../../lib/index.js';
import { aroundNext } from '../support/meanwhile.js';
import { mergeOptions } from '../support/merge-options.js';
import { knowing, logInAll } from '../support/owners.js';
import { createPerson, hiddenFields, logInPerson, pageAfter, type Person } from '../support/person.js';
import { openSite, type Site, type SiteOptions } from '../support/site.js';

type Agent = Person['agent'];

const ROOT = '/oauth/applications';
const GONE = 'There is no such invitation any more.';
const WEEK = 7 * 86_400_000;
const NAMES = ['ada', 'bob', 'eve', 'grace'] as const;

let site: Site;
let agents: Record<(typeof NAMES)[number], Agent>;
const events: OAuthEvent[] = [];
beforeAll(async () => {
  const options: SiteOptions = {
    security: { rateLimits: false },
    applications: { isAdministrator: ({ user }) => (user as unknown as { id: string }).id === 'grace' },
  };
  site = await openSite(mergeOptions(options, knowing(NAMES)));
  site.oauth.events.on('*', (event) => void events.push(event));
  agents = await logInAll(site, NAMES);
});
afterAll(() => site.close());
beforeEach(() => void events.splice(0));

const owned = async (more: Partial<NewClient> = {}) =>
  (await site.client({ ownerId: 'ada', ...more })).clientId;
const found = async (clientId: string) => (await site.oauth.clients.find(clientId))!;
const ownersOf = async (clientId: string) => {
  const { ownerId, coOwnerIds = [] } = await found(clientId);
  return [ownerId, ...coOwnerIds];
};
const get = (agent: Agent, path: string) => agent.get(`${ROOT}${path}`);
const post = (agent: Agent, path: string, fields: object) =>
  agent.post(`${ROOT}${path}`).set('Sec-Fetch-Site', 'same-origin').type('form').send(fields);
function formOf({ text }: Pick<Response, 'text'>, part: string): Record<string, string> {
  const form = text.match(/<form[\s\S]*?<\/form>/g)?.find((each) => each.includes(part));
  return form === undefined ? {} : hiddenFields({ text: form });
}
const tokenOf = async (agent: Agent) => hiddenFields(await get(agent, '/new')).csrf_token!;

async function invite(agent: Agent, clientId: string, person: string, as = 'owner') {
  const csrf_token = await tokenOf(agent);
  const answer = await post(agent, `/${clientId}/invite`, { csrf_token, person, as });
  return answer.status === 303 ? agent.get(String(answer.headers.location)) : answer;
}
async function answerInvitation(agent: Agent, clientId: string, action: 'accept' | 'decline') {
  const page = await get(agent, `/${clientId}/invitation`).expect(200);
  const answer = await post(agent, `/${clientId}/${action}`, formOf(page, `/${action}"`)).expect(303);
  return agent.get(String(answer.headers.location)).expect(200);
}
const invitationOf = async (clientId: string) => (await found(clientId)).invitations![0]!.id;
const expire = (clientId: string) =>
  site.database.connection
    .collection('oauth_clients')
    .updateOne(
      { _id: clientId as never },
      { $set: { 'invitations.$[].expiresAt': new Date(Date.now() - 1) } },
    );

describe('an owner invites another', () => {
  test('who sees it among their applications, accepts, and can do what the owner can', async () => {
    const clientId = await owned({ name: 'Printing <b>', verified: true });
    const page = await invite(agents.ada, clientId, ' Bob@example.com ');
    expect(page.text).toContain('If there is such a person here');
    expect(page.text).toContain('<bdi>Bob@example.com</bdi>');
    expect(await ownersOf(clientId)).toEqual(['ada']);
    await get(agents.bob, `/${clientId}`).expect(404);

    const list = await get(agents.bob, '').expect(200);
    expect(list.text).toContain(`href="${ROOT}/${clientId}/invitation"`);
    expect(list.text).toContain('Invited by <bdi>ADA (ada@example.com)</bdi>.');
    const requested = await get(agents.bob, `/${clientId}/invitation`).expect(200);
    expect(requested.text).toContain('Become an owner of <bdi>Printing &lt;b&gt;</bdi>?');
    expect(requested.text).not.toContain('secret_of');

    const theirs = await answerInvitation(agents.bob, clientId, 'accept');
    expect(theirs.text).toContain('You are an owner of this application now.');
    expect(await found(clientId)).toMatchObject({ ownerId: 'ada', coOwnerIds: ['bob'], verified: false });
    expect((await found(clientId)).invitations).toBeUndefined();
    expect(theirs.text).toContain('id="application-rotate"');
    await get(agents.bob, `/${clientId}/edit`).expect(200);
    const edit = await get(agents.bob, `/${clientId}/edit`);
    const saved = await post(agents.bob, `/${clientId}/edit`, {
      ...formOf(edit, 'application-submit'),
      name: 'Renamed',
      redirect_uris: 'https://print.example/callback',
      scope: 'profile',
      grant_type: 'authorization_code',
    });
    expect((await pageAfter(agents.bob, saved)).text).toContain('Your changes are saved.');
    expect(await found(clientId)).toMatchObject({ name: 'Renamed' });
    expect((await get(agents.bob, '')).text).toContain('Renamed');
    expect(events.map(({ type, userId, actorId, reason }) => [type, userId, actorId, reason])).toEqual(
      expect.arrayContaining([
        ['owner.invited', 'bob', 'ada', 'owner'],
        ['owner.added', 'bob', 'ada', 'owner'],
      ]),
    );
  });

  test('nothing tells whether there is such a person', async () => {
    const [known, unknown] = [await owned(), await owned()];
    const pages = [await invite(agents.ada, known, 'eve'), await invite(agents.ada, unknown, 'nobody')];
    const [one, other] = pages.map(({ status, text }) => [
      status,
      text
        .replaceAll(/value="[^"]*"/g, '')
        .replaceAll(known, 'ID')
        .replaceAll(unknown, 'ID')
        .replaceAll('nobody', 'eve')
        .replaceAll(/<time[^]*?<\/time>|code_challenge=[^&"]*|[\w-]{43}|…[\w-]{4}/g, ''),
    ]);
    expect(one).toEqual(other);
    expect((await found(unknown)).invitations).toEqual([
      expect.objectContaining({ typed: 'nobody', as: 'owner', invitedBy: 'ada' }),
    ]);
    // another name of the same person reveals nothing either: the page repeats what was typed
    expect((await invite(agents.ada, known, 'eve@example.com')).text).toContain('<bdi>eve@example.com</bdi>');
  });

  test('who declines it, or from whom it is taken back', async () => {
    const clientId = await owned();
    await invite(agents.ada, clientId, 'bob');
    expect((await answerInvitation(agents.bob, clientId, 'decline')).text).toContain('is declined');
    expect((await found(clientId)).invitations).toBeUndefined();
    const page = await invite(agents.ada, clientId, 'bob');
    const old = await get(agents.bob, `/${clientId}/invitation`).expect(200);
    await post(agents.ada, `/${clientId}/withdraw`, formOf(page, 'invitation-withdraw-0')).expect(303);
    // even if there is another invitation by now, which is not the one they saw
    await invite(agents.ada, clientId, 'bob', 'transfer');
    const late = await post(agents.bob, `/${clientId}/accept`, formOf(old, '/accept"')).expect(303);
    expect((await pageAfter(agents.bob, late)).text).toContain(GONE);
    expect(await ownersOf(clientId)).toEqual(['ada']);
    expect(
      events.flatMap(({ type, reason, userId }) =>
        type === 'owner.invitation_ended' ? [[reason, userId]] : [],
      ),
    ).toEqual([
      ['declined', 'bob'],
      ['withdrawn', 'bob'],
    ]);
  });

  test('five at most, of whoever; those that have expired do not count, and cannot be accepted', async () => {
    const clientId = await owned();
    for (const name of ['bob', 'x', 'y', 'z', 'q']) await invite(agents.ada, clientId, name);
    const sixth = await invite(agents.ada, clientId, 'eve');
    expect(sixth.status).toBe(422);
    expect(sixth.text).toContain('Five invitations are open already.');
    expect(sixth.text).toContain('name="person" value="eve"');
    const id = await invitationOf(clientId);
    await expire(clientId);
    await get(agents.bob, `/${clientId}/invitation`).expect(303);
    expect((await get(agents.bob, '')).text).not.toContain(clientId);
    const csrf_token = await tokenOf(agents.bob);
    const late = await post(agents.bob, `/${clientId}/accept`, { csrf_token, invitation: id });
    expect((await pageAfter(agents.bob, late)).text).toContain(GONE);
    expect(await ownersOf(clientId)).toEqual(['ada']);
    await invite(agents.ada, clientId, 'eve');
    const [left, ...others] = (await found(clientId)).invitations!;
    expect([left?.userId, others]).toEqual(['eve', []]);
    expect(left!.expiresAt.getTime() - Date.now()).toBeGreaterThan(WEEK - 60_000);
    expect(left!.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(WEEK);
  });

  test.each([
    ['', 'Enter who it is.'],
    ['\u0000 \u200b', 'Enter who it is.'],
    ['x'.repeat(201), 'longer than 200 characters'],
    ['ada', 'This person is an owner already.'],
    ['bob@example.com', 'This person is an owner already.'],
  ])('%j is refused, with what was typed', async (person, message) => {
    const clientId = await owned({ coOwnerIds: ['bob'] });
    const page = await invite(agents.ada, clientId, person);
    expect(page.status).toBe(422);
    expect(page.text).toContain(message);
    expect((await found(clientId)).invitations).toBeUndefined();
    await get(agents.ada, `/${clientId}`).expect(200);
  });

  test('a form of another session is shown again, and one of nobody is kept until they are logged in', async () => {
    const clientId = await owned();
    const page = await post(agents.ada, `/${clientId}/invite`, {
      csrf_token: 'old',
      person: 'bob',
      as: 'transfer',
    });
    expect(page.status).toBe(403);
    expect(page.text).toContain('value="bob"');
    expect(page.text).toMatch(/value="transfer" checked/);
    expect((await found(clientId)).invitations).toBeUndefined();
    const { agent } = createPerson(site);
    const lost = await post(agent, `/${clientId}/invite`, { person: 'bob', as: 'owner' }).expect(403);
    expect(hiddenFields(lost)).toMatchObject({ person: 'bob', as: 'owner' });
  });
});

describe('an application is handed over', () => {
  test('to whom accepts it: the owner is none any more, and the others stay', async () => {
    const clientId = await owned({ coOwnerIds: ['eve'], verified: true });
    await invite(agents.ada, clientId, 'bob', 'transfer');
    expect(await ownersOf(clientId)).toEqual(['ada', 'eve']);
    await answerInvitation(agents.bob, clientId, 'accept');
    expect(await ownersOf(clientId)).toEqual(['bob', 'eve']);
    expect((await found(clientId)).verified).toBe(false);
    await get(agents.ada, `/${clientId}`).expect(404);
    // people who are asked for access are told so, and not that today's owner has registered it
    const requested = await agents.eve.get('/oauth/authorize').query({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: 'https://print.example/callback',
    });
    expect(requested.text).toContain('In the hands of <bdi>BOB</bdi> since <bdi>');
    expect(requested.text).not.toContain('by <bdi>BOB');
    expect(events.find(({ type }) => type === 'owner.added')).toMatchObject({
      clientId,
      userId: 'bob',
      actorId: 'ada',
      reason: 'transfer',
    });
    expect(events.find(({ type }) => type === 'owner.removed')).toMatchObject({
      clientId,
      userId: 'ada',
      actorId: 'ada',
    });
  });

  test('to another owner', async () => {
    const clientId = await owned({ coOwnerIds: ['bob'] });
    await invite(agents.ada, clientId, 'bob', 'transfer');
    await answerInvitation(agents.bob, clientId, 'accept');
    expect(await ownersOf(clientId)).toEqual(['bob']);
  });
});

describe('owners leave, and are removed', () => {
  const removal = async (agent: Agent, clientId: string, owner: string) => {
    const page = await get(agent, `/${clientId}/remove-owner?owner=${owner}`).expect(200);
    return post(agent, `/${clientId}/remove-owner`, formOf(page, 'application-owner-confirm')).expect(303);
  };

  test('one leaves', async () => {
    const clientId = await owned({ coOwnerIds: ['bob'] });
    const left = await removal(agents.ada, clientId, 'ada');
    expect(left.headers.location).toBe(ROOT);
    expect((await pageAfter(agents.ada, left)).text).toContain('You are no longer an owner');
    expect(await ownersOf(clientId)).toEqual(['bob']);
    expect(events.find(({ type }) => type === 'owner.removed')).toMatchObject({
      userId: 'ada',
      actorId: 'ada',
    });
  });

  test('one removes the other, whose invitations end, and whose open pages do nothing', async () => {
    const clientId = await owned({ coOwnerIds: ['bob'] });
    await invite(agents.bob, clientId, 'eve');
    const edit = await get(agents.bob, `/${clientId}/edit`).expect(200);
    const old = await get(agents.bob, `/${clientId}`).expect(200);
    const requested = await get(agents.eve, `/${clientId}/invitation`).expect(200);
    await removal(agents.ada, clientId, 'bob');
    const fields = {
      redirect_uris: 'https://evil.example/',
      scope: 'profile',
      grant_type: 'authorization_code',
    };
    await post(agents.bob, `/${clientId}/edit`, {
      ...formOf(edit, 'application-submit'),
      name: 'Mine',
      ...fields,
    }).expect(404);
    await post(agents.bob, `/${clientId}/rotate-secret`, formOf(old, 'application-rotate')).expect(404);
    await post(agents.bob, `/${clientId}/invite`, {
      ...formOf(old, 'application-invite-form'),
      person: 'bob',
    }).expect(404);
    await post(agents.bob, `/${clientId}/remove-owner`, {
      ...formOf(old, 'application-invite-form'),
      owner: 'ada',
    }).expect(404);
    const late = await post(agents.eve, `/${clientId}/accept`, formOf(requested, '/accept"')).expect(303);
    expect((await pageAfter(agents.eve, late)).text).toContain(GONE);
    expect(await ownersOf(clientId)).toEqual(['ada']);
    expect((await found(clientId)).name).not.toBe('Mine');
  });

  test('who is removed in the middle of it invites nobody, and accepts nothing that was taken back', async () => {
    const clientId = await owned({ coOwnerIds: ['bob'] });
    const csrf_token = await tokenOf(agents.bob);
    aroundNext(site.oauth.models.Client as never, 'findOne', {
      after: () => site.oauth.clients.removeOwner(clientId, 'bob'),
    });
    await post(agents.bob, `/${clientId}/invite`, { csrf_token, person: 'eve', as: 'owner' }).expect(404);
    expect((await found(clientId)).invitations).toBeUndefined();
  });

  test('invitations are void as well if code has taken away who made them', async () => {
    const clientId = await owned({ coOwnerIds: ['bob'] });
    await invite(agents.bob, clientId, 'eve');
    const requested = await get(agents.eve, `/${clientId}/invitation`).expect(200);
    await site.oauth.clients.update(clientId, { coOwnerIds: undefined });
    await post(agents.eve, `/${clientId}/accept`, formOf(requested, '/accept"')).expect(303);
    expect(await ownersOf(clientId)).toEqual(['ada']);
  });

  test('the last one does not leave, not even with an old page', async () => {
    const clientId = await owned({ coOwnerIds: ['bob'] });
    const page = await get(agents.ada, `/${clientId}/remove-owner?owner=ada`).expect(200);
    await removal(agents.bob, clientId, 'bob');
    const answer = await post(agents.ada, `/${clientId}/remove-owner`, formOf(page, 'owner-confirm')).expect(
      303,
    );
    const reported = await agents.ada.get(answer.headers.location!).expect(200);
    expect(reported.text).toContain('Nobody else owns the application.');
    expect(reported.text).not.toContain('owner-remove-0');
    expect(await ownersOf(clientId)).toEqual(['ada']);
  });
});

describe('attackers', () => {
  test('another person sees and accepts nothing of an invitation, whatever they send', async () => {
    const clientId = await owned();
    await invite(agents.ada, clientId, 'bob');
    const id = await invitationOf(clientId);
    const csrf_token = await tokenOf(agents.eve);
    const none = await get(agents.eve, `/${clientId}/invitation`).expect(303);
    expect((await pageAfter(agents.eve, none)).text).toContain(GONE);
    for (const action of ['accept', 'decline'])
      for (const fields of [{ invitation: id }, { invitation: id, userId: 'bob' }, { invitation: '' }, {}]) {
        const answer = await post(agents.eve, `/${clientId}/${action}`, { csrf_token, ...fields }).expect(
          303,
        );
        expect((await pageAfter(agents.eve, answer)).text).toContain(GONE);
      }
    await post(agents.eve, `/none/accept`, { csrf_token, invitation: id }).expect(303);
    await post(agents.eve, `/${clientId}/accept`, { csrf_token, 'invitation[$ne]': '' }).expect(303);
    await post(agents.eve, `/${clientId}/withdraw`, { csrf_token, invitation: id }).expect(404);
    await post(agents.eve, `/${clientId}/invite`, { csrf_token, person: 'eve' }).expect(404);
    await post(agents.eve, `/${clientId}/remove-owner`, { csrf_token, owner: 'ada' }).expect(404);
    await get(agents.eve, `/${clientId}/remove-owner?owner=ada`).expect(404);
    expect(await ownersOf(clientId)).toEqual(['ada']);
    expect((await found(clientId)).invitations).toHaveLength(1);
  });

  test('the invitation of one client is none of another', async () => {
    const [clientId, other] = [await owned(), await owned({ ownerId: 'eve' })];
    await invite(agents.ada, clientId, 'bob');
    const csrf_token = await tokenOf(agents.bob);
    await post(agents.bob, `/${other}/accept`, {
      csrf_token,
      invitation: await invitationOf(clientId),
    }).expect(303);
    expect(await ownersOf(other)).toEqual(['eve']);
  });

  test('a link or another site accepts nothing', async () => {
    const clientId = await owned();
    await invite(agents.ada, clientId, 'bob');
    const invitation = await invitationOf(clientId);
    await post(agents.bob, `/${clientId}/accept`, { invitation }).expect(403);
    await get(agents.bob, `/${clientId}/accept?invitation=${invitation}`).expect(404);
    expect(await ownersOf(clientId)).toEqual(['ada']);
  });

  test('an owner gives away nothing that the site holds: trusted or blocked', async () => {
    const trusted = await owned({ trusted: true });
    const csrf_token = await tokenOf(agents.ada);
    await post(agents.ada, `/${trusted}/invite`, { csrf_token, person: 'bob' }).expect(404);
    const clientId = await owned({ coOwnerIds: ['eve'] });
    await invite(agents.ada, clientId, 'bob');
    const requested = await get(agents.bob, `/${clientId}/invitation`).expect(200);
    await site.oauth.clients.block(clientId);
    for (const [path, fields] of [
      ['invite', { person: 'bob' }],
      ['withdraw', {}],
      ['remove-owner', { owner: 'eve' }],
      ['remove-owner', { owner: 'ada' }],
    ] as const)
      await post(agents.ada, `/${clientId}/${path}`, { csrf_token, ...fields }).expect(404);
    await post(agents.bob, `/${clientId}/accept`, formOf(requested, '/accept"')).expect(303);
    expect(await ownersOf(clientId)).toEqual(['ada', 'eve']);
  });
});

describe('administrators', () => {
  test('see all owners, remove and invite them, and hand nothing over that is not theirs', async () => {
    const clientId = await owned({ coOwnerIds: ['bob'] });
    const page = await get(agents.grace, `/${clientId}`).expect(200);
    expect(page.text).toContain('<bdi>BOB (bob@example.com)</bdi> <code>bob</code>');
    expect(page.text).not.toContain('value="transfer"');
    const csrf_token = await tokenOf(agents.grace);
    await post(agents.grace, `/${clientId}/invite`, { csrf_token, person: 'eve', as: 'transfer' }).expect(
      404,
    );
    await invite(agents.grace, clientId, 'eve');
    await post(agents.grace, `/${clientId}/remove-owner`, { csrf_token, owner: 'ada' }).expect(303);
    await answerInvitation(agents.eve, clientId, 'accept');
    expect(await ownersOf(clientId)).toEqual(['bob', 'eve']);
  });
});

describe('without the option people.findByName', () => {
  test('owners are listed, and nobody can be invited', async () => {
    await using other = await openSite({ security: { rateLimits: false } });
    const { clientId } = await other.client({ ownerId: 'ada', coOwnerIds: ['bob'] });
    const ada = await logInPerson(other, 'ada');
    const { text } = await get(ada.agent, `/${clientId}`).expect(200);
    expect(text).toContain('id="application-owners"');
    expect(text).not.toContain('application-invite-form');
    const csrf_token = await tokenOf(ada.agent);
    await post(ada.agent, `/${clientId}/invite`, { csrf_token, person: 'bob' }).expect(404);
    await get(ada.agent, `/${clientId}/invitation`).expect(404);
  });
});

describe('how often somebody invites', () => {
  test('is limited, for all their applications together', async () => {
    await using other = await openSite({
      people: { findByName: () => undefined },
    });
    const clientIds = await Promise.all(
      Array.from({ length: 5 }, async () => (await other.client({ ownerId: 'ada' })).clientId),
    );
    const ada = await logInPerson(other, 'ada');
    const csrf_token = await tokenOf(ada.agent);
    const statuses: number[] = [];
    for (let tries = 0; tries < 21; tries += 1) {
      const path = `/${clientIds[tries % 5]}/invite`;
      statuses.push((await post(ada.agent, path, { csrf_token, person: `n${tries}` })).status);
    }
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 303));
    expect(statuses[20]).toBe(429);
  });
});
