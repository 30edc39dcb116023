import { Schema } from 'mongoose';

/** What a client says about itself when it registers; kept and given back to it; of it the logo alone is shown, where it may be (RFC 7591 §2, §5). */
export interface RegistrationDetails {
  readonly clientUri?: string;
  readonly logoUri?: string;
  readonly tosUri?: string;
  readonly policyUri?: string;
  readonly contacts?: readonly string[];
  readonly softwareId?: string;
  readonly softwareVersion?: string;
}

/** What a client that registered itself has beside its metadata. */
export interface StoredRegistration {
  /** Of the token that reads, changes and deletes the registration (RFC 7592 §1.2). */
  readonly accessTokenHash: string;
  readonly details: RegistrationDetails;
  /** As it was presented (RFC 7591 §3.2.1). */
  readonly softwareStatement?: string;
}

const details = {
  clientUri: String,
  logoUri: String,
  tosUri: String,
  policyUri: String,
  contacts: { type: [String], default: undefined },
  softwareId: String,
  softwareVersion: String,
};

export const registrationSchema = () =>
  new Schema<StoredRegistration>(
    {
      accessTokenHash: { type: String, required: true },
      details: { type: new Schema(details, { _id: false }), required: true },
      softwareStatement: String,
    },
    { _id: false },
  );
