import type { SelectionRequired } from '../../core/authorization/pending-decisions.js';
import type { SelectableChoice } from '../../core/authorization-details/selectable-choices.js';
import type { Choices } from '../../settings/options/choice-options.js';
import type { Translator } from '../rendering/translator.js';
import { selectionFieldOf } from './decision.js';
import { localize } from './describe-scopes.js';

/** More entries become a menu. */
const MAX_SEEN = 8;

/** The state of the page with the choices. */
export interface ChoicePage {
  readonly translator: Translator;
  /** The choices of the earlier consent. */
  readonly selectedBefore: Choices;
  /** The problem of the submitted form. */
  readonly problem: SelectionRequired | undefined;
  /** The titles of the details, by index. */
  readonly titles: readonly string[];
}

/** Whether no value is possible: the client's request may be below the minimum, or match no entry. */
export function hasNothing({ choice: { number: bounds }, entries }: SelectableChoice): boolean {
  return bounds === undefined ? entries.length === 0 : !(bounds.min <= bounds.max);
}

/** A choice with its previous or submitted value. */
export function describeChoice(
  offer: SelectableChoice,
  { problem, selectedBefore, titles, translator }: ChoicePage,
) {
  const { key, name, choice, detail, entries } = offer;
  const { text, number, span, locale } = translator;
  const { number: bounds, optional, lifetime } = choice;
  const before = detail === undefined ? selectedBefore[name] : undefined;
  // the only entry of a required choice is preselected
  const only = entries.length === 1 && !optional ? entries.map(({ value }) => value) : [];
  const selected = problem?.given.picks?.[key] ?? [before ?? bounds?.default ?? only].flat().map(String);
  const isEmpty = hasNothing(offer);
  const isWrong = (!optional && isEmpty) || problem?.toPick.includes(key) === true;
  return {
    /** The name of its field. */
    field: selectionFieldOf(offer),
    id: `choice-${key.replace('.', '-')}`,
    /** The title of its authorization detail. */
    of: detail === undefined ? undefined : titles[detail],
    label: localize(choice.label, locale) ?? text('choice.lifetime'),
    details: localize(choice.details, locale),
    kind: bounds ? 'number' : choice.multiple ? 'some' : entries.length > MAX_SEEN ? 'menu' : 'one',
    isOptional: optional,
    /** The label of an empty choice. */
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
