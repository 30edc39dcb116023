import { CLIENTS } from './clients/client-collection.js';
import { REFUSALS } from './clients/client-failures.js';
import { INITIAL_ACCESS_TOKENS } from './clients/initial-access-tokens.js';
import { CONSENTS } from './grants/consents.js';
import { GRANTS } from './grants/grant-collection.js';
import { ASSERTION_IDS } from './other/assertion-ids.js';
import { AUDIT } from './other/audit.js';
import { CLIENT_LOGOS } from './other/client-logos.js';
import { FAILURES } from './other/failures.js';
import { ISSUERS } from './other/issuers.js';
import { MIGRATED } from './other/migrated.js';
import { PUSHED_REQUESTS } from './other/pushed-requests.js';
import { RECEIVED_EVENTS } from './other/received-events.js';
import { SIGN_INS } from './other/sign-ins.js';
import { SIGNAL_STREAMS, STREAM_SUBJECTS } from './other/signal-streams.js';
import { SIGNING_KEYS } from './other/signing-keys.js';
import { USED_PROOFS } from './other/used-proofs.js';
import { USER_CODES } from './other/user-codes.js';
import { USERS } from './other/users.js';
import { WEBHOOKS } from './other/webhooks.js';

/** All collections that there can be; those of features and of users exist only if these are used. */
export const COLLECTIONS = {
  Client: CLIENTS,
  ClientLogo: CLIENT_LOGOS,
  Grant: GRANTS,
  Consent: CONSENTS,
  AssertionId: ASSERTION_IDS,
  InitialAccessToken: INITIAL_ACCESS_TOKENS,
  SigningKey: SIGNING_KEYS,
  UserCode: USER_CODES,
  Failures: FAILURES,
  AuditEntry: AUDIT,
  Issuer: ISSUERS,
  Migrated: MIGRATED,
  PushedRequest: PUSHED_REQUESTS,
  ReceivedEvent: RECEIVED_EVENTS,
  Refusals: REFUSALS,
  SignalStream: SIGNAL_STREAMS,
  StreamSubject: STREAM_SUBJECTS,
  UsedProof: USED_PROOFS,
  Webhook: WEBHOOKS,
  SignIn: SIGN_INS,
  User: USERS,
} as const;

/** The collections that are made for a feature, by the names of their models. */
export type FeatureCollection =
  | 'UserCode'
  | 'InitialAccessToken'
  | 'AuditEntry'
  | 'Migrated'
  | 'PushedRequest'
  | 'ReceivedEvent'
  | 'Refusals'
  | 'SignalStream'
  | 'StreamSubject'
  | 'UsedProof'
  | 'Webhook'
  | 'SignIn';
