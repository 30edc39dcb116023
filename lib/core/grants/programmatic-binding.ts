import type { Settings } from '../../settings/settings.js';
import { optionError } from '../../settings/table/parse-options.js';
import { listOf, recordOf, text } from '../../settings/table/shapes.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import * as z from '../../shared/schema.js';
import { readDetails } from '../authorization-details/read-details.js';
import { questionsOf } from '../authorization-details/selectable-choices.js';
import {
  constraintsFrom,
  findInvalidSelections,
  type GrantConstraints,
  type Selections,
} from '../authorization-details/selections.js';
import type { Client } from '../clients/client.js';

/** A detail as the site writes it. */
type GivenDetail = Readonly<Record<string, unknown>>;

/** The shape of an option that has details of code of the site; `detailsFor` checks them by their types. */
export const givenDetails = () =>
  listOf(
    recordOf(z.unknown(), 'an object with a type') as z.Schema<GivenDetail>,
    "a list of authorization details: [{ type: 'payment', amount: '12.50' }]",
  );

/** The shape of an option that has what would be picked on a page; `constraintsByHost` checks it by the choices. */
export const givenChoices = () =>
  recordOf(
    z.union(
      [z.string(''), z.number(''), listOf(text('text'), 'a list of text')],
      'text, a number or a list of text',
    ),
    "an object of choice and pick, such as { workspace: 'atelier' }",
  );

type Rules = Pick<Settings, 'authorizationDetails' | 'choices'>;

interface GivenByHost {
  readonly userId?: string | undefined;
  readonly authorizationDetails?: readonly GivenDetail[] | undefined;
  readonly choices?: Readonly<Record<string, string | number | readonly string[]>> | undefined;
}

/**
 * The details of a grant that the site makes, checked against the same schemas as those that clients ask for.
 *
 * @throws OAuthError invalid_authorization_details; TypeError if the server has no types of details
 */
export async function detailsFor(
  client: Pick<Client, 'authorizationDetailsTypes'>,
  { authorizationDetails: given }: GivenByHost,
  rules: Rules,
  functionName = 'grants.create',
): Promise<readonly AuthorizationDetail[]> {
  if (given === undefined || given.length === 0) return [];
  if (rules.authorizationDetails.size === 0)
    throw optionError(
      functionName,
      'authorizationDetails',
      'the option authorizationDetails of the server names no type',
    );
  return (await readDetails(JSON.stringify(given), client, rules)) ?? [];
}

/**
 * What the grant is bound to. A user's list of entries is not read: the site answers for that.
 *
 * @throws TypeError if a choice is unknown, missing or out of its bounds
 */
export function constraintsByHost(
  requested: {
    readonly scopes: readonly string[];
    readonly authorizationDetails: readonly AuthorizationDetail[];
  },
  { userId, choices = {} }: GivenByHost,
  {
    settings,
    now,
    functionName = 'grants.create',
  }: { readonly settings: Rules; readonly now: Date; readonly functionName?: string },
): GrantConstraints {
  // a client that acts for itself picks nothing
  const questions = userId === undefined ? [] : questionsOf({ scopes: requested.scopes }, settings);
  const names = questions.map(({ name }) => name);
  const unknown = Object.keys(choices).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw optionError(
      functionName,
      `choices.${unknown}`,
      `nothing of that name is picked here; there are: ${names.join(', ') || 'none'}`,
    );
  const picks: Selections = Object.fromEntries(
    questions.map(({ key, name }) => [key, [choices[name] ?? []].flat().map(String)]),
  );
  const offers = questions.map((question) => ({ ...question, entries: entriesFor(question, picks) }));
  const [wrong] = findInvalidSelections(offers, picks);
  if (wrong !== undefined)
    throw optionError(functionName, `choices.${wrong}`, 'is missing, or not what can be picked');
  const decided = { scopes: requested.scopes, details: [...requested.authorizationDetails.keys()], picks };
  return constraintsFrom(requested, decided, { settings, now });
}

function entriesFor(
  { key, choice: { list, lifetime = [] } }: ReturnType<typeof questionsOf>[number],
  picks: Selections,
): readonly { readonly value: string; readonly label: string }[] {
  const values = list === undefined ? lifetime.map(String) : (picks[key] ?? []);
  return values.map((value) => ({ value, label: '' }));
}
