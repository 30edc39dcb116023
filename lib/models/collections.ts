import { ASSERTION_IDS } from './assertion-ids.js';
import { AUDIT } from './audit.js';
import { REFUSALS } from './client-failures.js';
import { CLIENTS } from './clients.js';
import { CONSENTS } from './consents.js';
import { FAILURES } from './failures.js';
import { GRANTS } from './grants.js';
import { INITIAL_ACCESS_TOKENS } from './initial-access-tokens.js';
import { ISSUERS } from './issuers.js';
import { MIGRATED } from './migrated.js';
import { PUSHED_REQUESTS } from './pushed-requests.js';
import { SIGN_INS } from './sign-ins.js';
import { SIGNING_KEYS } from './signing-keys.js';
import { USED_PROOFS } from './used-proofs.js';
import { USER_CODES } from './user-codes.js';
import { USERS } from './users.js';
import { WEBHOOKS } from './webhooks.js';

/** All collections that there can be; those of features and of users exist only if these are used. */
export const COLLECTIONS = {
  Client: CLIENTS,
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
  Refusals: REFUSALS,
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
  | 'Refusals'
  | 'UsedProof'
  | 'Webhook'
  | 'SignIn';
