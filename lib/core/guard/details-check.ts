import { hashSecret } from '../../shared/crypto/secrets.js';
import { unexpectedCondition } from '../../shared/errors.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { canonicalJson } from '../../shared/protocol/json.js';
import { type DetailRules, matchDetails } from '../authorization-details/compare-details.js';
import { indexesToUse, isSingleUse } from '../authorization-details/single-use.js';
import type { GrantStore } from '../grants/grant-store.js';
import { findAccessToken, findInactiveReason } from '../grants/stored-access-token.js';
import { type AccessTokens, isStateless } from '../grants/tokens/access-tokens.js';
import type { AccessToken } from './access-token.js';
import { InsufficientToken } from './challenge.js';
import { isDetailList } from './token-claims.js';

/** Characters: many servers and clients accept no longer headers. */
const MAX_LENGTH = 4096;
const MAX_REFERENCE = 22;

/** Uses up single-use details; false if one of them was used before. */
export type UseDetails = (use: {
  readonly token: string;
  readonly details: readonly AuthorizationDetail[];
  readonly now: Date;
}) => Promise<boolean>;

export interface DetailsCheckOptions extends DetailRules {
  /** The types of the server; undefined if unknown. */
  readonly knownDetailTypes: readonly string[] | undefined;
  readonly useDetails: UseDetails;
}

/**
 * Checks that a token has the authorization details that a call needs. This is the last of all checks, because it uses
 * up single-use details.
 *
 * @throws OAuthError insufficient_authorization, with the details that the client can request
 * @see RAR Metadata and Error Remediation §4, §7.2
 */
export async function checkDetails(
  { auth, required, now }: { readonly auth: AccessToken; readonly required: unknown; readonly now: Date },
  options: DetailsCheckOptions,
  resource: string,
): Promise<void> {
  // fail closed: any other value is a mistake of the site
  if (!isDetailList(required))
    throw unexpectedCondition(
      'details of a guard must give a list of objects with a type, empty if none are needed',
    );
  const unknown = required.find(({ type }) => options.knownDetailTypes?.includes(type) === false);
  if (unknown !== undefined)
    throw unexpectedCondition(
      `details of a guard gave the type ${unknown.type}, which is not among authorizationDetails`,
    );
  // as JSON: details are compared and sent without dates and undefined members
  const details = JSON.parse(JSON.stringify(required)) as AuthorizationDetail[];
  if (details.length === 0) return;
  const singleUse = details.filter((each) => isSingleUse(each, options));
  let problem: string | undefined;
  if (matchDetails(details, auth.authorizationDetails ?? [], options).includes(undefined))
    problem = 'it has no such authorization_details';
  else if (
    singleUse.length > 0 &&
    !(await options.useDetails({ token: auth.token, details: singleUse, now }))
  )
    problem = 'its authorization_details are used up';
  if (problem === undefined) return;

  // RAR Metadata and Error Remediation §4: the client copies this into its next authorization request
  const owner = [new URL(resource).href, auth.userId ?? auth.clientId];
  // equal for equal details, whatever the order of their members; a hash reveals nothing. The owner is included: the
  // reference of one user says nothing about another user's
  const reference = hashSecret(canonicalJson([...owner, details]));
  const remediation = {
    authorization_details: details,
    // SHALL NOT be present for single-use details
    authorization_reference: singleUse.length > 0 ? undefined : reference.slice(0, MAX_REFERENCE),
  };
  const encoded = Buffer.from(JSON.stringify(remediation)).toString('base64url');
  if (encoded.length > MAX_LENGTH)
    throw unexpectedCondition(
      `details of a guard gave more than fits into a challenge (${MAX_LENGTH} characters)`,
    );
  throw new InsufficientToken(
    'insufficient_authorization',
    'additional authorization is required',
    { reason: 'authorization_details_insufficient', detail: problem },
    { granted: auth.scopes, attributes: { authorization_remediation: encoded } },
  );
}

/**
 * Uses up details in the grant of a token by one conditional update: of two calls at once only one is let in, even in
 * different processes. The grant is read from the database, since a cached one may be older than the last use.
 */
export function createUseDetails(
  grants: GrantStore,
  accessTokens: AccessTokens,
  { isBlockedDomain, ...rules }: DetailRules & { readonly isBlockedDomain: (clientId: string) => boolean },
): UseDetails {
  return async ({ token, details, now }) => {
    const presented = await accessTokens.read(token, now);
    // fail closed: nothing records which details of a token without a stored grant have been used
    if (presented === null || isStateless(presented)) return false;
    const { grantId, hash } = presented;
    for (;;) {
      const grant = await grants.find(grantId);
      const match = grant && findAccessToken(grant, hash);
      if (!grant || !match || findInactiveReason(grant, match, { isBlockedDomain, now })) return false;
      const indexes = indexesToUse(details, grant, rules);
      if (indexes === undefined) return false;
      // Another call was faster: try again, since an equal detail may be left. Each round uses up one, so the loop
      // ends.
      if (await grants.useDetails({ grantId }, indexes)) return true;
    }
  };
}
