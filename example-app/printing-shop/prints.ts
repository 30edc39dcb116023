import { z } from 'zod';

import type { PhotoSiteClient, Tokens } from './photo-site-client.js';

/** A photo, ready to be printed. */
export interface Print {
  readonly title: string;
  /** The picture as a data: URL. */
  readonly picture: string;
}

export interface Order {
  readonly name: string;
  readonly prints: readonly Print[];
}

/** The photo site's API did not behave as documented. */
export class PhotoSiteError extends Error {
  override readonly name = 'PhotoSiteError';
}

const MAX_PICTURE_BYTES = 500_000;
const photosShape = z.array(z.object({ title: z.string(), picture: z.url() }));
const personShape = z.object({ user: z.object({ name: z.string() }).nullable() });

/** Fetches a person's photos from the photo site's API. */
export async function fetchOrder(photoSite: PhotoSiteClient, issuer: string, tokens: Tokens): Promise<Order> {
  const get = async (url: URL) => {
    // the token goes only to the photo site, whatever addresses its response has
    if (url.origin !== new URL(issuer).origin)
      throw new PhotoSiteError(`the photo site names a picture elsewhere: ${url.origin}`);
    const response = await photoSite.fetch(url, tokens);
    if (!response.ok) throw new PhotoSiteError(`the photo site answers ${response.status}`);
    return response;
  };
  const getPicture = async (address: string) => {
    const picture = Buffer.from(await (await get(new URL(address))).arrayBuffer());
    if (picture.length > MAX_PICTURE_BYTES) throw new PhotoSiteError('a picture is too large to be printed');
    return `data:image/svg+xml;base64,${picture.toString('base64')}`;
  };

  const [person, photos] = await Promise.all([
    get(new URL('/api/me', issuer)).then(async (response) => personShape.parse(await response.json())),
    get(new URL('/api/photos', issuer)).then(async (response) => photosShape.parse(await response.json())),
  ]);
  const prints = await Promise.all(
    photos.map(async ({ title, picture }) => ({ title, picture: await getPicture(picture) })),
  );
  return { name: person.user?.name ?? 'you', prints };
}
