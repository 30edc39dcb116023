import { z } from 'zod';

import { markedAsSecret } from './secret.js';

/**
 * One row of the table of options: what may be given, and the default. The TSDoc of the row says what the option means,
 * its unit and its default: editors show it at the option itself, and `docs/reference.md` is made from it.
 */
export interface Option<Given, Parsed = Given, Kind extends OptionKind = OptionKind> {
  /** Made only when options are checked, so that importing the package makes none. */
  readonly shape: () => z.ZodType<Parsed, Given>;
  readonly kind: Kind;
  readonly default?: Parsed;
  /** Whether its value must not get into a message, and so into logs. */
  readonly secret?: boolean;
}

export interface DefaultedOption<Given, Parsed = Given> extends Option<Given, Parsed, 'defaulted'> {
  readonly default: Parsed;
}

type OptionKind = 'required' | 'optional' | 'defaulted';
export type OptionRows = Readonly<Record<string, Option<unknown>>>;

type Shape<Given, Parsed> = () => z.ZodType<Parsed, Given>;

/** TypeScript has it only since 5.4; hosts may have 5.0. */
type NoInfer<T> = [T][T extends unknown ? 0 : never];

/** An option that may be left out. */
export function option<Given, Parsed>(row: {
  readonly shape: Shape<Given, Parsed>;
  readonly default: NoInfer<Parsed>;
  readonly secret?: true;
}): DefaultedOption<Given, Parsed>;
export function option<Given, Parsed>(row: {
  readonly shape: Shape<Given, Parsed>;
  readonly secret?: true;
}): Option<Given, Parsed, 'optional'>;
export function option<Given, Parsed>(row: {
  readonly shape: Shape<Given, Parsed>;
  readonly default?: Parsed;
  readonly secret?: true;
}): Option<Given, Parsed> {
  return { ...row, kind: 'default' in row ? 'defaulted' : 'optional' };
}

/** An option that has to be given. */
export function required<Given, Parsed>(row: {
  readonly shape: Shape<Given, Parsed>;
  readonly secret?: true;
}): Option<Given, Parsed, 'required'> {
  return { ...row, kind: 'required' };
}

type NamesOf<Rows, Kind extends OptionKind> = {
  [Name in keyof Rows]: Rows[Name] extends { readonly kind: Kind } ? Name : never;
}[keyof Rows];
type GivenOf<Row> = Row extends Option<infer Given, unknown> ? Given : never;
type ParsedOf<Row> = Row extends { readonly shape: () => z.ZodType<infer Parsed> } ? Parsed : never;
type Needed<Rows, Names extends keyof Rows> = { readonly [Name in Names]: GivenOf<Rows[Name]> };
/** `undefined` is the same as left out, for hosts with `exactOptionalPropertyTypes` as well. */
type LeftOut<Rows, Names extends keyof Rows> = { readonly [Name in Names]?: GivenOf<Rows[Name]> | undefined };

/** What may be given, by the rows. */
export type OptionsOf<Rows> = Needed<Rows, NamesOf<Rows, 'required'>> &
  LeftOut<Rows, NamesOf<Rows, 'optional' | 'defaulted'>>;

/** The options as the rest of the package gets them: checked, and with the defaults. */
export type SettingsOf<Rows> = {
  readonly [Name in keyof Rows]:
    ParsedOf<Rows[Name]> | (Rows[Name] extends { readonly kind: 'optional' } ? undefined : never);
};

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
export function objectOf<const Rows extends OptionRows>(
  rows: Rows,
  message: string,
): z.ZodType<SettingsOf<Rows>, OptionsOf<Rows>> {
  const members = Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, memberOf(row)]));
  return z.strictObject(members, {
    // only here are the members known, and the message has to name them
    error: (issue) => (issue.code === 'unrecognized_keys' ? Object.keys(rows).join(' ') : message),
  }) as unknown as z.ZodType<SettingsOf<Rows>, OptionsOf<Rows>>;
}

function memberOf(row: Option<unknown>): z.ZodType {
  const shape = row.secret ? markedAsSecret(row.shape()) : row.shape();
  if (row.kind === 'required') return shape;
  return row.kind === 'optional' ? shape.optional() : shape.default(() => row.default);
}
