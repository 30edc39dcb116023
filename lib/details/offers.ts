import type { Request } from 'express';

import { unexpectedCondition } from '../errors.js';
import type { AuthorizationDetail } from '../protocol/authorization-details.js';
import { isClaimEntry } from '../protocol/openid-claims.js';
import type { ChoiceContext, ChoiceEntry, ChoiceSettings } from '../settings/choice-options.js';
import type { Settings } from '../settings/settings.js';

/** What is asked for, by whom. */
export interface AskedFor {
  readonly client: ChoiceContext['client'];
  readonly scopes: readonly string[];
  readonly authorizationDetails?: readonly AuthorizationDetail[] | undefined;
}

/** Who picks. */
export interface Picker {
  readonly user: NonNullable<Request['user']>;
  readonly userId: string;
  readonly language?: string;
}

/** A choice that a request makes necessary. */
export interface Question {
  /** By which the form names it: `workspace`, or `0.accounts` of the first detail. */
  readonly key: string;
  readonly name: string;
  /** The place of the detail that it is a part of. */
  readonly detail?: number;
  readonly choice: ChoiceSettings;
}

/** A choice with what there is to pick from; none of a number. */
export interface Offer extends Question {
  readonly entries: readonly ChoiceEntry[];
}

type ChoiceRules = Pick<Settings, 'choices' | 'authorizationDetails'>;

/** What a person has to pick for it: those of the details are theirs alone. */
export function questionsOf(
  { scopes, authorizationDetails = [] }: Omit<AskedFor, 'client'>,
  { choices, authorizationDetails: types }: ChoiceRules,
): readonly Question[] {
  return [
    ...[...choices]
      .filter(([, choice]) => isAskedWith(scopes, choice))
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

/** Whether one of these scopes makes it a question. */
export function isAskedWith(
  scopes: readonly string[],
  { scopes: of }: Pick<ChoiceSettings, 'scopes'>,
): boolean {
  return of?.some((scope) => scopes.includes(scope)) ?? true;
}

/** The same with their lists, which the host makes for this person. */
export function findOffers(asked: AskedFor, picker: Picker, rules: ChoiceRules): Promise<readonly Offer[]> {
  return Promise.all(
    questionsOf(asked, rules).map(async (question) => {
      const named = namedIn(question, asked);
      const entries = await entriesOf(question, asked, picker);
      return isOpen(named) ? { ...question, entries } : limited({ ...question, entries }, named);
    }),
  );
}

async function entriesOf(
  { name, choice: { list, lifetime = [] } }: Question,
  { client, scopes }: AskedFor,
  { user, ...whose }: Picker,
): Promise<readonly ChoiceEntry[]> {
  // its words are ours, in the language of the page
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

/** Whether a detail leaves a field to the person: by leaving it out, or empty (RFC 9396 §7.1, figure 16). */
export function isOpen(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

/** What the client itself has written where the person is to pick. */
function namedIn({ name, detail }: Question, { authorizationDetails = [] }: AskedFor): unknown {
  return detail === undefined ? undefined : authorizationDetails[detail]?.[name];
}

/**
 * A client that has named values of its own in a detail can get no others, and they are the person's to pick: if nothing
 * had to be picked, what was named would stand there, whether it was offered or not.
 */
function limited(offer: Offer, named: unknown): Offer {
  const choice = { ...offer.choice, optional: false };
  if (choice.list === undefined) return { ...offer, choice };
  return { ...offer, choice, entries: offer.entries.filter(({ value }) => [named].flat().includes(value)) };
}
