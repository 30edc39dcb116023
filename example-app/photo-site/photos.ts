import { randomInt } from 'node:crypto';

import { type Connection, type HydratedDocument, isValidObjectId, Schema } from 'mongoose';

/** A photo as the site and its API show it. */
export interface Photo {
  readonly id: string;
  readonly title: string;
  readonly createdAt: Date;
  /** What the picture is drawn from. */
  readonly design: number;
}

interface StoredPhoto {
  ownerId: string;
  title: string;
  design: number;
  createdAt: Date;
}

export interface NewPhoto {
  readonly title: string;
  readonly design?: number;
}

export interface Photos {
  /** The newest first. */
  listOf(ownerId: string): Promise<Photo[]>;
  find(ownerId: string, id: string): Promise<Photo | null>;
  /** @throws mongoose's ValidationError */
  add(ownerId: string, photo: NewPhoto): Promise<Photo>;
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
    design: { type: Number, required: true },
    createdAt: { type: Date, required: true },
  },
  { versionKey: false },
);
photoSchema.index({ ownerId: 1, createdAt: -1 });

export function createPhotos(connection: Connection): Photos {
  const model = connection.model('Photo', photoSchema);
  return {
    async listOf(ownerId) {
      const found = await model.find({ ownerId }).sort({ createdAt: -1, _id: -1 }).limit(LIST_LIMIT);
      return found.map(toPhoto);
    },
    async find(ownerId, id) {
      if (!isValidObjectId(id)) return null;
      const found = await model.findOne({ _id: id, ownerId });
      return found === null ? null : toPhoto(found);
    },
    async add(ownerId, { title, design = randomInt(MAX_DESIGN) }) {
      return toPhoto(await model.create({ ownerId, title, design, createdAt: new Date() }));
    },
    async ready() {
      await model.init();
    },
  };
}

function toPhoto({ id, title, createdAt, design }: HydratedDocument<StoredPhoto>): Photo {
  return { id: String(id), title, createdAt, design };
}
