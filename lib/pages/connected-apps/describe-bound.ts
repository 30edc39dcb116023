import type { Request } from 'express';

import {
  findSelectableChoices,
  type SelectableChoice,
} from '../../core/authorization-details/selectable-choices.js';
import type { UserAuthorization } from '../../core/grants/connected-apps.js';
import type { ChoiceValue } from '../../settings/options/choice-options.js';
import type { Settings } from '../../settings/settings.js';
import { describeDetails } from '../consent/describe-details.js';
import { localize } from '../consent/describe-scopes.js';
import type { Translator } from '../rendering/translator.js';

/** What is remembered of somebody's decision besides scopes, in words. */
export interface ConstraintsView {
  readonly details: readonly { readonly title: string; readonly lines: readonly string[] }[];
  readonly selected: readonly {
    readonly name: string;
    readonly label: string;
    readonly values: readonly string[];
  }[];
}

/** What an app may do in detail, and what the user has picked for it, with the labels that they have now. */
export async function describeBound(
  { clientId, name, scopes, bound: { authorizationDetails = [], choices = {} } }: UserAuthorization,
  { user, userId }: { readonly user: NonNullable<Request['user']>; readonly userId: string },
  settings: Settings,
  translator: Translator,
): Promise<ConstraintsView> {
  const client = { clientId, name };
  const language = translator.locale;
  const isSelected = Object.keys(choices).length > 0;
  const offers = isSelected
    ? await findSelectableChoices({ client, scopes }, { user, userId, language }, settings)
    : [];
  return {
    details: await describeDetails(authorizationDetails, settings, { language, client }),
    selected: offers.flatMap((offer) => {
      const value = choices[offer.name];
      if (value === undefined) return [];
      const label = localize(offer.choice.label, language) ?? translator.text('choice.lifetime');
      return [
        { name: offer.name, label, values: [value].flat().map((each) => inText(each, offer, translator)) },
      ];
    }),
  };
}

/** What is no longer offered is shown as it was stored. */
function inText(
  value: Exclude<ChoiceValue, readonly string[]>,
  { choice, entries }: SelectableChoice,
  translator: Translator,
): string {
  if (choice.lifetime !== undefined) return translator.span(Number(value));
  if (typeof value === 'number') return translator.number(value);
  return entries.find((entry) => entry.value === value)?.label ?? value;
}
