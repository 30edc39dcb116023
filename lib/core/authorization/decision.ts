import type { Settings } from '../../settings/settings.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import type { DetailTicks, Selections } from '../authorization-details/selections.js';
import type { Client } from '../clients/client.js';
import { offeredField } from '../http/form-fields.js';

/** What a user has decided on a consent page. It waits in the session by these names for the GET after the form. */
export interface Decision {
  readonly decision: 'allow' | 'deny';
  /** The requested scopes that are allowed; empty if none is. */
  readonly scopes: readonly string[];
  /** The indexes of the authorization details that are allowed, if any were requested. */
  readonly details?: readonly number[];
  readonly picks?: Selections;
  /** Whether the user wants to be asked the next time as well. */
  readonly isAskedEachTime?: true;
}

const NO_DETAILS: DetailTicks = { requestedCount: 0, tickedIndexes: [], hasHighRisk: false };

type ScopeRules = Pick<Settings, 'scopes' | 'impliedScopes'>;

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
  settings: ScopeRules,
  details: DetailTicks = NO_DETAILS,
): Decision | 'nothingTicked' | undefined {
  const decision = peekParameter(form, 'decision');
  const askEachTime = peekParameter(form, 'ask_each_time');
  if (decision !== 'allow' && decision !== 'deny') return undefined;
  const ticked = offeredField(form, 'granted_scope', requested);
  const chosen = requested.filter((scope) => !isOptionalScope(settings, scope) || ticked.includes(scope));
  // a scope is allowed although it is not ticked if a ticked one includes it: the page says so
  const read = narrowDecision(
    { decision, scopes: withImplied(chosen, settings.impliedScopes) },
    requested,
    details,
  );
  const isNothing = decision === 'allow' && read.decision === 'deny';
  const hasHighRisk = details.hasHighRisk || requested.some((scope) => isHighRisk(settings, scope));
  if (isNothing && hasHighRisk) return 'nothingTicked';
  return askEachTime === 'yes' ? { ...read, isAskedEachTime: true } : read;
}

/** The decision about these scopes alone, which may be fewer than before. If nothing is left, it is a denial. */
export function narrowDecision(
  { decision, scopes }: Decision,
  requested: readonly string[],
  { requestedCount, tickedIndexes }: DetailTicks = NO_DETAILS,
): Decision {
  const left = decision === 'allow' ? requested.filter((scope) => scopes.includes(scope)) : [];
  const isAnythingRequested = requested.length + requestedCount > 0;
  const isNothingLeft = left.length + tickedIndexes.length === 0 && isAnythingRequested;
  const narrowed = { decision: isNothingLeft ? 'deny' : decision, scopes: left };
  return requestedCount === 0 || narrowed.decision === 'deny'
    ? narrowed
    : { ...narrowed, details: tickedIndexes };
}
