import { withoutCovered, withSingleClaims } from '../../core/authorization/claim-scopes.js';
import { isHighRisk, isOptionalScope, scopeOf } from '../../core/authorization/decision.js';
import type { Settings } from '../../settings/settings.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { describeScope, sayIn } from '../consent/describe-scopes.js';
import type { Words } from '../rendering/words.js';

/** A scope that a client holds, as its page shows it. */
export interface HeldScope {
  readonly scope: string;
  readonly description: string;
  readonly details: string | undefined;
  readonly isHigh: boolean;
  /** Whether it can be taken back without ending the rest. */
  readonly isOptional: boolean;
  /** The scope that it comes with, as long as that stays. */
  readonly includedIn: string | undefined;
}

type ScopeRules = Pick<Settings, 'scopes' | 'impliedScopes' | 'openid'>;

/**
 * All that a client holds, including the scopes that its scopes imply: one can take back the whole and leave the part.
 * Single claims only if none of these scopes names them: otherwise they come and go with their scope.
 */
export function heldBy(scopes: readonly string[], settings: ScopeRules): readonly string[] {
  const rules = withSingleClaims(settings, scopes);
  const known = Object.keys(rules.scopes);
  const held = withImplied(withoutCovered(scopes, rules), settings.impliedScopes);
  return [...held].sort((left, right) => known.indexOf(left) - known.indexOf(right));
}

export function describeHeld(
  held: readonly string[],
  rules: ScopeRules,
  { locale }: Words,
): readonly HeldScope[] {
  const settings = withSingleClaims(rules, held);
  const describe = (scope: string) => describeScope(settings.scopes, scope, locale);
  return held.map((scope) => {
    const implier = held.find((other) => settings.impliedScopes.get(other)?.includes(scope) === true);
    return {
      scope,
      description: describe(scope),
      details: sayIn(scopeOf(settings.scopes, scope)?.details, locale),
      isHigh: isHighRisk(settings, scope),
      isOptional: isOptionalScope(settings, scope),
      includedIn: implier && describe(implier),
    };
  });
}
