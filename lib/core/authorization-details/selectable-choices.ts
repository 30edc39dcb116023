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

/** A choice that a request requires. */
export interface ChoiceQuestion {
  /** The name in the form: `workspace`, or `0.accounts` for the first detail. */
  readonly key: string;
  readonly name: string;
  readonly detail?: number;
  readonly choice: ChoiceSettings;
}

/** A choice with the entries to select from; a number has none. */
export interface SelectableChoice extends ChoiceQuestion {
  readonly entries: readonly ChoiceEntry[];
}

type ChoiceRules = Pick<Settings, 'choices' | 'authorizationDetails'>;

/** The choices that a request requires of the user; each detail has its own questions. */
export function listQuestions(
  { scopes, authorizationDetails = [] }: ChoiceRequest,
  { choices, authorizationDetails: types }: ChoiceRules,
): readonly ChoiceQuestion[] {
  return [
    ...[...choices]
      .filter(([, choice]) => isRequiredBy(scopes, choice))
      .map(([name, choice]) => ({ key: name, name, choice })),
    ...authorizationDetails.flatMap(({ type }, detail) =>
      [...(types?.get(type)?.choices ?? [])].map(([name, choice]) => ({
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

/** The questions of a request, with the lists that the site makes for this user. */
export function findSelectableChoices(
  requested: ChoiceRequest & Pick<ChoiceContext, 'client'>,
  picker: ChoosingUser,
  rules: ChoiceRules,
): Promise<readonly SelectableChoice[]> {
  return Promise.all(
    listQuestions(requested, rules).map(async (question) => {
      // the client's value for the choice, in the detail
      const { name, detail } = question;
      const sent = detail === undefined ? undefined : requested.authorizationDetails?.[detail]?.[name];
      const entries = await entriesOf(question, requested, picker);
      return isLeftOpen(sent) ? { ...question, entries } : limited({ ...question, entries }, sent);
    }),
  );
}

async function entriesOf(
  { name, choice: { list, lifetime = [] } }: ChoiceQuestion,
  { client, scopes }: Pick<ChoiceContext, 'client' | 'scopes'>,
  { user, ...whose }: ChoosingUser,
): Promise<readonly ChoiceEntry[]> {
  // the page labels lifetimes itself, in its language
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

/** Whether a detail leaves a field to the user: the field is absent or empty (RFC 9396 §7.1, figure 16). */
export function isLeftOpen(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

/** The values of a field in the format of selections: text, even if the client sent numbers. */
export function valuesIn(field: unknown): readonly string[] {
  const values: unknown[] = [field ?? []].flat();
  return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

/**
 * Limits a choice to the values that the client named in a detail; a number is a maximum. The user must select: an
 * optional choice would keep the client's values, even values that were not offered.
 */
function limited(offer: SelectableChoice, sent: unknown): SelectableChoice {
  const choice = { ...offer.choice, optional: false };
  const values = valuesIn(sent);
  if (choice.number !== undefined) {
    const { default: defaultValue = Infinity } = choice.number;
    // a value that is no number leaves nothing to select
    const max = Math.min(choice.number.max, Number.parseFloat(values[0] ?? ''));
    const number = { ...choice.number, max, default: defaultValue <= max ? defaultValue : undefined };
    return { ...offer, choice: { ...choice, number } };
  }
  return { ...offer, choice, entries: offer.entries.filter(({ value }) => values.includes(value)) };
}
