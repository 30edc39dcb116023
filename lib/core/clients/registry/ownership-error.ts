import { OAuthError } from '../../../shared/errors.js';
import { MAX_OWNERS } from '../client-owners.js';

/** Why nothing came of it. */
export type OwnershipProblem =
  /** There is no such invitation any more, or it is not theirs. */
  | 'gone'
  /** Whoever does it does not own the client, or the site holds it as it is. */
  | 'not-allowed'
  | 'last-owner'
  | 'already-owner'
  | 'too-many-clients'
  | 'too-many-owners'
  | 'too-many-invitations';

const DESCRIPTIONS: Readonly<Record<OwnershipProblem, string>> = {
  gone: 'there is no such invitation any more',
  'not-allowed': 'only its owners can change who owns the client',
  'last-owner': 'nobody else owns the client: add another owner before this one is removed',
  'already-owner': 'this user owns the client already',
  'too-many-clients': 'the owner has as many clients as one may have',
  'too-many-owners': `a client has ${MAX_OWNERS} owners at most`,
  'too-many-invitations': 'so many people are invited already; wait, or take an invitation back',
};

export class OwnershipError extends OAuthError {
  constructor(readonly problem: OwnershipProblem) {
    super('invalid_client_metadata', DESCRIPTIONS[problem]);
  }
}
