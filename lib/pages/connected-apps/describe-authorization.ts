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

/** The authorization of an application or a token. */
export type AuthorizationContent = Pick<UserAuthorization, 'clientId' | 'name' | 'scopes' | 'bound'>;

/**
 * All scopes of a client, including implied ones: a user can remove a scope and leave a part of it. Single claims are
 * included only if none of these scopes includes them.
 */
export function scopesGrantedTo(scopes: readonly string[], settings: Settings): readonly string[] {
  const rules = expandClaimScopes(settings, scopes);
  const order = Object.keys(rules.scopes);
  const granted = withImplied(withoutCovered(scopes, rules), settings.impliedScopes);
  return [...granted].sort((left, right) => order.indexOf(left) - order.indexOf(right));
}

/** A client's scopes, as its page shows them. */
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
      /** Whether the user can remove it without ending the rest. */
      isOptional: isOptionalScope(settings, scope),
      /** The scope that implies it, as long as that stays. */
      includedIn: implier && describe(implier),
    };
  });
}

/** The choices that the user can make; empty if there are none, or the site does not know the user. */
async function findOffers(
  { clientId, name, scopes, bound: { choices = {} } }: AuthorizationContent,
  { req: { user }, userId }: Visit,
  settings: Settings,
  language?: string,
): Promise<readonly SelectableChoice[]> {
  if (!user || Object.keys(choices).length === 0) return [];
  return findSelectableChoices({ client: { clientId, name }, scopes }, { user, userId, language }, settings);
}

/** The authorization details and the user's choices, with their current labels. */
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
        // a value that is no longer offered is displayed as stored
        return entries.find((entry) => entry.value === value)?.label ?? value;
      });
      return [{ name: offer.name, label: localize(choice.label, locale) ?? text('choice.lifetime'), values }];
    }),
  };
}

/**
 * The alternatives to the user's choices: other offered entries, a lower number, a shorter lifetime. Choices within
 * authorization details are not included.
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
    // an empty choice would mean no limit
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
