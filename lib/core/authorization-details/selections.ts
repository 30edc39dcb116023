import type { Choices, ChoiceValue } from '../../settings/options/choice-options.js';
import type { Settings } from '../../settings/settings.js';
import { addSeconds } from '../../shared/date.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import {
  type ChoiceQuestion,
  type ChoiceRequest,
  isRequiredBy,
  listQuestions,
  type SelectableChoice,
  valuesIn,
} from './selectable-choices.js';

/** A user's selections from the form, by the keys of the questions. */
export type Selections = Readonly<Record<string, readonly string[]>>;

/** The constraints of a grant beside its scopes; a consent stores them as well. */
export interface GrantConstraints {
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  readonly choices?: Choices;
  /** When the access ends, if the user chose a lifetime. */
  readonly endsAt?: Date;
}

export interface Approval {
  readonly scopes: readonly string[];
  /** The positions of the allowed details. */
  readonly details?: readonly number[] | undefined;
  readonly picks?: Selections | undefined;
}

/** The questions about the scopes and details that the user allows: the rest needs no answer. */
export function questionsFor<Of extends ChoiceQuestion>(
  questions: readonly Of[],
  { scopes, details = [] }: Approval,
): readonly Of[] {
  return questions.filter(({ detail, choice }) =>
    detail === undefined ? isRequiredBy(scopes, choice) : details.includes(detail),
  );
}

/** The keys of selections that are missing, or were never offered: a form can contain anything. */
export function findInvalidSelections(
  offers: readonly SelectableChoice[],
  picks: Selections,
): readonly string[] {
  return offers.filter((offer) => !isRight(offer, picks[offer.key] ?? [])).map(({ key }) => key);
}

function isRight({ choice, entries }: SelectableChoice, selected: readonly string[]): boolean {
  if (selected.length === 0) return choice.optional;
  if (selected.length > 1 && !choice.multiple) return false;
  if (choice.number === undefined)
    return selected.every((value) => entries.some((entry) => entry.value === value));
  const [text = ''] = selected;
  const { min, max, step } = choice.number;
  const value = Number(text);
  // decimals are not exact: 0.3 is not a multiple of 0.1
  const steps = (value - min) / step;
  const isStep = Math.abs(steps - Math.round(steps)) < 1e-6;
  return /^-?\d{1,15}(\.\d{1,6})?$/.test(text) && value >= min && value <= max && isStep;
}

/** The constraints that a decision sets; `findInvalidSelections` has checked its selections. */
export function constraintsFrom(
  requested: ChoiceRequest,
  decided: Approval,
  by: { readonly settings: Pick<Settings, 'choices' | 'authorizationDetails'>; readonly now: Date },
): GrantConstraints {
  const { authorizationDetails: details = [] } = requested;
  const { picks = {} } = decided;
  const questions = questionsFor(listQuestions(requested, by.settings), decided).filter(
    ({ key }) => (picks[key] ?? []).length > 0,
  );
  const valuesOf = (place?: number): Choices =>
    Object.fromEntries(
      questions
        .filter(({ detail }) => detail === place)
        .map((question) => [question.name, valueOf(question, picks[question.key] ?? [])]),
    );
  const selected = details.map((detail, place) => ({
    ...detail,
    ...keepClientSpelling(valuesOf(place), detail),
  }));
  const choices = valuesOf();
  const life = questions.find(({ choice }) => choice.lifetime !== undefined);
  return withoutUndefined({
    authorizationDetails: details.length > 0 ? detailsAtIndexes(selected, decided.details) : undefined,
    choices: Object.keys(choices).length > 0 ? choices : undefined,
    endsAt: life && addSeconds(by.now, Number(picks[life.key]?.[0])),
  });
}

/** Keeps a value as the client sent it: the schema of the type may require a number. */
function keepClientSpelling(
  selected: Choices,
  detail: AuthorizationDetail,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(selected).map(([name, value]) => {
      const sent: unknown[] = [detail[name] ?? []].flat();
      const texts = valuesIn(detail[name]);
      const toSent = (each: string | number) => sent[texts.indexOf(String(each))] ?? each;
      return [name, typeof value === 'object' ? value.map(toSent) : toSent(value)];
    }),
  );
}

function valueOf({ choice }: ChoiceQuestion, selected: readonly string[]): ChoiceValue {
  if (choice.multiple) return selected;
  const [first = ''] = selected;
  return choice.list === undefined ? Number(first) : first;
}

/** The selections that would produce these constraints again, for the questions of the request. */
export function toSelections(
  constraints: GrantConstraints,
  questions: readonly ChoiceQuestion[],
): Selections {
  return Object.fromEntries(
    questions.flatMap(({ key, name, detail }) => {
      const value =
        detail === undefined
          ? constraints.choices?.[name]
          : constraints.authorizationDetails?.[detail]?.[name];
      return value === undefined ? [] : [[key, [value].flat().map(String)]];
    }),
  );
}

/** The requested details at these positions. */
export function detailsAtIndexes(
  details: readonly AuthorizationDetail[],
  indexes: readonly number[] = [],
): readonly AuthorizationDetail[] {
  return details.filter((_detail, index) => indexes.includes(index));
}
