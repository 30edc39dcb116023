import { expandClaimScopes, withoutCovered } from '../../core/authorization/claim-scopes.js';
import {
  findSelectableChoices,
  type SelectableChoice,
} from '../../core/authorization-details/selectable-choices.js';
import type { Settings } from '../../settings/settings.js';
import { addSeconds } from '../../shared/date.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import type { Visit } from '../account-pages.js';
import { isHighRisk, isOptionalScope, scopeOf } from '../consent/decision.js';
import { describeDetails } from '../consent/describe-details.js';
import { describeScope, localize } from '../consent/describe-scopes.js';
import type { Translator } from '../rendering/translator.js';
import type { UserAuthorization } from './find-connected-apps.js';

/** What an application or a token is allowed. */
export type AuthorizationContent = Pick<UserAuthorization, 'clientId' | 'name' | 'scopes' | 'bound'>;

/**
 * All scopes that a client holds, including those that its scopes imply: one can take back the whole and leave the
 * part. Single claims only if none of these scopes names them: otherwise they come and go with their scope.
 */
export function scopesGrantedTo(scopes: readonly string[], settings: Settings): readonly string[] {
  const rules = expandClaimScopes(settings, scopes);
  const known = Object.keys(rules.scopes);
  const granted = withImplied(withoutCovered(scopes, rules), settings.impliedScopes);
  return [...granted].sort((left, right) => known.indexOf(left) - known.indexOf(right));
}

/** The scopes that a client holds, as its page shows them. */
export function describeGranted(granted: readonly string[], rules: Settings, { locale }: Translator) {
  const settings = expandClaimScopes(rules, granted);
  const describe = (scope: string) => describeScope(settings.scopes, scope, locale);
  return granted.map((scope) => {
    const implier = granted.find((other) => settings.impliedScopes.get(other)?.includes(scope) === true);
    return {
      scope,
      description: describe(scope),
      details: localize(scopeOf(settings.scopes, scope)?.details, locale),
      isHigh: isHighRisk(settings, scope),
      /** Whether it can be taken back without ending the rest. */
      isOptional: isOptionalScope(settings, scope),
      /** The scope that it comes with, as long as that stays. */
      includedIn: implier && describe(implier),
    };
  });
}

/** What the user can pick from for something; nothing if nothing was picked, or the site does not know the user. */
async function findOffers(
  { clientId, name, scopes, bound: { choices = {} } }: AuthorizationContent,
  { req: { user }, userId }: Visit,
  settings: Settings,
  language?: string,
): Promise<readonly SelectableChoice[]> {
  if (!user || Object.keys(choices).length === 0) return [];
  return findSelectableChoices({ client: { clientId, name }, scopes }, { user, userId, language }, settings);
}

/** What is allowed in detail, and what the user has picked for it, with the labels that they have now. */
export async function describeBound(
  authorization: AuthorizationContent,
  visit: Visit,
  settings: Settings,
  { text, span, number, locale }: Translator,
) {
  const { clientId, name, bound } = authorization;
  const { authorizationDetails = [], choices = {} } = bound;
  const offers = await findOffers(authorization, visit, settings, locale);
  return {
    details: await describeDetails(authorizationDetails, settings, locale, { clientId, name }),
    selected: offers.flatMap((offer) => {
      const { choice, entries } = offer;
      const selected = choices[offer.name];
      if (selected === undefined) return [];
      const values = [selected].flat().map((value) => {
        if (choice.lifetime !== undefined) return span(Number(value));
        if (typeof value === 'number') return number(value);
        // what is no longer offered is shown as it was stored
        return entries.find((entry) => entry.value === value)?.label ?? value;
      });
      return [{ name: offer.name, label: localize(choice.label, locale) ?? text('choice.lifetime'), values }];
    }),
  };
}

/**
 * What the user can pick instead of what they have picked: from a list what they are offered now, a lower number, a
 * lifetime that ends sooner. What a client has asked for in detail is not included.
 */
export async function findChangeable(
  authorization: AuthorizationContent,
  visit: Visit,
  settings: Settings,
  language?: string,
): Promise<readonly SelectableChoice[]> {
  const { choices = {}, endsAt } = authorization.bound;
  const offers = await findOffers(authorization, visit, settings, language);
  return offers.flatMap((offer): readonly SelectableChoice[] => {
    const selected = choices[offer.name];
    if (selected === undefined) return [];
    const { number, lifetime } = offer.choice;
    // to pick nothing would mean no limit
    const choice = { ...offer.choice, optional: false };
    if (number !== undefined) {
      const max = Number(selected);
      return max > number.min ? [{ ...offer, choice: { ...choice, number: { ...number, max } } }] : [];
    }
    const entries = offer.entries.filter(
      ({ value }) =>
        lifetime === undefined ||
        value === String(selected) ||
        endsAt === undefined ||
        addSeconds(visit.now, Number(value)) < endsAt,
    );
    const isElse = choice.multiple
      ? entries.length > 1
      : entries.some(({ value }) => value !== String(selected));
    return isElse ? [{ ...offer, choice, entries }] : [];
  });
}
