import { beforeAll, beforeEach } from '@jest/globals';
import type { Response } from 'supertest';

import type { OAuthEvent } from '../../lib/index.js';
import { createPerson, hiddenFields, pageAfter, type Person, postForm } from './person.js';
import type { Site, SiteOptions } from './site.js';
import { fixture, siteFor } from './site-for.js';

/** Options of a site with these users, by their ids and by their addresses. */
export function knowing(names: readonly string[]): Pick<SiteOptions, 'people'> {
  const userOf = (id: string) => ({ id, name: id.toUpperCase(), email: `${id}@example.com` });
  return {
    people: {
      find: (id) => (names.includes(id) ? userOf(id) : null),
      detail: (user) => (user as { email?: string }).email,
      findByName: (text) => {
        const name = names.find((each) => [each, `${each}@example.com`].includes(text.toLowerCase()));
        return Promise.resolve(name && userOf(name));
      },
    },
  };
}

/** The browsers of these users, each logged in. */
export async function logInAll<Name extends string>(
  site: Site,
  names: readonly Name[],
): Promise<Record<Name, Person['agent']>> {
  const agents = {} as Record<Name, Person['agent']>;
  for (const name of names) {
    const person = createPerson(site);
    await person.logIn(name);
    agents[name] = person.agent;
  }
  return agents;
}

/** The kinds of things with several owners. */
export interface OwnedKind {
  readonly root: string;
  /** Makes one with these owners, and returns its id. */
  readonly make: (of: Site, owners: readonly string[], name: string) => Promise<string>;
  readonly ownersOf: (id: string) => Promise<readonly string[]>;
  readonly invitationsOf: (id: string) => Promise<readonly (Invitation | undefined)[]>;
  /** Lets its invitations expire now. */
  readonly expire: (id: string) => Promise<unknown>;
  readonly block: (id: string) => Promise<unknown>;
  /** The text of the invitation page. */
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

/** Applications and service tokens of a site. */
function ownedKinds(site: Site): {
  readonly application: OwnedKind;
  readonly serviceToken: OwnedKind;
} {
  const found = async (clientId: string) => (await site.oauth.clients.find(clientId))!;
  const grantOf = (_id: string) => site.oauth.models.Grant.findOne({ _id }).lean();
  const setIn = (collection: string, id: string, field: string) =>
    site.database.update(collection, id, { $set: { [`${field}.$[].expiresAt`]: new Date(Date.now() - 1) } });

  const application: OwnedKind = {
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
  const serviceToken: OwnedKind = {
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
  return { application, serviceToken };
}

/**
 * A site where Ada, Bob, Eve and Grace, an administrator, own applications and service tokens. No service token is left
 * from an earlier test.
 */
export function openOwnersSite() {
  const names = ['ada', 'bob', 'eve', 'grace'] as const;
  const events: OAuthEvent[] = [];
  const site = siteFor(() => ({
    personalAccessTokens: { serviceTokens: true },
    security: { rateLimits: false },
    applications: { isAdministrator: ({ user }) => (user as unknown as { id: string }).id === 'grace' },
    ...knowing(names),
  }));
  const agents = fixture(() => logInAll(site, names));
  beforeAll(() => {
    site.oauth.events.on('*', (event) => {
      if (/^owner\./.test(event.type)) events.push(event);
    });
  });
  beforeEach(async () => {
    for (const ownerId of names)
      for (const { id } of await site.oauth.personalAccessTokens.list({ ownerId }))
        await site.oauth.personalAccessTokens.revoke(id);
    events.splice(0);
  });
  return { site, agents, events, ...ownedKinds(site) };
}

/** The pages of one kind, as users open them. */
export function ownerPagesOf(site: Site, { root, make: create }: OwnedKind) {
  type Agent = Person['agent'];
  const get = (agent: Agent, path: string) => agent.get(`${root}${path}`);
  const post = (agent: Agent, path: string, fields: object) =>
    postForm(agent, `${root}${path}`, fields).set('Sec-Fetch-Site', 'same-origin');
  const csrfOf = async (agent: Agent) => hiddenFields(await get(agent, '/new')).csrf_token!;
  /** Sends a form with the token of the session, and follows its redirect. */
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
    answer: async (agent: Agent, id: string, action: 'accept' | 'decline') => {
      const page = await get(agent, `/${id}/invitation`).expect(200);
      return send(agent, `/${id}/${action}`, formOf(page, `/${action}"`));
    },
    remove: async (agent: Agent, id: string, owner: string) => {
      const page = await get(agent, `/${id}/remove-owner?owner=${owner}`).expect(200);
      return send(agent, `/${id}/remove-owner`, formOf(page, 'remove-owner"'));
    },
  };
}

/** The hidden fields of the form of a page that contains this text. */
export function formOf({ text }: Pick<Response, 'text'>, part: string): Record<string, string> {
  const form = text.match(/<form[\s\S]*?<\/form>/g)?.find((each) => each.includes(part));
  return form === undefined ? {} : hiddenFields({ text: form });
}
