import type { Settings } from '../../settings/settings.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import type { DetailTicks } from '../authorization-details/allowed-details.js';
import type { Selections } from '../authorization-details/selections.js';
import { offeredField } from '../http/form-fields.js';

/** What a person has decided on a consent page. */
export interface Decision {
  readonly decision: 'allow' | 'deny';
  /** The requested scopes that are allowed; empty if none is. */
  readonly scopes: readonly string[];
  /** The places of the authorization details that are allowed, if any were asked for. */
  readonly details?: readonly number[];
  /** What the person has picked. */
  readonly picks?: Selections;
  /** Whether the person wants to be asked the next time as well. */
  readonly isAskedEachTime?: true;
}

const NO_DETAILS: DetailTicks = { requested: 0, ticked: [], hasHighRisk: false };

type ScopeRules = Pick<Settings, 'scopes' | 'impliedScopes'>;

/** What the host says about a scope; undefined if it has none of that name. */
export function scopeOf(scopes: Settings['scopes'], scope: string): Settings['scopes'][string] | undefined {
  return Object.hasOwn(scopes, scope) ? scopes[scope] : undefined;
}

/** Whether a person may leave the scope out and still allow the rest. */
export function isOptionalScope({ scopes }: Pick<Settings, 'scopes'>, scope: string): boolean {
  return scopeOf(scopes, scope)?.optional !== false;
}

/** Whether the host says that the scope can do harm. */
export function isHighRisk({ scopes }: Pick<Settings, 'scopes'>, scope: string): boolean {
  return scopeOf(scopes, scope)?.risk === 'high';
}

/**
 * What the form of a consent page says: of the scopes that were asked for, those that cannot be left out, those that
 * are ticked, and those that one of these includes; never others, whatever the form says.
 *
 * @returns undefined if the form has no decision, or more than one; `nothingTicked` if it allows nothing where not all
 * was ticked in advance
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
  // a person who unticks a scope but leaves one that includes it has allowed it: the page says so
  const read = narrowDecision(
    { decision, scopes: withImplied(chosen, settings.impliedScopes) },
    requested,
    details,
  );
  const isNothing = decision === 'allow' && read.decision === 'deny';
  const hasHighRisk = details.hasHighRisk || requested.some((scope) => isHighRisk(settings, scope));
  return isNothing && hasHighRisk
    ? 'nothingTicked'
    : { ...read, ...(askEachTime === 'yes' && { isAskedEachTime: true }) };
}

/** What a decision means for these scopes, which may be fewer than before. If nothing is left, it is a denial. */
export function narrowDecision(
  { decision, scopes }: Decision,
  requested: readonly string[],
  { requested: requestedDetails, ticked }: DetailTicks = NO_DETAILS,
): Decision {
  const left = decision === 'allow' ? requested.filter((scope) => scopes.includes(scope)) : [];
  const isAnythingRequested = requested.length + requestedDetails > 0;
  const isNothingLeft = left.length + ticked.length === 0 && isAnythingRequested;
  const narrowed = { decision: isNothingLeft ? 'deny' : decision, scopes: left };
  return requestedDetails === 0 || narrowed.decision === 'deny' ? narrowed : { ...narrowed, details: ticked };
}
