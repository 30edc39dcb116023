import { expandClaimScopes, withoutCovered } from '../../core/authorization/claim-scopes.js';
import { isHighRisk, isOptionalScope, scopeOf } from '../../core/authorization/decision.js';
import type { Settings } from '../../settings/settings.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { describeScope, localize } from '../consent/describe-scopes.js';
import type { Translator } from '../rendering/translator.js';

/** A scope that a client holds, as its page shows it. */
export interface GrantedScope {
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
export function scopesGrantedTo(scopes: readonly string[], settings: ScopeRules): readonly string[] {
  const rules = expandClaimScopes(settings, scopes);
  const known = Object.keys(rules.scopes);
  const granted = withImplied(withoutCovered(scopes, rules), settings.impliedScopes);
  return [...granted].sort((left, right) => known.indexOf(left) - known.indexOf(right));
}

export function describeGranted(
  granted: readonly string[],
  rules: ScopeRules,
  { locale }: Translator,
): readonly GrantedScope[] {
  const settings = expandClaimScopes(rules, granted);
  const describe = (scope: string) => describeScope(settings.scopes, scope, locale);
  return granted.map((scope) => {
    const implier = granted.find((other) => settings.impliedScopes.get(other)?.includes(scope) === true);
    return {
      scope,
      description: describe(scope),
      details: localize(scopeOf(settings.scopes, scope)?.details, locale),
      isHigh: isHighRisk(settings, scope),
      isOptional: isOptionalScope(settings, scope),
      includedIn: implier && describe(implier),
    };
  });
}
