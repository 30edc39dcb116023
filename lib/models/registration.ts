import type { Mongoose } from 'mongoose';

import type { ClientRegistration } from '../clients/client.js';

const details = {
  clientUri: String,
  logoUri: String,
  tosUri: String,
  policyUri: String,
  contacts: { type: [String], default: undefined },
  softwareId: String,
  softwareVersion: String,
};

export const registrationSchema = (Schema: Mongoose['Schema']) =>
  new Schema<ClientRegistration>(
    {
      accessTokenHash: { type: String, required: true },
      details: { type: new Schema(details, { _id: false }), required: true },
      softwareStatement: String,
    },
    { _id: false },
  );
