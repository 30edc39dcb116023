import { readFileSync } from 'node:fs';

import { type Command, InvalidArgumentError, Option } from 'commander';

import { type ClientField, type FlagOptions, valueOf } from '../core/clients/client-field.js';
import { messageOf } from '../shared/errors.js';

/** Gives a command a flag for each field of clients that the command line can set. */
export function withFlags(
  command: Command,
  kind: 'create' | 'update',
  fields: readonly ClientField[],
): Command {
  for (const { flag } of fields) {
    if (flag === undefined || (flag.isCreateOnly && kind === 'update')) continue;
    command.addOption(optionOf(flag, kind));
    if (flag.negated) command.option(flag.negated.flags, flag.negated.description);
  }
  return command;
}

function optionOf(flag: FlagOptions, kind: 'create' | 'update'): Option {
  const option = new Option(flag.flags, flag.description);
  if (flag.isList) option.argParser(parseList);
  if (flag.isNumber) option.argParser(parseNumber);
  if (flag.isJsonFile) option.argParser(readJson);
  if (flag.choices) option.choices(flag.choices);
  if (kind === 'create') {
    if (flag.default !== undefined) option.default(flag.default);
    if (flag.isRequired) option.makeOptionMandatory();
  }
  return option;
}

/** The fields of a client that the flags set; fields that were not named are not in it. */
export function readFlags(
  options: Readonly<Record<string, unknown>>,
  fields: readonly ClientField[],
): Readonly<Record<string, unknown>> {
  const given = fields.flatMap(({ name, flag }): [string, unknown][] => {
    const option = flag && new Option(flag.flags);
    const value = option && options[option.attributeName()];
    if (value === undefined) return [];
    // `--no-max-grants`: named, and to be removed
    const isRemoved = value === false && option?.required === true;
    return [[name, isRemoved ? undefined : value]];
  });
  return Object.fromEntries(given);
}

/** A client as it is printed for users, by the labels of its fields. */
export function printedFields(
  client: object,
  fields: readonly ClientField[],
): Readonly<Record<string, string | undefined>> {
  const lines = fields.flatMap((field): [string, string | undefined][] => {
    const { printed } = field;
    if (printed === undefined) return [];
    const value = valueOf(client, field);
    return [[printed.label, printed.format ? printed.format(value as never) : textOf(value)]];
  });
  return Object.fromEntries(lines.filter(([, text]) => text !== undefined));
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === false) return undefined;
  if (value === true) return 'yes';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** NaN if it is not a number: the registry says what is wrong with it. */
function parseNumber(value: string): number {
  return value.trim() === '' ? NaN : Number(value);
}

/** A single key counts as a set of one, as on the applications page: many tools print it like that. */
function readJson(file: string): unknown {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as unknown;
    return value !== null && typeof value === 'object' && 'kty' in value ? { keys: [value] } : value;
  } catch (error) {
    throw new InvalidArgumentError(`It is no file of JSON: ${messageOf(error)}.`);
  }
}

/** `--scopes a b`, `--scopes "a b"` and `--scopes a,b` mean the same. */
function parseList(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, ...value.split(/[\s,]+/).filter(Boolean)];
}
