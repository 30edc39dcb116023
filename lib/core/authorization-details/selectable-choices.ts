import type { Request } from 'express';

import type { ChoiceContext, ChoiceEntry, ChoiceSettings } from '../../settings/options/choice-options.js';
import type { Settings } from '../../settings/settings.js';
import { unexpectedCondition } from '../../shared/errors.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { isClaimEntry } from '../../shared/protocol/standard-claims.js';

export interface ChoiceRequest {
  readonly scopes: readonly string[];
  readonly authorizationDetails?: readonly AuthorizationDetail[] | undefined;
}

export interface ChoosingUser {
  readonly user: NonNullable<Request['user']>;
  readonly userId: string;
  readonly language?: string;
}

/** A choice that a request makes necessary. */
export interface ChoiceQuestion {
  /** Its name in the form: `workspace`, or `0.accounts` for the first detail. */
  readonly key: string;
  readonly name: string;
  readonly detail?: number;
  readonly choice: ChoiceSettings;
}

/** A choice with the entries to pick from; a number has none. */
export interface SelectableChoice extends ChoiceQuestion {
  readonly entries: readonly ChoiceEntry[];
}

type ChoiceRules = Pick<Settings, 'choices' | 'authorizationDetails'>;

/** What a user has to pick for a request: each detail has its own questions. */
export function questionsOf(
  { scopes, authorizationDetails = [] }: ChoiceRequest,
  { choices, authorizationDetails: types }: ChoiceRules,
): readonly ChoiceQuestion[] {
  return [
    ...[...choices]
      .filter(([, choice]) => isRequiredBy(scopes, choice))
      .map(([name, choice]) => ({ key: name, name, choice })),
    ...authorizationDetails.flatMap(({ type }, detail) =>
      [...(types.get(type)?.choices ?? [])].map(([name, choice]) => ({
        key: `${detail}.${name}`,
        name,
        detail,
        choice,
      })),
    ),
  ];
}

export function isRequiredBy(
  scopes: readonly string[],
  { scopes: of }: Pick<ChoiceSettings, 'scopes'>,
): boolean {
  return of?.some((scope) => scopes.includes(scope)) ?? true;
}

/** The same questions with their lists, which the site makes for this person. */
export function findSelectableChoices(
  requested: ChoiceRequest & Pick<ChoiceContext, 'client'>,
  picker: ChoosingUser,
  rules: ChoiceRules,
): Promise<readonly SelectableChoice[]> {
  return Promise.all(
    questionsOf(requested, rules).map(async (question) => {
      // the value that the client itself has written where the user is to pick
      const { name, detail } = question;
      const named = detail === undefined ? undefined : requested.authorizationDetails?.[detail]?.[name];
      const entries = await entriesOf(question, requested, picker);
      return isLeftOpen(named) ? { ...question, entries } : limited({ ...question, entries }, named);
    }),
  );
}

async function entriesOf(
  { name, choice: { list, lifetime = [] } }: ChoiceQuestion,
  { client, scopes }: Pick<ChoiceContext, 'client' | 'scopes'>,
  { user, ...whose }: ChoosingUser,
): Promise<readonly ChoiceEntry[]> {
  // the words are ours, in the language of the page
  if (list === undefined) return lifetime.map((span) => ({ value: String(span), label: '' }));
  const { clientId, name: clientName } = client;
  try {
    const entries = await list(user, {
      ...whose,
      client: { clientId, name: clientName },
      scopes: scopes.filter((scope) => !isClaimEntry(scope)),
    });
    return entries.map(({ value, ...entry }) => ({ ...entry, value: String(value) }));
  } catch (cause) {
    throw unexpectedCondition(`list of the choice ${name} threw`, cause);
  }
}

/** Whether a detail leaves a field to the user: it is absent, or empty (RFC 9396 §7.1, figure 16). */
export function isLeftOpen(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

/** What a field has in it, as picks are written: text, also if the client has sent numbers. */
export function valuesIn(field: unknown): readonly string[] {
  const values: unknown[] = [field ?? []].flat();
  return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

/**
 * A client that has named values in a detail can get no others, and a number is the most that it gets. The user must
 * pick: if the choice were optional, what was named would stay, whether it was offered or not.
 */
function limited(offer: SelectableChoice, named: unknown): SelectableChoice {
  const choice = { ...offer.choice, optional: false };
  const values = valuesIn(named);
  if (choice.number !== undefined) {
    const { default: defaultValue = Infinity } = choice.number;
    // what is no number leaves nothing to pick
    const max = Math.min(choice.number.max, Number.parseFloat(values[0] ?? ''));
    const number = { ...choice.number, max, default: defaultValue <= max ? defaultValue : undefined };
    return { ...offer, choice: { ...choice, number } };
  }
  return { ...offer, choice, entries: offer.entries.filter(({ value }) => values.includes(value)) };
}
