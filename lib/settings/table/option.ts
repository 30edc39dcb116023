import * as z from '../../shared/schema.js';
import type { OptionContext } from './option-context.js';
import { markedAsSecret } from './secret.js';
import { falseOr } from './shapes.js';

/**
 * A row of the table of options: its shape and its default. The TSDoc of the row documents the option, with its unit
 * and its default: editors show it, and the reference in `docs/` is made from it.
 */
export interface Option<Given, Parsed = Given, Kind extends OptionKind = OptionKind, Resolved = Parsed> {
  /** A function, so that importing the package creates no shapes. */
  readonly shape: () => z.Schema<Parsed, Given>;
  readonly kind: Kind;
  readonly default?: Parsed;
  /** Whether messages, and so logs, must not contain the value. */
  readonly secret?: boolean;
  /** The rows of its members, so that a message can find a misplaced name. */
  readonly members?: OptionRows | undefined;
  /**
   * The value in the settings, if it depends on other options: a default from the issuer, names that must be among the
   * scopes. @throws TypeError
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

/** A substitute for TypeScript's own, which exists since 5.4; sites may have 5.0. */
export type NoInfer<T> = [T][T extends unknown ? 0 : never];

/** The optional parts of each kind of row. */
interface RowParts<Parsed, Resolved> {
  readonly secret?: true;
  readonly members?: OptionRows;
  readonly resolve?: (value: Parsed, context: OptionContext) => Resolved;
}

/** An optional option. */
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

/** A required option. */
export function required<Given, Parsed, Resolved = Parsed>(
  row: RowParts<NoInfer<Parsed>, Resolved> & { readonly shape: Shape<Given, Parsed> },
): Option<Given, Parsed, 'required', Resolved> {
  return { ...row, kind: 'required' };
}

/** Related options, as one option with members. */
export function group<const Rows extends OptionRows>(
  rows: Rows,
  example: string,
): DefaultedOption<OptionsOf<Rows>, SettingsOf<Rows>, ResolvedSettingsOf<Rows>> {
  return {
    shape: () => objectOf(rows, `an object of ${Object.keys(rows).join(', ')}, such as ${example}`),
    kind: 'defaulted',
    // all members are optional
    default: defaultsOf(rows) as SettingsOf<Rows>,
    members: rows,
    resolve: (value, context) => resolveOptions(rows, value, context),
  };
}

/**
 * An option that is off by default: `true` switches it on with its members' defaults, an object with other values.
 *
 * @param terms the text of a message between "an object" and the example
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
        .transform((value) => (value === true ? (defaultsOf(rows) as SettingsOf<Rows>) : value)),
    kind: 'defaulted',
    default: false,
    members: rows,
    resolve,
  };
}

/** An option that is off by default, with a required member: an object switches it on. */
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
/** `undefined` equals an omitted option, for sites with `exactOptionalPropertyTypes`, too. */
type LeftOut<Rows, Names extends keyof Rows> = { readonly [Name in Names]?: GivenOf<Rows[Name]> | undefined };

/** The type of options, by the rows. */
export type OptionsOf<Rows> = Needed<Rows, NamesOf<Rows, 'required'>> &
  LeftOut<Rows, NamesOf<Rows, 'optional' | 'defaulted'>>;

/** The type of validated options with their defaults. */
export type SettingsOf<Rows> = {
  readonly [Name in keyof Rows]:
    ParsedOf<Rows[Name]> | (Rows[Name] extends { readonly kind: 'optional' } ? undefined : never);
};

type ResolvedOf<Row> = Row extends { resolve?(value: never, context: OptionContext): infer Resolved }
  ? Resolved
  : never;

/** The type of resolved options, as the rest of the package gets them. */
export type ResolvedSettingsOf<Rows> = { readonly [Name in keyof Rows]: ResolvedOf<Rows[Name]> };

/** Resolves the options. An option that contradicts another throws its problem when it is read. */
export function resolveOptions<const Rows extends OptionRows>(
  rows: Rows,
  parsed: SettingsOf<Rows>,
  context: OptionContext,
): ResolvedSettingsOf<Rows> {
  // by the rows, not the values: an omitted member has no entry, but may have something to resolve
  const functions = Object.entries(rows).map(([name, row]): [string, () => unknown] => [
    name,
    () => (row.resolve === undefined ? parsed[name] : row.resolve(parsed[name], context)),
  ]);
  return context.problems.members<Record<string, unknown>>(
    Object.fromEntries(functions),
  ) as ResolvedSettingsOf<Rows>;
}

/** The defaults of optional rows. */
export function defaultsOf<const Rows extends OptionRows>(
  rows: Rows,
): Pick<SettingsOf<Rows>, NamesOf<Rows, 'optional' | 'defaulted'>> {
  const leftOut = Object.entries(rows).filter(([, { kind }]) => kind !== 'required');
  return Object.fromEntries(leftOut.map(([name, row]) => [name, row.default])) as SettingsOf<Rows>;
}

/**
 * The shape of an object whose members are options.
 *
 * @param message the expected value, if the input is no object
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
