import type { SelectionRequired } from '../../core/authorization/pending-decisions.js';
import type { SelectableChoice } from '../../core/authorization-details/selectable-choices.js';
import type { Choices } from '../../settings/options/choice-options.js';
import type { Translator } from '../rendering/translator.js';
import { selectionFieldOf } from './decision.js';
import { localize } from './describe-scopes.js';

/** If there are more entries, they are one line, which opens. */
const MAX_SEEN = 8;

/** What the page knows besides what is asked for. */
export interface ChoicePage {
  readonly translator: Translator;
  /** What was picked before, when the client was allowed something. */
  readonly selectedBefore: Choices;
  /** What was wrong with the form. */
  readonly problem: SelectionRequired | undefined;
  /** The details in words, by their places. */
  readonly titles: readonly string[];
}

/** A client may have named less than the least of a number, or nothing of a list. */
export function hasNothing({ choice: { number: bounds }, entries }: SelectableChoice): boolean {
  return bounds === undefined ? entries.length === 0 : !(bounds.min <= bounds.max);
}

/** One choice, as it was picked before, or as it was just sent. */
export function describeChoice(
  offer: SelectableChoice,
  { problem, selectedBefore, titles, translator }: ChoicePage,
) {
  const { key, name, choice, detail, entries } = offer;
  const { text, number, span, locale } = translator;
  const { number: bounds, optional, lifetime } = choice;
  const before = detail === undefined ? selectedBefore[name] : undefined;
  // nothing is picked for the user, unless there is only one thing
  const only = entries.length === 1 && !optional ? entries.map(({ value }) => value) : [];
  const selected = problem?.given.picks?.[key] ?? [before ?? bounds?.default ?? only].flat().map(String);
  const isEmpty = hasNothing(offer);
  const isWrong = (!optional && isEmpty) || problem?.toPick.includes(key) === true;
  return {
    /** The name of its field. */
    field: selectionFieldOf(offer),
    id: `choice-${key.replace('.', '-')}`,
    /** The detail that it is a part of, in words. */
    of: detail === undefined ? undefined : titles[detail],
    label: localize(choice.label, locale) ?? text('choice.lifetime'),
    details: localize(choice.details, locale),
    kind: bounds ? 'number' : choice.multiple ? 'some' : entries.length > MAX_SEEN ? 'menu' : 'one',
    isOptional: optional,
    /** Picking nothing, in words. */
    noLimit: localize(choice.noLimit, locale) ?? text('choice.none'),
    entries: entries.map(({ value, label, details }) => ({
      value,
      label: lifetime === undefined ? label : span(Number(value)),
      details,
      isSelected: selected.includes(value),
    })),
    bounds,
    value: selected[0] ?? '',
    problems: !isWrong
      ? []
      : isEmpty
        ? [text('choice.nothing')]
        : bounds === undefined
          ? [text('choice.missing')]
          : [text('choice.wrongNumber', { min: number(bounds.min), max: number(bounds.max) })],
  };
}
