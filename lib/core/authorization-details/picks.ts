import type { Choices, ChoiceValue } from '../../settings/features/choice-options.js';
import type { Settings } from '../../settings/settings.js';
import { after } from '../../shared/date.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { listField } from '../http/form-fields.js';
import { detailsAtPlaces } from './allowed-details.js';
import { type AskedFor, isAskedWith, type Offer, type Question, questionsOf, valuesIn } from './offers.js';

/** What somebody has picked, as the form says, by the keys of the questions. */
export type Picks = Readonly<Record<string, readonly string[]>>;

/** What a grant is bound to beside its scopes, also as it is remembered. */
export interface Bound {
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  readonly choices?: Choices;
  /** When the access ends, if a lifetime was picked. */
  readonly endsAt?: Date;
}

/** What a person allows of what was asked for. */
export interface Decided {
  readonly scopes: readonly string[];
  /** The places of the details. */
  readonly details?: readonly number[] | undefined;
  readonly picks?: Picks | undefined;
}

/** The name of the field of a question. */
export function fieldOf({ key }: Pick<Question, 'key'>): string {
  return `choice.${key}`;
}

/** The answers of a form to these questions, right or wrong. @throws OAuthError invalid_request if a field is nested */
export function readPicks(form: unknown, questions: readonly Question[]): Picks {
  return Object.fromEntries(
    questions.map((question) => [
      question.key,
      listField(form, fieldOf(question)).filter((value) => value !== ''),
    ]),
  );
}

/** The questions that what the person allows still needs: nothing is asked about what they leave out. */
export function neededFor<Of extends Question>(
  questions: readonly Of[],
  { scopes, details = [] }: Decided,
): readonly Of[] {
  return questions.filter(({ detail, choice }) =>
    detail === undefined ? isAskedWith(scopes, choice) : details.includes(detail),
  );
}

/** The keys of picks that are missing, or were never offered: a form can say anything. */
export function findWrongPicks(offers: readonly Offer[], picks: Picks): readonly string[] {
  return offers.filter((offer) => !isRight(offer, picks[offer.key] ?? [])).map(({ key }) => key);
}

function isRight({ choice, entries }: Offer, picked: readonly string[]): boolean {
  if (picked.length === 0) return choice.optional;
  if (picked.length > 1 && !choice.multiple) return false;
  if (choice.number === undefined)
    return picked.every((value) => entries.some((entry) => entry.value === value));
  const [given = ''] = picked;
  return /^-?\d{1,15}(\.\d{1,6})?$/.test(given) && isWithinBounds(Number(given), choice.number);
}

function isWithinBounds(
  value: number,
  { min, max, step }: { readonly min: number; readonly max: number; readonly step: number },
): boolean {
  const steps = (value - min) / step;
  // decimals are not exact: 0.3 is not a multiple of 0.1
  return value >= min && value <= max && Math.abs(steps - Math.round(steps)) < 1e-6;
}

/** What a decision binds the grant to; its picks have been checked (`findWrongPicks`). */
export function boundBy(
  asked: Omit<AskedFor, 'client'>,
  decided: Decided,
  {
    settings,
    now,
  }: {
    readonly settings: Pick<Settings, 'choices' | 'authorizationDetails'>;
    readonly now: Date;
  },
): Bound {
  const { authorizationDetails: details = [] } = asked;
  const { picks = {} } = decided;
  const questions = neededFor(questionsOf(asked, settings), decided).filter(
    ({ key }) => (picks[key] ?? []).length > 0,
  );
  const valuesOf = (place?: number): Choices =>
    Object.fromEntries(
      questions
        .filter(({ detail }) => detail === place)
        .map((question) => [question.name, valueOf(question, picks[question.key] ?? [])]),
    );
  const picked = details.map((detail, place) => ({ ...detail, ...asNamed(valuesOf(place), detail) }));
  const choices = valuesOf();
  const life = questions.find(({ choice }) => choice.lifetime !== undefined);
  return {
    ...(details.length > 0 && { authorizationDetails: detailsAtPlaces(picked, decided.details) }),
    ...(Object.keys(choices).length > 0 && { choices }),
    ...(life && { endsAt: after(now, Number(picks[life.key]?.[0])) }),
  };
}

/** A value that the client has named stays as it has sent it: the schema of the type may want a number. */
function asNamed(picked: Choices, detail: AuthorizationDetail): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(picked).map(([name, value]) => {
      const named: unknown[] = [detail[name] ?? []].flat();
      const texts = valuesIn(detail[name]);
      const toNamed = (each: string | number) => named[texts.indexOf(String(each))] ?? each;
      return [name, typeof value === 'object' ? value.map(toNamed) : toNamed(value)];
    }),
  );
}

function valueOf({ choice }: Question, picked: readonly string[]): ChoiceValue {
  if (choice.multiple) return picked;
  const [first = ''] = picked;
  return choice.list === undefined ? Number(first) : first;
}

/** The picks that would give these values again, for the questions of the request. */
export function picksOf(bound: Bound, questions: readonly Question[]): Picks {
  return Object.fromEntries(
    questions.flatMap(({ key, name, detail }) => {
      const value =
        detail === undefined ? bound.choices?.[name] : bound.authorizationDetails?.[detail]?.[name];
      return value === undefined ? [] : [[key, [value].flat().map(String)]];
    }),
  );
}
