import { unexpectedCondition } from '../../shared/errors.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { type DetailRules, matchDetails } from '../authorization-details/compare-details.js';
import { isSingleUse } from '../authorization-details/single-use.js';
import type { AccessToken } from './access-token.js';
import { InsufficientToken } from './checks.js';
import { formatRemediation } from './remediation.js';

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
 * Whether a token has what a call needs beside scopes. It comes last of all checks, since details that are good for one
 * call are used up by it.
 *
 * @throws OAuthError insufficient_authorization, with what the client can ask for
 * @see RAR Metadata and Error Remediation §4, §7.2
 */
export async function checkDetails(
  { auth, needed, now }: { readonly auth: AccessToken; readonly needed: unknown; readonly now: Date },
  options: DetailsCheckOptions & { readonly resource: string },
): Promise<void> {
  const details = listOf(needed, options);
  if (details.length === 0) return;
  const refuse = (detail: string) =>
    new InsufficientToken(auth.scopes, {
      error: 'insufficient_authorization',
      description: 'additional authorization is required',
      attributes: formatRemediation(details, {
        resource: options.resource,
        owner: auth.userId ?? auth.clientId,
        isReusable: !details.some((each) => isSingleUse(each, options)),
      }),
      reason: 'authorization_details_insufficient',
      detail,
    });
  const covered = matchDetails(details, auth.authorizationDetails ?? [], options);
  if (!covered.every((each) => each !== undefined)) throw refuse('it has no such authorization_details');
  const once = details.filter((each) => isSingleUse(each, options));
  if (once.length > 0 && !(await options.useDetails({ token: auth.token, details: once, now })))
    throw refuse('its authorization_details are used up');
}

/** A host that gives something else would let everybody in, or nobody. */
function listOf(
  needed: unknown,
  { knownDetailTypes: known }: Pick<DetailsCheckOptions, 'knownDetailTypes'>,
): readonly AuthorizationDetail[] {
  if (!Array.isArray(needed) || !needed.every(isDetail))
    throw unexpectedCondition(
      'details of a guard must give a list of objects with a type, empty if none are needed',
    );
  const unknown = needed.find(({ type }) => known?.includes(type) === false);
  if (unknown !== undefined)
    throw unexpectedCondition(
      `details of a guard gave the type ${unknown.type}, which is not among authorizationDetails`,
    );
  // as JSON: what is compared and sent has no dates and no undefined members
  return JSON.parse(JSON.stringify(needed)) as AuthorizationDetail[];
}

function isDetail(value: unknown): value is AuthorizationDetail {
  return typeof (value as Partial<AuthorizationDetail> | null)?.type === 'string';
}
