import type { Users } from 'express-authorization-server';

import { createDemoClients, type DemoClient, demoDeveloper, demoGiftCard, demoUser } from '../demo.js';
import { createPlaygroundClients } from '../playground/clients.js';
import type { Settings } from '../settings.js';
import type { PhotoSite } from './app.js';
import type { NewPhoto } from './photos.js';

const ADAS_PHOTOS: readonly NewPhoto[] = [
  { title: 'Before breakfast', album: 'Skies', design: 600 },
  { title: 'The valley at noon', album: 'Mountains', design: 601 },
  { title: 'Last light over the ridge', album: 'Mountains', design: 602 },
  { title: 'Waiting for the comet', album: 'Skies', design: 603 },
  { title: 'October', album: 'Mountains', design: 604 },
  { title: 'Fog, then more fog', album: 'Mountains', design: 605 },
];

/** Creates missing demonstration data; a second start changes nothing. */
export async function seed(
  { users, photos, giftCards, oauth }: PhotoSite,
  urls: Pick<Settings, 'issuer' | 'shopUrl' | 'tlsFolder'>,
): Promise<void> {
  const [userId, developerId] = await Promise.all(
    [demoUser, demoDeveloper].map((person) => ensureUser(users, person)),
  );
  const clients = [...createDemoClients(urls), ...createPlaygroundClients(urls)];
  const ensureAll = (some: readonly DemoClient[]) =>
    Promise.all(some.map((client) => ensureClient(oauth, { ...client, ownerId: developerId! })));
  // a client can list others in mayAct only after they exist
  const namesOthers = ({ mayAct = [] }: DemoClient) => mayAct.length > 0;
  await Promise.all([
    ensurePhotos(photos, userId!),
    giftCards.give(demoGiftCard, userId!),
    ensureAll(clients.filter((client) => !namesOthers(client))),
  ]);
  await ensureAll(clients.filter(namesOthers));
}

async function ensureUser(users: Users, person: typeof demoUser): Promise<string> {
  const existing = await users.verify(person.username, person.password);
  return (existing ?? (await users.create(person))).id;
}

async function ensurePhotos(photos: PhotoSite['photos'], ownerId: string): Promise<void> {
  if ((await photos.listOf(ownerId)).length > 0) return;
  // one after the other, to keep their order in the album
  for (const photo of ADAS_PHOTOS) await photos.add(ownerId, photo);
}

/** The addresses of a client, which contain the ports of this start. */
const ADDRESSES = ['redirectUris', 'postLogoutRedirectUris', 'backchannelLogoutUri', 'jwksUri'] as const;

/** An existing client keeps a developer's changes; only its addresses follow the ports of this start. */
async function ensureClient({ clients }: PhotoSite['oauth'], client: DemoClient): Promise<void> {
  const existing = await clients.find(client.clientId);
  if (existing === null) {
    await clients.create(client);
    return;
  }
  const moved = ADDRESSES.filter((field) => {
    const known = [existing[field] ?? []].flat();
    return [client[field] ?? []].flat().some((uri) => !known.includes(uri));
  });
  if (moved.length > 0)
    await clients.update(client.clientId, Object.fromEntries(moved.map((field) => [field, client[field]])));
}
