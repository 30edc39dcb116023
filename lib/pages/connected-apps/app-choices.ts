import type { Request } from 'express';

import { findOffers, type Offer } from '../../core/authorization-details/offers.js';
import type { UserAuthorization } from '../../core/grants/connected-apps.js';
import type { Settings } from '../../settings/settings.js';
import { after } from '../../shared/date.js';
import { describeChoice, type ShownChoice } from '../consent/describe-choices.js';
import type { Words } from '../rendering/words.js';

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
 * What the person can pick instead of what they have picked: from a list what they are offered now, a lower number, a
 * lifetime that ends sooner. What a client has asked for in detail is not included.
 */
export async function findChangeable(
  { clientId, name, scopes, bound }: UserAuthorization,
  { now, ...picker }: Looker,
  settings: Settings,
): Promise<readonly Offer[]> {
  const { choices = {} } = bound;
  if (Object.keys(choices).length === 0) return [];
  const offers = await findOffers({ client: { clientId, name }, scopes }, picker, settings);
  return offers.flatMap((offer) => {
    const picked = choices[offer.name];
    return picked === undefined ? [] : (narrowed(offer, { picked, endsAt: bound.endsAt, now }) ?? []);
  });
}

interface Pick {
  readonly picked: string | number | readonly string[];
  readonly endsAt: Date | undefined;
  readonly now: Date;
}

/** The offer, without a higher number or a later end; undefined if there is nothing else to pick. */
function narrowed(offer: Offer, { picked, endsAt, now }: Pick): Offer | undefined {
  const { number, lifetime } = offer.choice;
  // to pick nothing would mean no limit
  const choice = { ...offer.choice, optional: false };
  if (number !== undefined)
    return Number(picked) > number.min
      ? { ...offer, choice: { ...choice, number: { ...number, max: Number(picked) } } }
      : undefined;
  const entries =
    lifetime === undefined
      ? offer.entries
      : offer.entries.filter(
          ({ value }) =>
            value === String(picked) || endsAt === undefined || after(now, Number(value)) < endsAt,
        );
  const isElse = choice.multiple ? entries.length > 1 : entries.some(({ value }) => value !== String(picked));
  return isElse ? { ...offer, choice, entries } : undefined;
}

/** The forms of the page, one for each choice. */
export function describeChangeable(
  offers: readonly Offer[],
  { bound }: UserAuthorization,
  { refused, settings, words }: { refused: RefusedPick | undefined; settings: Settings; words: Words },
): readonly (ShownChoice & { readonly name: string })[] {
  const problem = refused && {
    toPick: [refused.choice],
    given: { scopes: [], picks: { [refused.choice]: refused.picked } },
  };
  const page = { settings, words, pickedBefore: bound.choices ?? {}, problem, titles: [] };
  return offers.map((offer) => ({ ...describeChoice(offer, page), name: offer.name }));
}
