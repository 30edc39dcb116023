import type { Request } from 'express';

import { findOffers, type Offer } from '../../core/authorization-details/offers.js';
import type { UserAuthorization } from '../../core/grants/connected-apps.js';
import type { ChoiceValue } from '../../settings/features/choice-options.js';
import type { Settings } from '../../settings/settings.js';
import { describeDetails } from '../consent/describe-details.js';
import { sayIn } from '../consent/describe-scopes.js';
import type { Words } from '../rendering/words.js';

/** What is remembered of somebody's decision besides scopes, in words. */
export interface ShownBound {
  readonly details: readonly { readonly title: string; readonly lines: readonly string[] }[];
  readonly picked: readonly {
    readonly name: string;
    readonly label: string;
    readonly values: readonly string[];
  }[];
}

/** What an app may do in detail, and what the person has picked for it, with the labels that they have now. */
export async function describeBound(
  { clientId, name, scopes, bound: { authorizationDetails = [], choices = {} } }: UserAuthorization,
  { user, userId }: { readonly user: NonNullable<Request['user']>; readonly userId: string },
  settings: Settings,
  words: Words,
): Promise<ShownBound> {
  const client = { clientId, name };
  const language = words.locale;
  const isPicked = Object.keys(choices).length > 0;
  const offers = isPicked ? await findOffers({ client, scopes }, { user, userId, language }, settings) : [];
  return {
    details: await describeDetails(authorizationDetails, settings, { language, client }),
    picked: offers.flatMap((offer) => {
      const value = choices[offer.name];
      if (value === undefined) return [];
      const label = sayIn(offer.choice.label, language) ?? words.text('choice.lifetime');
      return [{ name: offer.name, label, values: [value].flat().map((each) => inWords(each, offer, words)) }];
    }),
  };
}

/** What is no longer offered is shown as it was stored. */
function inWords(
  value: Exclude<ChoiceValue, readonly string[]>,
  { choice, entries }: Offer,
  words: Words,
): string {
  if (choice.lifetime !== undefined) return words.span(Number(value));
  if (typeof value === 'number') return words.number(value);
  return entries.find((entry) => entry.value === value)?.label ?? value;
}
