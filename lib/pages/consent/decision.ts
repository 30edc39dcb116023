import type { Decision } from '../../core/authorization/pending-decisions.js';
import type { ChoiceQuestion } from '../../core/authorization-details/selectable-choices.js';
import type { Selections } from '../../core/authorization-details/selections.js';
import type { Client } from '../../core/clients/client.js';
import { listField, offeredField } from '../../core/http/form-fields.js';
import type { Settings } from '../../settings/settings.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { peekParameter } from '../../shared/protocol/parameters.js';

type ScopeRules = Pick<Settings, 'scopes' | 'impliedScopes'>;
type DetailRules = Pick<Settings, 'authorizationDetails'>;

/** What the site says about a scope; undefined if it has none of that name. */
export function scopeOf(scopes: Settings['scopes'], scope: string): Settings['scopes'][string] | undefined {
  return Object.hasOwn(scopes, scope) ? scopes[scope] : undefined;
}

export function isOptionalScope({ scopes }: ScopeRules, scope: string): boolean {
  return scopeOf(scopes, scope)?.optional !== false;
}

/**
 * The rules of the site for the users of a client. Without granular consent they can leave out no scope and no
 * authorization detail.
 */
export function consentRulesOf<Rules extends Pick<Settings, 'scopes' | 'authorizationDetails'>>(
  settings: Rules,
  client: Pick<Client, 'granularConsent'> | undefined,
): Rules {
  if (client?.granularConsent !== false) return settings;
  const required = <Rule extends object>([name, rule]: readonly [string, Rule]) =>
    [name, { ...rule, optional: false }] as const;
  return {
    ...settings,
    scopes: Object.fromEntries(Object.entries(settings.scopes).map(required)),
    authorizationDetails: new Map([...settings.authorizationDetails].map(required)),
  };
}

export function isHighRisk({ scopes }: ScopeRules, scope: string): boolean {
  return scopeOf(scopes, scope)?.risk === 'high';
}

export function isOptionalDetail(
  { authorizationDetails: types }: DetailRules,
  detail: AuthorizationDetail | undefined,
): boolean {
  return types.get(detail?.type ?? '')?.optional !== false;
}

export function isHighRiskDetail(
  { authorizationDetails: types }: DetailRules,
  detail: AuthorizationDetail | undefined,
): boolean {
  return types.get(detail?.type ?? '')?.risk === 'high';
}

/** The name of the field of a question; sanitizers drop fields with a dot in their name. */
export function selectionFieldOf({ key }: Pick<ChoiceQuestion, 'key'>): string {
  return `choice-${key.replace('.', '-')}`;
}

/** The answers of a form to these questions, right or wrong. @throws OAuthError invalid_request if a field is nested */
export function readSelections(form: unknown, questions: readonly ChoiceQuestion[]): Selections {
  return Object.fromEntries(
    questions.map((question) => [
      question.key,
      listField(form, selectionFieldOf(question)).filter((value) => value !== ''),
    ]),
  );
}

/** Whether something of it can do harm. */
export function hasHighRisk(
  rules: ScopeRules & DetailRules,
  scopes: readonly string[],
  details: readonly AuthorizationDetail[],
): boolean {
  return (
    scopes.some((scope) => isHighRisk(rules, scope)) ||
    details.some((detail) => isHighRiskDetail(rules, detail))
  );
}

/**
 * The places of the details that a form allows: of those that are ticked, and of those that cannot be left out.
 *
 * @throws OAuthError invalid_request if a field is nested
 */
export function readTicks(form: unknown, details: readonly AuthorizationDetail[], rules: DetailRules) {
  const sent = listField(form, 'detail');
  return [...details.keys()].filter(
    (index) => !isOptionalDetail(rules, details[index]) || sent.includes(String(index)),
  );
}

/**
 * Reads the form of a consent page. It allows the requested scopes that are ticked or cannot be left out, and those
 * that one of these includes. It never allows a scope that was not requested.
 *
 * @returns undefined if the form has no decision, or more than one; `nothingTicked` if it allows nothing although the
 *   page had something of high risk, which is not ticked in advance
 * @throws OAuthError invalid_request if a scope is nested, or came back changed
 * @see RFC 6749 §3.3
 */
export function readDecision(
  form: unknown,
  requested: readonly string[],
  settings: ScopeRules & DetailRules,
  details: readonly AuthorizationDetail[] = [],
): Decision | 'nothingTicked' | undefined {
  const tickedIndexes = readTicks(form, details, settings);
  const decision = peekParameter(form, 'decision');
  if (decision !== 'allow' && decision !== 'deny') return undefined;
  const ticked = offeredField(form, 'granted_scope', requested);
  const chosen = requested.filter((scope) => !isOptionalScope(settings, scope) || ticked.includes(scope));
  // a scope is allowed although it is not ticked if a ticked one includes it: the page says so
  const included = withImplied(chosen, settings.impliedScopes);
  const scopes = decision === 'allow' ? requested.filter((scope) => included.includes(scope)) : [];
  // to allow nothing of what was requested is a denial
  const isNothing = requested.length + details.length > 0 && scopes.length + tickedIndexes.length === 0;
  if (decision === 'allow' && isNothing && hasHighRisk(settings, requested, details)) return 'nothingTicked';
  const isAllowed = decision === 'allow' && !isNothing;
  return {
    decision: isAllowed ? 'allow' : 'deny',
    scopes,
    details: isAllowed && details.length > 0 ? tickedIndexes : undefined,
    isAskedEachTime: peekParameter(form, 'ask_each_time') === 'yes' || undefined,
  };
}
