import * as z from '../../shared/schema.js';
import type { OptionContext } from './option-context.js';
import { markedAsSecret } from './secret.js';
import { falseOr } from './shapes.js';

/**
 * One row of the table of options: what may be given, and the default. The TSDoc of the row says what the option means,
 * its unit and its default: editors show it at the option itself, and the reference in `docs/` is made from it.
 */
export interface Option<Given, Parsed = Given, Kind extends OptionKind = OptionKind, Resolved = Parsed> {
  /** Made only when options are checked, so that importing the package makes none. */
  readonly shape: () => z.Schema<Parsed, Given>;
  readonly kind: Kind;
  readonly default?: Parsed;
  /** Whether its value must not get into a message, and so into logs. */
  readonly secret?: boolean;
  /** The rows of its members, so that a message can say where a name is that somebody wrote elsewhere. */
  readonly members?: OptionRows | undefined;
  /**
   * What the settings have in the place of the value, if that depends on other options: the default that follows from
   * the issuer, names that have to be among the scopes. @throws TypeError
   */
  resolve?(value: Parsed, context: OptionContext): Resolved;
}

export interface DefaultedOption<Given, Parsed = Given, Resolved = Parsed> extends Option<
  Given,
  Parsed,
  'defaulted',
  Resolved
> {
  readonly default: Parsed;
}

type OptionKind = 'required' | 'optional' | 'defaulted';
export type OptionRows = Readonly<Record<string, Option<unknown>>>;

type Shape<Given, Parsed> = () => z.Schema<Parsed, Given>;

/** TypeScript has it only since 5.4; sites may have 5.0. */
export type NoInfer<T> = [T][T extends unknown ? 0 : never];

/** What each kind of row may say beside its shape. */
interface RowParts<Parsed, Resolved> {
  readonly secret?: true;
  readonly members?: OptionRows;
  readonly resolve?: (value: Parsed, context: OptionContext) => Resolved;
}

/** An option that may be left out. */
export function option<Given, Parsed, Resolved = Parsed>(
  row: RowParts<NoInfer<Parsed>, Resolved> & {
    readonly shape: Shape<Given, Parsed>;
    readonly default: NoInfer<Parsed>;
  },
): DefaultedOption<Given, Parsed, Resolved>;
export function option<Given, Parsed, Resolved = Parsed | undefined>(
  row: RowParts<NoInfer<Parsed> | undefined, Resolved> & { readonly shape: Shape<Given, Parsed> },
): Option<Given, Parsed, 'optional', Resolved>;
export function option<Given, Parsed>(
  row: RowParts<never, unknown> & { readonly shape: Shape<Given, Parsed>; readonly default?: Parsed },
): Option<Given, Parsed, OptionKind, unknown> {
  return { ...row, kind: 'default' in row ? 'defaulted' : 'optional' };
}

/** An option that has to be given. */
export function required<Given, Parsed, Resolved = Parsed>(
  row: RowParts<NoInfer<Parsed>, Resolved> & { readonly shape: Shape<Given, Parsed> },
): Option<Given, Parsed, 'required', Resolved> {
  return { ...row, kind: 'required' };
}

/** Options that belong together, as one option with a member for each. */
export function group<const Rows extends OptionRows>(
  rows: Rows,
  example: string,
): DefaultedOption<OptionsOf<Rows>, SettingsOf<Rows>, ResolvedSettingsOf<Rows>> {
  return {
    shape: () => objectOf(rows, `an object of ${Object.keys(rows).join(', ')}, such as ${example}`),
    kind: 'defaulted',
    // all of them can be left out
    default: defaultsOf(rows) as SettingsOf<Rows>,
    members: rows,
    resolve: (value, context) => resolveOptions(rows, value, context),
  };
}

/**
 * An option that is off by default: `true` switches it on with the defaults of its members, an object with others.
 *
 * @param terms what a message says between "an object" and the example
 */
export function switchable<const Rows extends OptionRows, Resolved = SettingsOf<Rows> | false>(
  rows: Rows,
  example: string,
  {
    terms = ` of ${Object.keys(rows).join(', ')},`,
    resolve,
  }: {
    readonly terms?: string;
    readonly resolve?: (value: SettingsOf<Rows> | false, context: OptionContext) => Resolved;
  } = {},
): DefaultedOption<OptionsOf<Rows> | boolean, SettingsOf<Rows> | false, Resolved> {
  return {
    shape: () =>
      z
        .union(
          [z.boolean(''), objectOf(rows, 'an object')],
          `true, false or an object${terms} such as ${example}`,
        )
        .transform((given) => (given === true ? (defaultsOf(rows) as SettingsOf<Rows>) : given)),
    kind: 'defaulted',
    default: false,
    members: rows,
    resolve,
  };
}

/** An option that is off by default, and has a member without a default: an object switches it on. */
export function objectOrFalse<const Rows extends OptionRows, Resolved = SettingsOf<Rows> | false>(
  rows: Rows,
  message: string,
  resolve?: (value: SettingsOf<Rows> | false, context: OptionContext) => Resolved,
): DefaultedOption<OptionsOf<Rows> | false, SettingsOf<Rows> | false, Resolved> {
  return {
    shape: () => falseOr(objectOf(rows, 'an object'), message),
    kind: 'defaulted',
    default: false,
    members: rows,
    resolve,
  };
}

/** Some of the rows, with their documentation. */
export function pick<const Rows extends OptionRows, Name extends keyof Rows>(
  rows: Rows,
  ...names: readonly Name[]
): Pick<Rows, Name> {
  return Object.fromEntries(names.map((name) => [name, rows[name]])) as Pick<Rows, Name>;
}

type NamesOf<Rows, Kind extends OptionKind> = {
  [Name in keyof Rows]: Rows[Name] extends { readonly kind: Kind } ? Name : never;
}[keyof Rows];
type GivenOf<Row> = Row extends Option<infer Given, unknown> ? Given : never;
type ParsedOf<Row> = Row extends { readonly shape: () => z.Schema<infer Parsed> } ? Parsed : never;
type Needed<Rows, Names extends keyof Rows> = { readonly [Name in Names]: GivenOf<Rows[Name]> };
/** `undefined` is the same as left out, for sites with `exactOptionalPropertyTypes` as well. */
type LeftOut<Rows, Names extends keyof Rows> = { readonly [Name in Names]?: GivenOf<Rows[Name]> | undefined };

/** What may be given, by the rows. */
export type OptionsOf<Rows> = Needed<Rows, NamesOf<Rows, 'required'>> &
  LeftOut<Rows, NamesOf<Rows, 'optional' | 'defaulted'>>;

/** The options, checked and with the defaults. */
export type SettingsOf<Rows> = {
  readonly [Name in keyof Rows]:
    ParsedOf<Rows[Name]> | (Rows[Name] extends { readonly kind: 'optional' } ? undefined : never);
};

type ResolvedOf<Row> = Row extends { resolve?(value: never, context: OptionContext): infer Resolved }
  ? Resolved
  : never;

/** The options as the rest of the package gets them: also with what follows from other options. */
export type ResolvedSettingsOf<Rows> = { readonly [Name in keyof Rows]: ResolvedOf<Rows[Name]> };

/** An option that does not go together with another one throws its problem to whoever reads it. */
export function resolveOptions<const Rows extends OptionRows>(
  rows: Rows,
  parsed: SettingsOf<Rows>,
  context: OptionContext,
): ResolvedSettingsOf<Rows> {
  // by the rows: what was left out of a group has no entry, and may have something to resolve all the same
  const functions = Object.entries(rows).map(([name, row]): [string, () => unknown] => [
    name,
    () => (row.resolve === undefined ? parsed[name] : row.resolve(parsed[name], context)),
  ]);
  return context.problems.members<Record<string, unknown>>(
    Object.fromEntries(functions),
  ) as ResolvedSettingsOf<Rows>;
}

/** What counts if nothing is given. */
export function defaultsOf<const Rows extends OptionRows>(
  rows: Rows,
): Pick<SettingsOf<Rows>, NamesOf<Rows, 'optional' | 'defaulted'>> {
  const leftOut = Object.entries(rows).filter(([, { kind }]) => kind !== 'required');
  return Object.fromEntries(leftOut.map(([name, row]) => [name, row.default])) as SettingsOf<Rows>;
}

/**
 * The shape of an object whose members are options.
 *
 * @param words what it must be, for the message if it is no object
 */
export function objectOf<const Rows extends OptionRows>(rows: Rows, message: string) {
  const members = Object.entries(rows).map(([name, row]) => {
    const shape = shapeOf(row);
    return [name, row.kind === 'required' ? shape : shape.default(() => row.default)] as const;
  });
  return z.object(Object.fromEntries(members), message) as unknown as z.Schema<
    SettingsOf<Rows>,
    OptionsOf<Rows>
  >;
}

export function shapeOf({ secret, shape }: Option<unknown>): z.Schema {
  return secret ? markedAsSecret(shape()) : shape();
}
