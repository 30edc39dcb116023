import { beforeAll, describe, expect, test } from '@jest/globals';

import type { OAuthEvent } from '../../lib/index.js';
import { aroundNext } from '../support/meanwhile.js';
import { siteFor } from '../support/site-for.js';

const events: OAuthEvent[] = [];
const site = siteFor();
beforeAll(() => {
  site.oauth.events.on('*', (event) => void events.push(event));
});

const owned = async (ownerId: string, coOwnerIds?: readonly string[]) =>
  (await site.client({ ownerId, ...(coOwnerIds && { coOwnerIds }) })).clientId;
const ownersOf = async (clientId: string) => {
  const client = await site.oauth.clients.find(clientId);
  return [client?.ownerId, ...(client?.coOwnerIds ?? [])];
};
const storedOf = (clientId: string) => site.database.find('oauth_clients', clientId);

describe('several owners of a client', () => {
  test('addOwner and removeOwner emit an event, and leave the client verified', async () => {
    const { clientId } = await site.client({ ownerId: 'ada', verified: true });
    events.length = 0;
    expect(await site.oauth.clients.addOwner(clientId, 'bob')).toMatchObject({
      ownerId: 'ada',
      coOwnerIds: ['bob'],
      verified: true,
    });
    expect((await site.oauth.clients.listOfOwner('bob')).map((each) => each.clientId)).toContain(clientId);
    await site.oauth.clients.addOwner(clientId, 'bob');
    expect(await ownersOf(clientId)).toEqual(['ada', 'bob']);
    await site.oauth.clients.removeOwner(clientId, 'ada');
    expect(await ownersOf(clientId)).toEqual(['bob']);
    expect(await site.oauth.clients.listOfOwner('ada')).toEqual([]);
    expect(events.map(({ type, clientId: of, userId }) => [type, of, userId])).toEqual([
      ['owner.added', clientId, 'bob'],
      ['owner.removed', clientId, 'ada'],
    ]);
  });

  test('an empty list of co-owners is not stored, so that it is in no index', async () => {
    const clientId = await owned('ada', ['bob']);
    await site.oauth.clients.removeOwner(clientId, 'bob');
    expect(await storedOf(clientId)).not.toHaveProperty('coOwnerIds');
  });

  test('removeOwner refuses to remove the last owner', async () => {
    const clientId = await owned('ada');
    await expect(site.oauth.clients.removeOwner(clientId, 'ada')).rejects.toThrow('nobody else owns');
    expect(await ownersOf(clientId)).toEqual(['ada']);
  });

  test('one of two owners who leave at the same moment stays', async () => {
    const clientId = await owned('ada', ['bob']);
    aroundNext(site.oauth.models.Client as never, 'findOne', {
      after: () => site.oauth.clients.removeOwner(clientId, 'bob'),
    });
    await expect(site.oauth.clients.removeOwner(clientId, 'ada')).rejects.toThrow('nobody else owns');
    expect(await ownersOf(clientId)).toEqual(['ada']);
  });

  test('owners who are added at the same moment are all stored', async () => {
    const clientId = await owned('ada');
    await Promise.all(['b', 'c', 'd', 'e'].map((user) => site.oauth.clients.addOwner(clientId, user)));
    expect((await ownersOf(clientId)).sort()).toEqual(['ada', 'b', 'c', 'd', 'e']);
  });

  test('a client has at most twenty owners', async () => {
    const clientId = await owned(
      'ada',
      Array.from({ length: 19 }, (_each, index) => `user ${index}`),
    );
    await expect(site.oauth.clients.addOwner(clientId, 'bob')).rejects.toThrow('20 owners');
  });

  test('addOwner of a client without owners sets the owner', async () => {
    const { clientId } = await site.client();
    expect(await site.oauth.clients.addOwner(clientId, 'ada')).toMatchObject({ ownerId: 'ada' });
  });

  test('addOwner and removeOwner answer null for an unknown client', async () => {
    expect(await site.oauth.clients.addOwner('none', 'ada')).toBeNull();
    expect(await site.oauth.clients.removeOwner('none', 'ada')).toBeNull();
  });

  test.each([
    [{ coOwnerIds: ['bob'] }, 'there must be an ownerId'],
    [{ ownerId: 'ada', coOwnerIds: [''] }, 'an id that is empty'],
    [{ ownerId: 'ada', coOwnerIds: 'bob' }, 'coOwnerIds must be'],
    [
      { ownerId: 'ada', coOwnerIds: Array.from({ length: 20 }, (_each, index) => `user ${index}`) },
      'too many people',
    ],
  ])('clients.create refuses the owners %j', async (given, message) => {
    await expect(site.client(given as object)).rejects.toThrow(message);
  });

  test.each([undefined, '', { $ne: '' }, 7])('no owner can have the user id %j', async (userId) => {
    const clientId = await owned('ada');
    await expect(site.oauth.clients.addOwner(clientId, userId as string)).rejects.toThrow(TypeError);
    await expect(site.oauth.clients.removeOwner(clientId, userId as string)).rejects.toThrow(TypeError);
    expect(await ownersOf(clientId)).toEqual(['ada']);
  });
});
