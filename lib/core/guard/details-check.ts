import { unexpectedCondition } from '../../shared/errors.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { type DetailRules, matchDetails } from '../authorization-details/compare-details.js';
import { isSingleUse } from '../authorization-details/single-use.js';
import type { AccessToken } from './access-token.js';
import { InsufficientToken } from './challenge.js';
import { formatRemediation } from './remediation.js';
import { isDetailList } from './token-claims.js';

/** Uses up details that are good for one call; false if one of them has been used. */
export type UseDetails = (use: {
  readonly token: string;
  readonly details: readonly AuthorizationDetail[];
  readonly now: Date;
}) => Promise<boolean>;

export interface DetailsCheckOptions extends DetailRules {
  /** The types that there are; undefined: not known. */
  readonly knownDetailTypes: readonly string[] | undefined;
  readonly useDetails: UseDetails;
}

/**
 * Checks that a token has the authorization details that a call needs. It is the last of all checks: it uses up details
 * that are good for one call.
 *
 * @throws OAuthError insufficient_authorization, with what the client can ask for
 * @see RAR Metadata and Error Remediation §4, §7.2
 */
export async function checkDetails(
  { auth, required, now }: { readonly auth: AccessToken; readonly required: unknown; readonly now: Date },
  options: DetailsCheckOptions,
  resource: string,
): Promise<void> {
  // fail closed: what anything else means is unknown
  if (!isDetailList(required))
    throw unexpectedCondition(
      'details of a guard must give a list of objects with a type, empty if none are needed',
    );
  const unknown = required.find(({ type }) => options.knownDetailTypes?.includes(type) === false);
  if (unknown !== undefined)
    throw unexpectedCondition(
      `details of a guard gave the type ${unknown.type}, which is not among authorizationDetails`,
    );
  // as JSON: what is compared and sent has no dates and no undefined members
  const details = JSON.parse(JSON.stringify(required)) as AuthorizationDetail[];
  if (details.length === 0) return;
  const refuse = (detail: string) =>
    new InsufficientToken(auth.scopes, {
      error: 'insufficient_authorization',
      description: 'additional authorization is required',
      attributes: formatRemediation(details, {
        resource,
        owner: auth.userId ?? auth.clientId,
        isReusable: !details.some((each) => isSingleUse(each, options)),
      }),
      reason: 'authorization_details_insufficient',
      detail,
    });
  const covered = matchDetails(details, auth.authorizationDetails ?? [], options);
  if (!covered.every((each) => each !== undefined)) throw refuse('it has no such authorization_details');
  const singleUse = details.filter((each) => isSingleUse(each, options));
  if (singleUse.length > 0 && !(await options.useDetails({ token: auth.token, details: singleUse, now })))
    throw refuse('its authorization_details are used up');
}
