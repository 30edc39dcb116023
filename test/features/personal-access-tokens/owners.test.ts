import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import type { OAuthEvent } from '../../../lib/index.js';
import { letPass } from '../../support/clock.js';
import { knowing, logInAll } from '../../support/owners.js';
import { createPerson, hiddenFields, logInPerson, type Person, postForm } from '../../support/person.js';
import { openSite } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';

type Agent = Person['agent'];

const ROOT = '/oauth/access-tokens';
const GONE = 'There is no such invitation any more.';
const NAMES = ['ada', 'bob', 'eve'] as const;

let agents: Record<(typeof NAMES)[number], Agent>;
const events: OAuthEvent[] = [];

const site = siteFor(() => ({
  personalAccessTokens: { serviceTokens: true },
  security: { rateLimits: false },
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

const make = async (owners: readonly string[] = ['ada'], name = 'Deployment') =>
  (await site.oauth.personalAccessTokens.create({ owners: [...owners], name, scopes: ['photos:read'] })).id;
const ownersOf = async (id: string) => (await site.oauth.personalAccessTokens.find(id))!.owners;
const get = (agent: Agent, path: string) => agent.get(`${ROOT}${path}`);
const post = (agent: Agent, path: string, fields: object) =>
  agent.post(`${ROOT}${path}`).set('Sec-Fetch-Site', 'same-origin').type('form').send(fields);
const csrfOf = async (agent: Agent) => hiddenFields(await get(agent, '/new')).csrf_token!;
async function after(agent: Agent, answer: Response): Promise<Response> {
  return answer.status === 303 ? agent.get(String(answer.headers.location)) : answer;
}
async function invite(agent: Agent, id: string, person: string, as = 'owner'): Promise<Response> {
  return after(agent, await post(agent, `/${id}/invite`, { csrf_token: await csrfOf(agent), person, as }));
}
async function answerInvitation(agent: Agent, id: string, action: 'accept' | 'decline'): Promise<Response> {
  const page = await get(agent, `/${id}/invitation`).expect(200);
  return after(agent, await post(agent, `/${id}/${action}`, hiddenFields(page)));
}
async function remove(agent: Agent, id: string, owner: string): Promise<Response> {
  const page = await get(agent, `/${id}/remove-owner?owner=${owner}`).expect(200);
  return after(agent, await post(agent, `/${id}/remove-owner`, hiddenFields(page)));
}
const storedInvitations = async (id: string) =>
  (await site.oauth.models.Grant.findOne({ _id: id }).lean())?.namedToken?.invitations ?? [];
const heard = () => events.map(({ type, userId, actorId, reason }) => ({ type, userId, actorId, reason }));

describe('an owner of a service token invites another', () => {
  test('who sees it beside their tokens, accepts, and can do what the owner can', async () => {
    const id = await make(['ada'], 'Deploy <b>');
    const page = await invite(agents.ada, id, ' Bob@example.com ');
    expect(page.text).toContain('If there is such a person here');
    expect(page.text).toContain('<bdi>Bob@example.com</bdi>');
    await get(agents.bob, `/${id}`).expect(404);

    const list = await get(agents.bob, '');
    expect(list.text).toContain(`href="${ROOT}/${id}/invitation"`);
    expect(list.text).toContain('Invited by <bdi>ADA (ada@example.com)</bdi>.');
    const requested = await get(agents.bob, `/${id}/invitation`);
    expect(requested.text).toContain('Deploy &lt;b&gt;');
    expect(requested.text).toContain('See your photos');
    expect((await answerInvitation(agents.bob, id, 'accept')).text).toContain(
      'You are an owner of this token now.',
    );
    expect(await ownersOf(id)).toEqual(['ada', 'bob']);
    const own = await get(agents.bob, `/${id}`).expect(200);
    // by their names, as the site has them
    expect(own.text).toContain('<bdi>ADA (ada@example.com)</bdi>');
    expect(own.text).not.toContain('<code>ada</code>');
    expect((await get(agents.bob, '')).text).not.toContain('/invitation"');
    expect(heard()).toEqual([
      { type: 'owner.invited', userId: 'bob', actorId: 'ada', reason: 'owner' },
      { type: 'owner.added', userId: 'bob', actorId: 'ada', reason: 'owner' },
    ]);
  });

  test('who declines, and is not asked again by that', async () => {
    const id = await make();
    await invite(agents.ada, id, 'bob');
    expect((await answerInvitation(agents.bob, id, 'decline')).text).toContain('The invitation is declined.');
    expect([await ownersOf(id), await storedInvitations(id)]).toEqual([['ada'], []]);
    expect(heard().at(-1)).toEqual({
      type: 'owner.invitation_ended',
      userId: 'bob',
      actorId: 'bob',
      reason: 'declined',
    });
  });

  test('in their own place', async () => {
    const id = await make();
    await invite(agents.ada, id, 'bob', 'transfer');
    await answerInvitation(agents.bob, id, 'accept');
    expect(await ownersOf(id)).toEqual(['bob']);
    await get(agents.ada, `/${id}`).expect(404);
    expect(heard().slice(1)).toEqual([
      { type: 'owner.added', userId: 'bob', actorId: 'ada', reason: 'transfer' },
      { type: 'owner.removed', userId: 'ada', actorId: 'ada', reason: undefined },
    ]);
  });

  test('who is not there: the answer is the same, and nobody can accept', async () => {
    const [id, other] = [await make(), await make()];
    const [there, nowhere] = [await invite(agents.ada, id, 'bob'), await invite(agents.ada, other, 'nobody')];
    const plain = ({ text }: Response) =>
      text
        .replaceAll(/(value|datetime|action)="[^"]*"|[\w-]{22}|%[\w]+|>(bob|nobody)</g, '')
        .replaceAll(/\s+/g, ' ');
    expect(plain(nowhere)).toBe(plain(there));
    expect(await storedInvitations(other)).toEqual([
      expect.not.objectContaining({ userId: expect.anything() }),
    ]);
  });

  test('and takes it back', async () => {
    const id = await make();
    await invite(agents.ada, id, 'bob');
    const invitation = (await storedInvitations(id))[0]?.id ?? '';
    const csrf_token = await csrfOf(agents.ada);
    const page = await after(
      agents.ada,
      await post(agents.ada, `/${id}/withdraw`, { csrf_token, invitation }),
    );
    expect(page.text).toContain('The invitation is taken back.');
    const answer = await post(agents.bob, `/${id}/accept`, {
      csrf_token: await csrfOf(agents.bob),
      invitation,
    });
    expect((await after(agents.bob, answer)).text).toContain(GONE);
    expect(await ownersOf(id)).toEqual(['ada']);
  });

  test.each([
    ['nobody named', '', 'Enter who it is.'],
    ['more than 200 characters', 'x'.repeat(201), 'This is longer than 200 characters.'],
    ['an owner already', 'ada', 'This person is an owner already.'],
  ])('%s is said at the form, which does nothing', async (_what, person, said) => {
    const id = await make();
    expect((await invite(agents.ada, id, person)).text).toContain(said);
    expect(await storedInvitations(id)).toEqual([]);
  });

  test('an invitation ends after seven days', async () => {
    const id = await make();
    await invite(agents.ada, id, 'bob');
    const page = await get(agents.bob, `/${id}/invitation`);
    letPass(7 * 86_400 + 1);
    const late = await post(agents.bob, `/${id}/accept`, hiddenFields(page));
    expect((await after(agents.bob, late)).text).not.toContain('You are an owner');
    expect(await ownersOf(id)).toEqual(['ada']);
  });
});

describe('owners', () => {
  test('leave, and remove each other; the last one stays', async () => {
    const id = await make(['ada', 'bob', 'eve']);
    expect((await remove(agents.ada, id, 'eve')).text).toContain('If they know the token, replace it.');
    expect((await remove(agents.bob, id, 'bob')).text).toContain('You are no longer an owner of');
    expect(await ownersOf(id)).toEqual(['ada']);
    expect((await get(agents.ada, `/${id}`)).text).not.toContain('remove-owner');
    expect((await remove(agents.ada, id, 'ada')).text).toContain('Nobody else owns the token.');
    expect(await ownersOf(id)).toEqual(['ada']);
    expect(heard().map(({ type, userId, actorId }) => [type, userId, actorId])).toEqual([
      ['owner.removed', 'eve', 'ada'],
      ['owner.removed', 'bob', 'bob'],
    ]);
  });

  test('take their invitations with them', async () => {
    const id = await make(['ada', 'eve']);
    await invite(agents.eve, id, 'bob');
    const page = await get(agents.bob, `/${id}/invitation`).expect(200);
    await remove(agents.ada, id, 'eve');
    expect(
      (await after(agents.bob, await post(agents.bob, `/${id}/accept`, hiddenFields(page)))).text,
    ).toContain(GONE);
    expect(await ownersOf(id)).toEqual(['ada']);
  });

  test('both of two who leave at the same moment: one stays', async () => {
    const id = await make(['ada', 'bob']);
    await Promise.all([remove(agents.ada, id, 'ada'), remove(agents.bob, id, 'bob')]);
    expect(await ownersOf(id)).toHaveLength(1);
  });

  test('are twenty at most, by the page and by code', async () => {
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

  test('look after no more than there can be', async () => {
    await Promise.all(Array.from({ length: 50 }, () => make(['bob'])));
    const id = await make();
    await invite(agents.ada, id, 'bob');
    expect((await answerInvitation(agents.bob, id, 'accept')).text).toContain(
      'You have as many service tokens',
    );
    expect(await ownersOf(id)).toEqual(['ada']);
  });

  test('of a token that is blocked stay as they are', async () => {
    const id = await make(['ada', 'eve']);
    await invite(agents.ada, id, 'bob');
    const page = await get(agents.bob, `/${id}/invitation`);
    await site.oauth.personalAccessTokens.block(id);
    const ownPage = await get(agents.ada, `/${id}`);
    expect(ownPage.text).not.toMatch(/token-invite"|remove-owner/);
    const csrf_token = await csrfOf(agents.ada);
    for (const [path, fields] of [
      ['invite', { person: 'bob' }],
      ['remove-owner', { owner: 'eve' }],
    ] as const)
      expect((await post(agents.ada, `/${id}/${path}`, { csrf_token, ...fields })).status).toBe(404);
    await post(agents.bob, `/${id}/accept`, hiddenFields(page));
    expect(await ownersOf(id)).toEqual(['ada', 'eve']);
  });
});

describe('a stranger', () => {
  test('accepts and declines no invitation of somebody else, whatever they know of it', async () => {
    const id = await make();
    await invite(agents.ada, id, 'bob');
    const invitation = (await storedInvitations(id))[0]?.id ?? '';
    const csrf_token = await csrfOf(agents.eve);
    expect((await after(agents.eve, await get(agents.eve, `/${id}/invitation`))).text).toContain(GONE);
    for (const action of ['accept', 'decline'])
      expect(
        (await after(agents.eve, await post(agents.eve, `/${id}/${action}`, { csrf_token, invitation })))
          .text,
      ).toContain(GONE);
    // nor does the token of a person have owners
    const personal = await site.oauth.personalAccessTokens.create({
      userId: 'eve',
      name: 'Own',
      scopes: ['profile'],
    });
    expect((await post(agents.eve, `/${personal.id}/invite`, { csrf_token, person: 'bob' })).status).toBe(
      404,
    );
    expect([await ownersOf(id), await storedInvitations(id)]).toEqual([
      ['ada'],
      [expect.objectContaining({ id: invitation })],
    ]);
    await site.oauth.personalAccessTokens.revoke(personal.id);
  });

  test('sends no form from another site', async () => {
    const id = await make(['ada', 'eve']);
    await invite(agents.ada, id, 'bob');
    const invitation = (await storedInvitations(id))[0]?.id ?? '';
    for (const [agent, path, fields] of [
      [agents.ada, 'invite', { person: 'eve' }],
      [agents.ada, 'withdraw', { invitation }],
      [agents.ada, 'remove-owner', { owner: 'eve' }],
      [agents.bob, 'accept', { invitation }],
      [agents.bob, 'decline', { invitation }],
    ] as const)
      expect([
        path,
        (await post(agent, `/${id}/${path}`, { csrf_token: 'forged', ...fields })).status,
      ]).toEqual([path, 403]);
    expect([await ownersOf(id), (await storedInvitations(id)).length]).toEqual([['ada', 'eve'], 1]);
  });

  test('is sent to the login, and back to the invitation', async () => {
    const id = await make();
    const { agent } = createPerson(site);
    for (const [method, path] of [
      ['get', 'invitation'],
      ['post', 'accept'],
    ] as const) {
      const { status, headers } = await agent[method](`${ROOT}/${id}/${path}`);
      expect([status, decodeURIComponent(String(headers.location))]).toEqual([
        303,
        expect.stringContaining(`${ROOT}/${id}/invitation`),
      ]);
    }
  });
});

test('without people.findByName nobody is invited on the page', async () => {
  await using other = await openSite({
    personalAccessTokens: { serviceTokens: true },
    security: { rateLimits: false },
  });
  const person = await logInPerson(other);
  const { id } = await other.oauth.personalAccessTokens.create({
    owners: ['ada'],
    name: 'Job',
    scopes: ['profile'],
  });
  const page = await person.agent.get(`${ROOT}/${id}`);
  expect(page.text).not.toContain('token-invite');
  const sent = await postForm(person.agent, `${ROOT}/${id}/invite`, { ...hiddenFields(page), person: 'bob' });
  expect(sent.status).toBe(404);
  expect((await person.agent.get(`${ROOT}/${id}/invitation`)).status).toBe(404);
});

test('a person invites so many others in an hour, and no more', async () => {
  await using limited = await openSite({
    personalAccessTokens: { serviceTokens: true },
    people: { findByName: () => null },
  });
  const person = await logInPerson(limited);
  const statuses: number[] = [];
  for (let token = 0; token < 5; token += 1) {
    const { id } = await limited.oauth.personalAccessTokens.create({
      owners: ['ada'],
      name: 'Job',
      scopes: ['profile'],
    });
    const fields = hiddenFields(await person.agent.get(`${ROOT}/${id}`));
    for (let sent = 0; sent < 5; sent += 1)
      statuses.push(
        (await postForm(person.agent, `${ROOT}/${id}/invite`, { ...fields, person: `nobody ${sent}` }))
          .status,
      );
  }
  expect(statuses.filter((status) => status === 303)).toHaveLength(20);
  expect(statuses.slice(20)).toEqual(Array.from({ length: 5 }, () => 429));
});

test('policy.onAuthorize is told who makes a service token, and of which user a personal one is', async () => {
  const questions: object[] = [];
  await using other = await openSite({
    personalAccessTokens: { serviceTokens: true },
    policy: {
      onAuthorize: ({ userId, createdBy }) => void questions.push({ userId, createdBy }),
    },
  });
  const person = await logInPerson(other);
  for (const kind of ['service', 'personal']) await person.agent.get(`${ROOT}/new?kind=${kind}`);
  expect(questions).toEqual([
    { userId: undefined, createdBy: 'ada' },
    { userId: 'ada', createdBy: undefined },
  ]);
});
