import { randomInt } from 'node:crypto';

import { type Connection, type HydratedDocument, isValidObjectId, Schema } from 'mongoose';

/** A photo on the site and in its API. */
export interface Photo {
  readonly id: string;
  readonly title: string;
  /** The name of its album. */
  readonly album?: string;
  readonly createdAt: Date;
  /** The seed of the drawn picture. */
  readonly design: number;
}

interface StoredPhoto {
  ownerId: string;
  title: string;
  album?: string;
  design: number;
  createdAt: Date;
}

export interface NewPhoto {
  readonly title: string;
  readonly album?: string;
  readonly design?: number;
}

export interface Photos {
  /** The newest first; with `album`, only its photos. */
  listOf(ownerId: string, album?: string): Promise<Photo[]>;
  /** Null if there is no such photo, or it is in another album. */
  find(ownerId: string, id: string, album?: string): Promise<Photo | null>;
  /** The names of the albums, with their numbers of photos. */
  albumsOf(ownerId: string): Promise<{ readonly name: string; readonly photos: number }[]>;
  /** @throws mongoose's ValidationError */
  add(ownerId: string, photo: NewPhoto): Promise<Photo>;
  /** Deletes all photos of an owner, for the end of an account. */
  removeAll(ownerId: string): Promise<void>;
  ready(): Promise<void>;
}

const LIST_LIMIT = 100;
const MAX_DESIGN = 2 ** 31;

const photoSchema = new Schema<StoredPhoto>(
  {
    ownerId: { type: String, required: true },
    title: {
      type: String,
      required: [true, 'title is missing'],
      trim: true,
      maxlength: [100, 'title is longer than 100 characters'],
      match: [/^[^\p{Cc}\p{Cf}\p{Cs}\ufffd]*$/u, 'title has characters that cannot be shown'],
    },
    album: { type: String, trim: true, maxlength: [100, 'album is longer than 100 characters'] },
    design: { type: Number, required: true },
    createdAt: { type: Date, required: true },
  },
  { versionKey: false },
);
photoSchema.index({ ownerId: 1, createdAt: -1 });

export function createPhotos(connection: Connection): Photos {
  const model = connection.model('Photo', photoSchema);
  return {
    async listOf(ownerId, album) {
      const found = await model
        .find({ ownerId, ...(album !== undefined && { album }) })
        .sort({ createdAt: -1, _id: -1 })
        .limit(LIST_LIMIT);
      return found.map(toPhoto);
    },
    async find(ownerId, id, album) {
      if (!isValidObjectId(id)) return null;
      const found = await model.findOne({ _id: id, ownerId, ...(album !== undefined && { album }) });
      return found === null ? null : toPhoto(found);
    },
    async albumsOf(ownerId) {
      const found = await model.aggregate<{ _id: string; photos: number }>([
        { $match: { ownerId, album: { $exists: true } } },
        { $group: { _id: '$album', photos: { $sum: 1 } } },
        { $sort: { _id: 1 } },
      ]);
      return found.map(({ _id, photos }) => ({ name: _id, photos }));
    },
    async add(ownerId, { title, album, design = randomInt(MAX_DESIGN) }) {
      const photo = { ownerId, title, design, createdAt: new Date(), ...(album !== undefined && { album }) };
      return toPhoto(await model.create(photo));
    },
    async removeAll(ownerId) {
      await model.deleteMany({ ownerId });
    },
    async ready() {
      await model.init();
    },
  };
}

function toPhoto({ id, title, album, createdAt, design }: HydratedDocument<StoredPhoto>): Photo {
  return { id: String(id), title, createdAt, design, ...(album !== undefined && { album }) };
}
