import type { ToPick } from '../../core/authorization/pending-decisions.js';
import {
  type AskedFor,
  findOffers,
  type Offer,
  type Picker,
} from '../../core/authorization-details/offers.js';
import { fieldOf } from '../../core/authorization-details/picks.js';
import type { Choices } from '../../settings/features/choice-options.js';
import type { Settings } from '../../settings/settings.js';
import type { Words } from '../rendering/words.js';
import { sayIn } from './describe-scopes.js';

/** A choice as the page shows it. */
export interface ShownChoice {
  /** The name of its field. */
  readonly field: string;
  readonly id: string;
  /** The detail that it is a part of, in words. */
  readonly of: string | undefined;
  readonly label: string;
  readonly details: string | undefined;
  readonly kind: 'one' | 'some' | 'menu' | 'number';
  readonly isOptional: boolean;
  /** Picking nothing, in words. */
  readonly noLimit: string;
  readonly entries: readonly {
    readonly value: string;
    readonly label: string;
    readonly details: string | undefined;
    readonly isPicked: boolean;
  }[];
  /** For a number. */
  readonly bounds: { readonly min: number; readonly max: number; readonly step: number } | undefined;
  readonly value: string;
  readonly problems: readonly string[];
}

/** If there are more entries, they are one line, which opens. */
const MOST_SEEN = 8;

/** What the page knows besides what is asked for. */
export interface ChoicePage {
  readonly settings: Pick<Settings, 'choices' | 'authorizationDetails'>;
  readonly words: Words;
  /** What was picked before, when the client was allowed something. */
  readonly pickedBefore: Choices;
  /** What was wrong with the form. */
  readonly problem: ToPick | undefined;
  /** The details in words, by their places. */
  readonly titles: readonly string[];
}

/** What the person picks, in their language. */
export async function describeChoices(
  asked: AskedFor,
  picker: Omit<Picker, 'language'>,
  page: ChoicePage,
): Promise<readonly ShownChoice[]> {
  const { settings, words } = page;
  const offers = await findOffers(asked, { ...picker, language: words.locale }, settings);
  return offers.filter((offer) => !isNoQuestion(offer)).map((offer) => describeChoice(offer, page));
}

/** A choice that is optional and offers nothing is not a question. */
function isNoQuestion(offer: Offer): boolean {
  return offer.choice.optional && hasNothing(offer);
}

/** One choice, as it was picked before, or as it was just sent. */
export function describeChoice(offer: Offer, page: ChoicePage): ShownChoice {
  const { key, choice, detail } = offer;
  const { text, locale } = page.words;
  const picked = pickedOf(offer, page);
  return {
    field: fieldOf(offer),
    id: `choice-${key.replace('.', '-')}`,
    of: detail === undefined ? undefined : page.titles[detail],
    label: sayIn(choice.label, locale) ?? text('choice.lifetime'),
    details: sayIn(choice.details, locale),
    kind: kindOf(offer),
    isOptional: choice.optional,
    noLimit: sayIn(choice.noLimit, locale) ?? text('choice.none'),
    entries: entriesOf(offer, picked, page.words),
    bounds: choice.number,
    value: picked[0] ?? '',
    problems: problemsOf(offer, page),
  };
}

function entriesOf(
  { choice, entries }: Offer,
  picked: readonly string[],
  { span }: Words,
): ShownChoice['entries'] {
  return entries.map(({ value, label, details }) => ({
    value,
    label: choice.lifetime === undefined ? label : span(Number(value)),
    details,
    isPicked: picked.includes(value),
  }));
}

/** As it was sent just now, or the last time. Nothing is picked for the person, unless there is only one thing. */
function pickedOf(offer: Offer, { problem, pickedBefore }: ChoicePage): readonly string[] {
  const { key, name, detail, choice } = offer;
  const sent = problem?.given.picks?.[key];
  if (sent !== undefined) return sent;
  const before = detail === undefined ? pickedBefore[name] : undefined;
  return [before ?? choice.number?.default ?? onlyOne(offer)].flat().map(String);
}

function onlyOne({ choice, entries }: Offer): readonly string[] {
  const [only, ...more] = entries;
  return only !== undefined && more.length === 0 && !choice.optional ? [only.value] : [];
}

function problemsOf(offer: Offer, { problem, words }: ChoicePage): readonly string[] {
  const { key, choice } = offer;
  return (!choice.optional && hasNothing(offer)) || problem?.toPick.includes(key) === true
    ? [whatIsWrong(offer, words)]
    : [];
}

function kindOf({ choice, entries }: Offer): ShownChoice['kind'] {
  if (choice.number !== undefined) return 'number';
  if (choice.multiple) return 'some';
  return entries.length > MOST_SEEN ? 'menu' : 'one';
}

function whatIsWrong(offer: Offer, { text, number }: Words): string {
  if (hasNothing(offer)) return text('choice.nothing');
  const { number: bounds } = offer.choice;
  if (bounds === undefined) return text('choice.missing');
  return text('choice.wrongNumber', { min: number(bounds.min), max: number(bounds.max) });
}

/** A client may have named less than the least of a number, or nothing of a list. */
function hasNothing({ choice: { number: bounds }, entries }: Offer): boolean {
  return bounds === undefined ? entries.length === 0 : !(bounds.min <= bounds.max);
}
