import { readFileSync } from 'node:fs';

import { type Command, InvalidArgumentError, Option } from 'commander';

import { type ClientField, valueOf } from '../core/clients/client-field.js';
import { suggest } from '../settings/table/parse-options.js';
import { messageOf } from '../shared/errors.js';
import { CliError } from './exit.js';

/** Adds a flag to a command for each settable field of clients. */
export function withFlags(command: Command, kind: 'create' | 'update', fields: readonly ClientField[]) {
  for (const { flag } of fields) {
    if (flag === undefined || (flag.isCreateOnly && kind === 'update')) continue;
    const option = new Option(flag.flags, flag.description);
    if (flag.isList) option.argParser(parseList);
    // NaN if it is no number: the registry then reports the problem
    if (flag.isNumber) option.argParser((value) => (value.trim() === '' ? NaN : Number(value)));
    if (flag.isJsonFile) option.argParser(readJson);
    if (flag.choices) option.choices(flag.choices);
    if (kind === 'create' && flag.default !== undefined) option.default(flag.default);
    if (kind === 'create' && flag.isRequired) option.makeOptionMandatory();
    command.addOption(option);
    if (flag.negated) command.option(flag.negated.flags, flag.negated.description);
  }
  return command.option(
    '--set <field=value...>',
    'any other field of oauth.clients.create: tlsClientAuthSanDns=shop.example; without a value it is taken away',
    (value: string, previous: readonly string[] = []) => [...previous, value],
  );
}

/** Parses `--set`, each value by the type of its field: as text, as JSON, or as a list. */
function readSet(pairs: readonly string[], fields: readonly ClientField[]): [string, unknown][] {
  return pairs.map((pair) => {
    const [, name = pair, text] = /^(\w+)=(.*)$/s.exec(pair) ?? [];
    const names = fields.map((field) => field.name);
    const field = fields.find((each) => each.name === name);
    if (field === undefined || text === undefined)
      throw new CliError(`--set ${pair}: write field=value`, suggest(name, names));
    if (text === '') return [name, undefined];
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      // text, or a list
    }
    const isRight = (value: unknown) => field.shape().validate(value).issues === undefined;
    // the registry refuses a value of the wrong type
    return [name, [text, json, parseList(text)].find(isRight) ?? text];
  });
}

/** The fields of a client that the flags set, without omitted fields. */
export function readFlags(
  options: Readonly<Record<string, unknown>>,
  fields: readonly ClientField[],
): Readonly<Record<string, unknown>> {
  const fromFlags = fields.flatMap(({ name, flag }): [string, unknown][] => {
    const option = flag && new Option(flag.flags);
    const value = option && options[option.attributeName()];
    if (value === undefined) return [];
    // `--no-publisher` removes the field
    const isRemoved = value === false && option?.required === true;
    return [[name, isRemoved ? undefined : value]];
  });
  return Object.fromEntries([...fromFlags, ...readSet((options.set ?? []) as readonly string[], fields)]);
}

/** A client for users, by the labels of its fields. */
export function printedFields(
  client: object,
  fields: readonly ClientField[],
): Readonly<Record<string, string | undefined>> {
  const lines = fields.flatMap((field): [string, string | undefined][] => {
    const { printed } = field;
    if (printed === undefined) return [];
    const value = valueOf(client, field);
    let text: string | undefined;
    if (printed.format) text = printed.format(value as never);
    else if (value === true) text = 'yes';
    else if (Array.isArray(value)) text = value.join(' ');
    else if (typeof value === 'string') text = value;
    else if (value !== undefined && value !== false) text = JSON.stringify(value);
    return [[printed.label, text]];
  });
  return Object.fromEntries(lines.filter(([, text]) => text !== undefined));
}

/** Accepts a single key as a set of one, as the applications page does: many tools print it so. */
function readJson(file: string): unknown {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as unknown;
    return value !== null && typeof value === 'object' && 'kty' in value ? { keys: [value] } : value;
  } catch (error) {
    throw new InvalidArgumentError(`It is no file of JSON: ${messageOf(error)}.`);
  }
}

/** `--scopes a b`, `--scopes "a b"` and `--scopes a,b` mean the same. */
export function parseList(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, ...value.split(/[\s,]+/).filter(Boolean)];
}
