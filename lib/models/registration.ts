import type { Mongoose, Schema as MongooseSchema } from 'mongoose';

import type { ClientRegistration } from '../clients/client.js';
import { DETAIL_FIELDS } from '../clients/client-fields.js';

const details = Object.fromEntries(DETAIL_FIELDS.map(({ name, stored }) => [name, { ...stored }]));

/** The type is explicit: the one that TypeScript infers has names of the Mongoose that we are built with. */
export const registrationSchema = (Schema: Mongoose['Schema']): MongooseSchema<ClientRegistration> =>
  new Schema<ClientRegistration>(
    {
      accessTokenHash: { type: String, required: true },
      details: { type: new Schema(details, { _id: false }), required: true },
      softwareStatement: String,
      unusedSince: Date,
      adoptedAt: Date,
    },
    { _id: false },
  );
