import type { Request } from 'express';

import { type ImpliedScopes, NOTHING_IMPLIED, withImpliers } from '../../shared/protocol/implied-scopes.js';
import { isStorableName } from '../../shared/protocol/storable.js';
import * as z from '../../shared/schema.js';
import { objectOf, option, type OptionsOf, required, type SettingsOf } from '../table/option.js';
import { serverOptionError } from '../table/parse-options.js';
import { callback, flag, listOf, localizedText, recordOf, seconds, text } from '../table/shapes.js';

type User = NonNullable<Request['user']>;

/** An entry of a list: routes get the value, users read the label. */
export interface ChoiceEntry {
  readonly value: string;
  readonly label: string;
  /** One more line below the label. */
  readonly details?: string;
}

/** The value of a choice: an entry, or several; a number; seconds. */
export type ChoiceValue = string | number | readonly string[];

/** The values of a user's choices, by name. */
export type Choices = Readonly<Record<string, ChoiceValue>>;

/** The user, client and scopes for which a list is made. */
export interface ChoiceContext {
  readonly userId: string;
  readonly client: { readonly clientId: string; readonly name: string };
  readonly scopes: readonly string[];
  /** The language of the page; absent if the list is only compared with stored values. */
  readonly language?: string;
}

/** The user and client of a stored choice. */
export interface GrantedChoiceContext {
  readonly userId: string;
  readonly clientId: string;
}

const number = () => z.number('a number');
const numberOptions = {
  /** The least that can be picked. */
  min: required({ shape: number }),
  /** The most that can be picked. */
  max: required({ shape: number }),
  /** What is picked is the least plus a multiple of this. Default: `1`. */
  step: option({ shape: () => number().refine((value) => value > 0, 'more than 0'), default: 1 }),
  /** What the field has in it at first. Default: nothing. */
  default: option({ shape: number }),
};

const choiceOptions = {
  /**
   * The question: `'Which workspace?'`, in one language or by language. Default: none, or the package's for a
   * `lifetime`.
   */
  label: option({ shape: () => localizedText('text', 'Which workspace?') }),
  /** A sentence below the question, by language as well. Default: none. */
  details: option({ shape: () => localizedText('text', 'It sees nothing of the others.') }),
  /** It is asked only if a request has one of these scopes, or one that implies one of them. Default: all. */
  scopes: option({
    shape: () => listOf(text('a scope'), "a list of scopes, such as ['photos:read']", { isNeeded: true }),
  }),
  /** Whether a user may pick nothing, which means no limit. Default: `false`. */
  optional: option({ shape: flag, default: false }),
  /**
   * How the page names picking nothing if it is `optional`, by language as well: `'All albums'`. It must not read as if
   * it gave nothing. Default: "No limit" in the language of the page.
   */
  noLimit: option({ shape: () => localizedText('text', 'All albums') }),
  /**
   * `async (user, { client, scopes }) => [{ value, label }]`: what this user can pick from. Nothing else is taken,
   * whatever the form sends.
   */
  list: option({
    shape: () =>
      callback<
        (user: User, context: ChoiceContext) => readonly ChoiceEntry[] | Promise<readonly ChoiceEntry[]>
      >('async (user) => [{ value: workspace.id, label: workspace.name }]'),
  }),
  /** Whether several of a list can be picked; the value is a list then. Default: `false`. */
  multiple: option({ shape: flag, default: false }),
  /** A number within bounds: `{ min: 1, max: 500 }`. */
  number: option({
    shape: () =>
      objectOf(numberOptions, 'an object of min, max, step and default, such as { min: 1, max: 500 }'),
  }),
  /**
   * How long the access lasts at most, in seconds: `[3600, 86400, 2592000]`. Access and refresh tokens end by then, and
   * the user is asked anew.
   */
  lifetime: option({
    shape: () =>
      listOf(seconds({ example: 3600 }), 'a list of seconds, such as [3600, 86400]', { isNeeded: true }),
  }),
  /**
   * `async (value, { userId, clientId }) => boolean`: whether it is still the user's to give. It is asked at each
   * refresh, once for each value. If not, the grant ends. Default: none, it is not asked.
   */
  holds: option({
    shape: () =>
      callback<(value: string | number, context: GrantedChoiceContext) => boolean | Promise<boolean>>(
        'async (workspaceId, { userId }) => isMember(userId, workspaceId)',
      ),
  }),
};

/** A question on the consent page. */
export type ChoiceOptions = OptionsOf<typeof choiceOptions>;
/** The choice with its defaults. */
export type ChoiceSettings = SettingsOf<typeof choiceOptions>;

/** An explicit type, without which the declarations would repeat each member. */
type ChoiceTable = z.Schema<
  Readonly<Record<string, ChoiceSettings>>,
  Readonly<Record<string, ChoiceOptions>>
>;

/** The shape of choices by name. */
export const choiceTable = (): ChoiceTable =>
  recordOf(
    objectOf(choiceOptions, 'an object of label and list, number or lifetime'),
    "an object of name and choice, such as { workspace: { label: 'Which workspace?', list: async (user) => [] } }",
  );

/** Questions on the consent page. */
export const choicesOptions = {
  /**
   * What users pick on the consent page, by your own names: `{ workspace: { label, list, holds } }`. A choice is one or
   * several of a `list`, a `number` or a `lifetime` (docs/consent-that-binds.md). Default: none.
   */
  choices: option({
    shape: choiceTable,
    default: {},
    resolve: (choices, { scopes, impliedScopes }) =>
      resolveChoices(choices, { option: 'choices', scopes, impliedScopes }),
  }),
};

/**
 * @param option the path of the option with the choices
 * @throws TypeError if a choice is invalid, or could never be asked
 */
export function resolveChoices(
  choices: Readonly<Record<string, ChoiceSettings>>,
  {
    option: place,
    scopes,
    impliedScopes = NOTHING_IMPLIED,
    isOfDetail = false,
  }: {
    readonly option: string;
    readonly scopes: Readonly<Record<string, unknown>>;
    readonly impliedScopes?: ImpliedScopes;
    readonly isOfDetail?: boolean;
  },
): ReadonlyMap<string, ChoiceSettings> {
  for (const [name, choice] of Object.entries(choices)) {
    const problem = findChoiceProblem(name, choice, scopes, isOfDetail);
    if (problem !== undefined) throw serverOptionError(`${place}.${name}`, problem);
  }
  return new Map(
    Object.entries(choices).map(([name, choice]) => [
      name,
      // a scope that implies one of these scopes asks the question, too
      { ...choice, scopes: choice.scopes && withImpliers(choice.scopes, impliedScopes) },
    ]),
  );
}

function findChoiceProblem(
  name: string,
  { list, number: bounds, lifetime, label, multiple, scopes }: ChoiceSettings,
  siteScopes: Readonly<Record<string, unknown>>,
  isOfDetail: boolean,
): string | undefined {
  if (!isStorableName(name)) return 'MongoDB or Mongoose reads this name; take another one';
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) return 'its name must be letters, digits, _ and -';
  const unknown = scopes?.find((scope) => !Object.hasOwn(siteScopes, scope));
  if (unknown !== undefined) return `its scope '${unknown}' is not among scopes`;
  const kinds = [list, bounds, lifetime].filter((kind) => kind !== undefined);
  if (kinds.length !== 1) return 'write one of list, number and lifetime';
  if (label === undefined && lifetime === undefined) return "write a label, such as 'Which workspace?'";
  if (multiple && list === undefined) return 'multiple is for a list';
  if (bounds !== undefined && bounds.min > bounds.max) return 'min is more than max';
  if (!isOfDetail) return undefined;
  // a grant ends as a whole, so a detail has no lifetime; details are requested by type, not by scope
  if (lifetime !== undefined) return 'a lifetime is one of the option choices';
  if (scopes !== undefined) return 'scopes are for those of the option choices';
  return name === 'type' ? 'type is the type of the detail' : undefined;
}
