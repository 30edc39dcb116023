import { OAuthError } from 'express-authorization-server';
import mongoose from 'mongoose';
import { z } from 'zod';

const Photo = mongoose.model('Photo', new mongoose.Schema({ ownerId: String, title: String }));
const show = ({ id, title }) => ({ id, title });

export const operations = {
  list_photos: {
    description: "Lists the user's photos, the newest first.",
    scopes: ['photos:read'],
    annotations: { readOnlyHint: true },
    input: z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) }),
    run: async ({ limit }, { userId }) =>
      (await Photo.find({ ownerId: userId }).sort({ _id: -1 }).limit(limit)).map(show),
  },
  add_photo: {
    description: "Adds a photo to the user's album.",
    scopes: ['photos:write'],
    annotations: { readOnlyHint: false, destructiveHint: false },
    input: z.object({ title: z.string().trim().min(1).max(100) }),
    run: async ({ title }, { userId }) => show(await Photo.create({ ownerId: userId, title })),
  },
  delete_photo: {
    description: 'Deletes one photo for ever. list_photos has the ids.',
    scopes: ['photos:write'],
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    input: z.object({ id: z.string().regex(/^[0-9a-f]{24}$/) }),
    run: async ({ id }, { userId }) => {
      const { deletedCount } = await Photo.deleteOne({ _id: id, ownerId: userId });
      if (deletedCount === 0) throw new OAuthError('not_found', 'there is no such photo', { status: 404 });
      return { deleted: id };
    },
  },
};
