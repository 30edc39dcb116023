import type { Request } from 'express';

import {
  findSelectableChoices,
  type SelectableChoice,
} from '../../core/authorization-details/selectable-choices.js';
import type { UserAuthorization } from '../../core/grants/connected-apps.js';
import type { Settings } from '../../settings/settings.js';
import { addSeconds } from '../../shared/date.js';
import { type ChoiceView, describeChoice } from '../consent/describe-choices.js';
import type { Translator } from '../rendering/translator.js';

/** Who looks, and when. */
export interface Looker {
  readonly user: NonNullable<Request['user']>;
  readonly userId: string;
  readonly language?: string;
  readonly now: Date;
}

/** What was sent for one choice, but cannot be picked. */
export interface RefusedPick {
  readonly choice: string;
  readonly picked: readonly string[];
}

/**
 * What the user can pick instead of what they have picked: from a list what they are offered now, a lower number, a
 * lifetime that ends sooner. What a client has asked for in detail is not included.
 */
export async function findChangeable(
  { clientId, name, scopes, bound }: UserAuthorization,
  { now, ...picker }: Looker,
  settings: Settings,
): Promise<readonly SelectableChoice[]> {
  const { choices = {} } = bound;
  if (Object.keys(choices).length === 0) return [];
  const offers = await findSelectableChoices({ client: { clientId, name }, scopes }, picker, settings);
  return offers.flatMap((offer) => {
    const selected = choices[offer.name];
    return selected === undefined ? [] : (narrowed(offer, { selected, endsAt: bound.endsAt, now }) ?? []);
  });
}

interface Pick {
  readonly selected: string | number | readonly string[];
  readonly endsAt: Date | undefined;
  readonly now: Date;
}

/** The offer, without a higher number or a later end; undefined if there is nothing else to pick. */
function narrowed(offer: SelectableChoice, { selected, endsAt, now }: Pick): SelectableChoice | undefined {
  const { number, lifetime } = offer.choice;
  // to pick nothing would mean no limit
  const choice = { ...offer.choice, optional: false };
  if (number !== undefined)
    return Number(selected) > number.min
      ? { ...offer, choice: { ...choice, number: { ...number, max: Number(selected) } } }
      : undefined;
  const entries =
    lifetime === undefined
      ? offer.entries
      : offer.entries.filter(
          ({ value }) =>
            value === String(selected) || endsAt === undefined || addSeconds(now, Number(value)) < endsAt,
        );
  const isElse = choice.multiple
    ? entries.length > 1
    : entries.some(({ value }) => value !== String(selected));
  return isElse ? { ...offer, choice, entries } : undefined;
}

/** The forms of the page, one for each choice. */
export function describeChangeable(
  offers: readonly SelectableChoice[],
  { bound }: UserAuthorization,
  {
    refused,
    settings,
    translator,
  }: { refused: RefusedPick | undefined; settings: Settings; translator: Translator },
): readonly (ChoiceView & { readonly name: string })[] {
  const problem = refused && {
    toPick: [refused.choice],
    given: { scopes: [], picks: { [refused.choice]: refused.picked } },
  };
  const page = { settings, translator, selectedBefore: bound.choices ?? {}, problem, titles: [] };
  return offers.map((offer) => ({ ...describeChoice(offer, page), name: offer.name }));
}
