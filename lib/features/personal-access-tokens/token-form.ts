import { readDetails } from '../../core/authorization-details/read-details.js';
import { findSelectableChoices, listQuestions } from '../../core/authorization-details/selectable-choices.js';
import {
  constraintsFrom,
  detailsAtIndexes,
  findInvalidSelections,
  questionsFor,
} from '../../core/authorization-details/selections.js';
import { NAMED_GRANT_TYPES, type NamedTokenKind } from '../../core/grants/named-token.js';
import { offeredField, textField } from '../../core/http/form-fields.js';
import type { MessageKey } from '../../messages/index.js';
import type { Visit } from '../../pages/account-pages.js';
import { hasHighRisk, readSelections, readTicks } from '../../pages/consent/decision.js';
import { hashSecret } from '../../shared/crypto/secrets.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import { scopesAt } from '../../shared/protocol/resource.js';
import type { TokensContext } from './token-page.js';
import {
  type ExpiryProblem,
  type ExpiryRules,
  findExpiry,
  findMaxLifetime,
  findNameProblem,
  findPurposeProblem,
  rulesFor,
} from './token-rules.js';
import type { NewNamedToken } from './token-service.js';
import { policyClientOf } from './use-token.js';

export type TokenValues = ReturnType<typeof readTokenValues>;

/** The scopes and details that a user can choose, and the rules for them. */
export type TokenOffer = Awaited<ReturnType<typeof findOffer>>;

const SUBMISSION = /^[A-Za-z0-9_-]{22}$/;

/** The scopes and details that the policy of the site allows this user. @throws OAuthError access_denied */
export async function findOffer(
  { settings, options, policy }: TokensContext,
  { req, userId, now }: Visit,
  kind: NamedTokenKind,
) {
  const rules = rulesFor(kind, settings);
  const grantType = NAMED_GRANT_TYPES[kind];
  const isPersonal = kind === 'personal';
  const scopes = await policy.authorize(
    {
      client: policyClientOf(grantType),
      userId: isPersonal ? userId : undefined,
      createdBy: isPersonal ? undefined : userId,
      scopes: options.scopes,
      resources: [],
      grantType,
      now,
    },
    req,
  );
  // details that a user can complete: types with choices, and no other required members
  const types = [...(rules.authorizationDetails ?? [])].filter(
    ([, { choices }]) => isPersonal && choices.size > 0,
  );
  const details = await Promise.all(
    types.map(([type]) =>
      readDetails(JSON.stringify([{ type }]), {}, rules).catch((error: unknown) => {
        if (error instanceof OAuthError && error.error === 'invalid_authorization_details') return [];
        throw error;
      }),
    ),
  );
  return { kind, rules, scopes, details: details.flatMap((each) => each ?? []) };
}

/** The values of the form, limited to the offer. */
export function readTokenValues(body: unknown, { kind, rules, scopes, details }: TokenOffer) {
  const submission = textField(body, 'submission');
  if (!SUBMISSION.test(submission))
    throw new OAuthError('invalid_request', 'the form has no submission id of ours');
  const ticked = offeredField(body, 'granted_scope', scopes);
  const requested = { scopes, authorizationDetails: details };
  return {
    kind,
    submission,
    name: textField(body, 'name').trim(),
    purpose: textField(body, 'purpose').replaceAll(/\r\n?/g, '\n').trim(),
    // empty for the site's API
    resource: textField(body, 'resource'),
    scopes: scopes.filter((scope) => ticked.includes(scope)),
    details: readTicks(body, details, rules),
    picks: readSelections(body, listQuestions(requested, rules)),
    // seconds, `date` or `never`
    expires: textField(body, 'expires'),
    // a day, as browsers send it: `2027-01-31`
    expiresOn: textField(body, 'expires_on'),
  };
}

/**
 * Validates the values against the offer, whatever the form has. There is a `token` if all are valid; `toPick` has the
 * keys of missing or wrong choices.
 */
export async function readToken(
  { options }: TokensContext,
  { req, userId, now }: Visit,
  values: TokenValues,
  { rules, kind, details: offered }: TokenOffer,
) {
  const { name, purpose, resource, scopes, details } = values;
  const requested = { scopes, authorizationDetails: offered };
  const client = { clientId: NAMED_GRANT_TYPES[kind], name };
  const offers = await findSelectableChoices({ ...requested, client }, { user: req.user!, userId }, rules);
  const toPick = findInvalidSelections(questionsFor(offers, values), values.picks);
  const expiry = readExpiry(values, { kind, options, now });
  const isResource = resource === '' ? !rules.security.requireResource : rules.resources.has(resource);
  // the chosen scopes that belong to the API; throws if none does
  let scopesThere: readonly string[] | undefined;
  try {
    scopesThere = scopesAt(scopes, resource === '' ? [] : [resource], rules.resources);
  } catch {
    // a problem below
  }
  // in the order of the page
  const checks: readonly (readonly [string, MessageKey | undefined])[] = [
    ['name', findNameProblem(name)],
    ['purpose', findPurposeProblem(purpose)],
    ['resource', isResource ? undefined : 'tokens.resourceMissing'],
    ['scopes', scopes.length + details.length === 0 ? 'tokens.scopesMissing' : undefined],
    ['scopes', scopesThere === undefined ? 'tokens.scopesElsewhere' : undefined],
    ['expires', expiry instanceof Date ? undefined : EXPIRY_TEXTS[expiry ?? 'missing']],
  ];
  const problems = checks.flatMap(([field, text]) => (text === undefined ? [] : [{ field, text }]));
  // high-risk scopes need a confirmation
  const isHigh = hasHighRisk(rules, scopes, detailsAtIndexes(offered, details));
  if (problems.length > 0 || toPick.length > 0 || !(expiry instanceof Date))
    return { problems, toPick, isHigh, token: undefined };
  const isService = kind === 'service';
  const token: NewNamedToken = {
    kind,
    userId: isService ? undefined : userId,
    owners: isService ? [userId] : undefined,
    createdBy: isService ? userId : undefined,
    name,
    purpose,
    ...constraintsFrom(requested, values, { settings: rules, now }),
    scopes: scopesThere ?? [],
    resource: resource === '' ? undefined : resource,
    expiresAt: expiry,
  };
  return { problems, toPick, isHigh, token };
}

const EXPIRY_TEXTS = {
  past: 'tokens.expiryPast',
  late: 'tokens.expiryLate',
  never: 'tokens.expiryMissing',
  missing: 'tokens.expiryMissing',
} as const satisfies Record<ExpiryProblem | 'missing', MessageKey>;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Undefined if the form has no valid choice. */
function readExpiry(
  { expires, expiresOn }: TokenValues,
  rules: ExpiryRules,
): Date | ExpiryProblem | undefined {
  if (expires === 'never') return findExpiry(null, rules);
  if (expires === 'date') {
    // the end of the day; checked, because a JavaScript date would read 31 February as a day in March
    const end = new Date(`${expiresOn}T23:59:59Z`);
    const isDay =
      !Number.isNaN(end.getTime()) && end.toISOString().startsWith(expiresOn) && DAY.test(expiresOn);
    if (!isDay) return undefined;
    return end > addSeconds(rules.now, findMaxLifetime(rules)) ? 'late' : findExpiry(end, rules);
  }
  return /^[1-9]\d{0,9}$/.test(expires) ? findExpiry(Number(expires), rules) : undefined;
}

/** The id of the token that a form makes: the same form, sent twice, makes one token, and users cannot choose an id. */
export function idOf(submission: string, userId: string): string {
  return hashSecret(JSON.stringify(['access token', submission, userId])).slice(0, 22);
}
