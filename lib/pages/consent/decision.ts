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

/** The option of a scope; undefined if there is none. */
export function scopeOf(scopes: Settings['scopes'], scope: string): Settings['scopes'][string] | undefined {
  return Object.hasOwn(scopes, scope) ? scopes[scope] : undefined;
}

export function isOptionalScope({ scopes }: ScopeRules, scope: string): boolean {
  return scopeOf(scopes, scope)?.optional !== false;
}

/** The consent rules for a client. Without granular consent, all scopes and authorization details are required. */
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
    authorizationDetails: new Map([...(settings.authorizationDetails ?? [])].map(required)),
  };
}

export function isHighRisk({ scopes }: ScopeRules, scope: string): boolean {
  return scopeOf(scopes, scope)?.risk === 'high';
}

export function isOptionalDetail(
  { authorizationDetails: types }: DetailRules,
  detail: AuthorizationDetail | undefined,
): boolean {
  return types?.get(detail?.type ?? '')?.optional !== false;
}

export function isHighRiskDetail(
  { authorizationDetails: types }: DetailRules,
  detail: AuthorizationDetail | undefined,
): boolean {
  return types?.get(detail?.type ?? '')?.risk === 'high';
}

/** The name of a choice's field; sanitizers drop fields with a dot in their name. */
export function selectionFieldOf({ key }: Pick<ChoiceQuestion, 'key'>): string {
  return `choice-${key.replace('.', '-')}`;
}

/** The submitted choices, valid or not. @throws OAuthError invalid_request if a field is nested */
export function readSelections(form: unknown, questions: readonly ChoiceQuestion[]): Selections {
  return Object.fromEntries(
    questions.map((question) => [
      question.key,
      listField(form, selectionFieldOf(question)).filter((value) => value !== ''),
    ]),
  );
}

/** Whether a scope or detail has a high risk. */
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
 * The indexes of the allowed details: those that are ticked or required.
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
 * Reads the form of a consent page. It allows the requested scopes that are ticked or required, and those that one of
 * these implies. It never allows other scopes.
 *
 * @returns undefined if the form has no decision, or several; `nothingTicked` if it allows nothing although the page
 * had high-risk scopes, which are not ticked in advance
 * @throws OAuthError invalid_request if a scope is nested or changed
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
  // a ticked scope also allows the scopes that it implies, as the page says
  const included = withImplied(chosen, settings.impliedScopes);
  const scopes = decision === 'allow' ? requested.filter((scope) => included.includes(scope)) : [];
  // allowing nothing means denial
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
