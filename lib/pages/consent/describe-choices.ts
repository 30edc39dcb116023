import type { SelectionRequired } from '../../core/authorization/pending-decisions.js';
import {
  type ChoiceRequest,
  type ChoosingUser,
  findSelectableChoices,
  type SelectableChoice,
} from '../../core/authorization-details/selectable-choices.js';
import { selectionFieldOf } from '../../core/authorization-details/selections.js';
import type { Choices } from '../../settings/options/choice-options.js';
import type { Settings } from '../../settings/settings.js';
import type { Translator } from '../rendering/translator.js';
import { localize } from './describe-scopes.js';

/** A choice as the page shows it. */
export interface ChoiceView {
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
    readonly isSelected: boolean;
  }[];
  /** For a number. */
  readonly bounds: { readonly min: number; readonly max: number; readonly step: number } | undefined;
  readonly value: string;
  readonly problems: readonly string[];
}

/** If there are more entries, they are one line, which opens. */
const MAX_SEEN = 8;

/** What the page knows besides what is asked for. */
export interface ChoicePage {
  readonly settings: Pick<Settings, 'choices' | 'authorizationDetails'>;
  readonly translator: Translator;
  /** What was picked before, when the client was allowed something. */
  readonly selectedBefore: Choices;
  /** What was wrong with the form. */
  readonly problem: SelectionRequired | undefined;
  /** The details in words, by their places. */
  readonly titles: readonly string[];
}

/** What the user picks, in their language. */
export async function describeChoices(
  requested: ChoiceRequest,
  picker: Omit<ChoosingUser, 'language'>,
  page: ChoicePage,
): Promise<readonly ChoiceView[]> {
  const { settings, translator } = page;
  const offers = await findSelectableChoices(requested, { ...picker, language: translator.locale }, settings);
  return offers.filter((offer) => !isNoQuestion(offer)).map((offer) => describeChoice(offer, page));
}

/** A choice that is optional and offers nothing is not a question. */
function isNoQuestion(offer: SelectableChoice): boolean {
  return offer.choice.optional && hasNothing(offer);
}

/** One choice, as it was picked before, or as it was just sent. */
export function describeChoice(offer: SelectableChoice, page: ChoicePage): ChoiceView {
  const { key, choice, detail } = offer;
  const { text, locale } = page.translator;
  const selected = selectedOf(offer, page);
  return {
    field: selectionFieldOf(offer),
    id: `choice-${key.replace('.', '-')}`,
    of: detail === undefined ? undefined : page.titles[detail],
    label: localize(choice.label, locale) ?? text('choice.lifetime'),
    details: localize(choice.details, locale),
    kind: kindOf(offer),
    isOptional: choice.optional,
    noLimit: localize(choice.noLimit, locale) ?? text('choice.none'),
    entries: entriesOf(offer, selected, page.translator),
    bounds: choice.number,
    value: selected[0] ?? '',
    problems: problemsOf(offer, page),
  };
}

function entriesOf(
  { choice, entries }: SelectableChoice,
  selected: readonly string[],
  { span }: Translator,
): ChoiceView['entries'] {
  return entries.map(({ value, label, details }) => ({
    value,
    label: choice.lifetime === undefined ? label : span(Number(value)),
    details,
    isSelected: selected.includes(value),
  }));
}

/** As it was sent just now, or the last time. Nothing is picked for the user, unless there is only one thing. */
function selectedOf(offer: SelectableChoice, { problem, selectedBefore }: ChoicePage): readonly string[] {
  const { key, name, detail, choice } = offer;
  const sent = problem?.given.picks?.[key];
  if (sent !== undefined) return sent;
  const before = detail === undefined ? selectedBefore[name] : undefined;
  return [before ?? choice.number?.default ?? onlyOne(offer)].flat().map(String);
}

function onlyOne({ choice, entries }: SelectableChoice): readonly string[] {
  const [only, ...more] = entries;
  return only !== undefined && more.length === 0 && !choice.optional ? [only.value] : [];
}

function problemsOf(offer: SelectableChoice, { problem, translator }: ChoicePage): readonly string[] {
  const { key, choice } = offer;
  return (!choice.optional && hasNothing(offer)) || problem?.toPick.includes(key) === true
    ? [whatIsWrong(offer, translator)]
    : [];
}

function kindOf({ choice, entries }: SelectableChoice): ChoiceView['kind'] {
  if (choice.number !== undefined) return 'number';
  if (choice.multiple) return 'some';
  return entries.length > MAX_SEEN ? 'menu' : 'one';
}

function whatIsWrong(offer: SelectableChoice, { text, number }: Translator): string {
  if (hasNothing(offer)) return text('choice.nothing');
  const { number: bounds } = offer.choice;
  if (bounds === undefined) return text('choice.missing');
  return text('choice.wrongNumber', { min: number(bounds.min), max: number(bounds.max) });
}

/** A client may have named less than the least of a number, or nothing of a list. */
function hasNothing({ choice: { number: bounds }, entries }: SelectableChoice): boolean {
  return bounds === undefined ? entries.length === 0 : !(bounds.min <= bounds.max);
}
