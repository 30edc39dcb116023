import { createHash } from 'node:crypto';

import { type Connection, Schema } from 'mongoose';

interface StoredGiftCard {
  _id: string;
  giverId: string;
  usedAt?: Date | undefined;
  usedBy?: string | undefined;
  expiresAt?: Date | undefined;
}

/** Cards that show the giver's photos once. */
export interface GiftCards {
  /** Stores a card, or makes a used one valid again; MongoDB deletes it after `expiresAt`. */
  give(code: string, giverId: string, expiresAt?: Date): Promise<void>;
  /** Uses a card up; resolves to its giver's id, or null if the card is unknown or was used. */
  use(code: string, clientId: string): Promise<string | null>;
}

const giftCardSchema = new Schema<StoredGiftCard>(
  {
    // only a hash of the code, so that a reader of the database cannot use the cards
    _id: { type: String, required: true },
    giverId: { type: String, required: true },
    usedAt: Date,
    usedBy: String,
    expiresAt: { type: Date, expires: 0 },
  },
  { versionKey: false },
);

export function createGiftCards(connection: Connection): GiftCards {
  const model = connection.model('GiftCard', giftCardSchema);
  return {
    async give(code, giverId, expiresAt) {
      await model.updateOne(
        { _id: hash(code) },
        { $set: { giverId, ...(expiresAt && { expiresAt }) }, $unset: { usedAt: 1, usedBy: 1 } },
        { upsert: true },
      );
    },
    async use(code, clientId) {
      // one conditional update, so that only one of two requests finds the card unused
      const card = await model.findOneAndUpdate(
        { _id: hash(code), usedAt: { $exists: false } },
        { $set: { usedAt: new Date(), usedBy: clientId } },
      );
      return card?.giverId ?? null;
    },
  };
}

function hash(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}
