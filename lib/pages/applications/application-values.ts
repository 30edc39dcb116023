import type { AboutValues } from './application-about.js';

/** What the form holds, kept as it was typed if it has to be shown again. */
export interface ApplicationValues {
  readonly name: string;
  readonly type: string;
  /** One per line. */
  readonly redirectUris: string;
  readonly scopes: readonly string[];
  readonly grantTypes: readonly string[];
  /** How a confidential application authenticates. */
  readonly authentication: string;
  /** JSON. */
  readonly jwks: string;
  readonly jwksUri: string;
  /** Absent: nothing is said about it. */
  readonly about?: AboutValues;
}
