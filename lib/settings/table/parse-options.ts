import type { z } from 'zod';

import { distanceOf, lettersOf } from './letters-of.js';
import { defaultsOf, objectOf, type OptionRows, type SettingsOf } from './option.js';
import { refuseRequest } from './refuse-request.js';
import { SECRET_MARK } from './secret.js';

/**
 * Checks what a public function was given, and fills in the defaults. A member that is undefined counts as left out.
 *
 * @param functionName what each message begins with
 * @throws TypeError that names the option, what it must be and what it is
 */
export function parseOptions<const Rows extends OptionRows>(
  functionName: string,
  rows: Rows,
  given: unknown,
): SettingsOf<Rows> {
  refuseRequest(functionName, { call: `${functionName}({ … })` }, given);
  checkOwnNames(functionName, rows, given);
  const members = Object.entries(given).filter(([, value]) => value !== undefined);
  const isGiven = (name: string) => members.some(([member]) => member === name);
  // most options are left out, and making a shape costs more than all the rest
  const needed = Object.entries(rows).filter(([name, { kind }]) => kind === 'required' || isGiven(name));
  const { success, data, error } = objectOf(Object.fromEntries(needed), 'an object').safeParse(
    Object.fromEntries(members),
    // each shape is used only once: compiling it would take longer than it saves
    { jitless: true },
  );
  if (success) return { ...defaultsOf(rows), ...data } as SettingsOf<Rows>;
  throw new TypeError(
    `${functionName}: the option ${sentenceOf(rows, given, maxSpecificIssue(error.issues))}`,
  );
}

/**
 * Refuses names that nobody reads: a misspelt option would go unnoticed.
 *
 * @throws TypeError with the name that was probably meant, or with all that there are; and if it is no object
 */
export function checkNames(
  functionName: string,
  names: readonly string[],
  given: unknown,
): asserts given is object {
  if (given === null || typeof given !== 'object' || Array.isArray(given))
    throw new TypeError(
      `${functionName}: the options must be an object, such as { ${names[0]}: … }, not ${describeWrong(given, 'an object')}`,
    );
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${functionName}: unknown option '${unknown}'; ${suggest(unknown, names)}`);
}

/** @throws TypeError as `checkNames` does; it also says where a name of a member belongs */
function checkOwnNames(functionName: string, rows: OptionRows, given: unknown): asserts given is object {
  const names = Object.keys(rows);
  if (typeof given !== 'object' || given === null) return checkNames(functionName, names, given);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined && !Array.isArray(given))
    throw new TypeError(
      `${functionName}: unknown option '${unknown}'; ${suggest(unknown, names, placesIn(rows))}`,
    );
  checkNames(functionName, names, given);
}

/** A name that options have, with where it belongs. */
interface Place {
  readonly name: string;
  /** Without a dot it is an option itself. */
  readonly path: string;
  /** Whether it was looked for in a group, and is an option itself. */
  readonly isOutside?: boolean;
}

/** The members of the options, and their members: `pages.colors`. */
function placesIn(rows: OptionRows): readonly Place[] {
  return Object.entries(rows).flatMap(([option, { members = {} }]) =>
    [...Object.keys(members).map((name) => ({ name, path: name })), ...placesIn(members)].map(
      ({ name, path }) => ({ name, path: `${option}.${path}` }),
    ),
  );
}

/**
 * For filters: a member that is there but undefined must not come to mean everybody's.
 *
 * @throws TypeError with its name
 */
export function checkValues(functionName: string, given: object): void {
  const empty = Object.entries(given).find(([, value]) => value === undefined);
  if (empty !== undefined)
    throw new TypeError(
      `${functionName}: the option ${empty[0]} must have a value or be left out, not be undefined`,
    );
}

/**
 * For ids instead of options: anything but text would be an operator in a filter, or match what has no such id.
 *
 * @throws TypeError with its name and what it is
 */
export function requireString(functionName: string, name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`${functionName}: ${name} must be text, not ${describe(value)}`);
}

/** What is wrong with an option beside its shape: on its own, or together with others. */
export function optionError(functionName: string, option: string, text: string): TypeError {
  return new TypeError(`${functionName}: the option ${option}: ${text}`);
}

type Issue = z.core.$ZodIssue;

/** A name that nobody reads comes first: it may be a misspelling of one that is missing. */
function maxSpecificIssue(issues: readonly Issue[]): Issue {
  const all = issues.map(deepest);
  return all.find(isUnknownName) ?? all[0]!;
}

/** The branch of a union that was meant: the one in which something inside is wrong, and not the whole. */
function deepest(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const inside = issue.errors
    .map(maxSpecificIssue)
    .find((telling) => telling.path.length > 0 || isUnknownName(telling));
  return inside === undefined ? issue : { ...inside, path: [...issue.path, ...inside.path] };
}

function isUnknownName({ code }: Issue): boolean {
  return code === 'unrecognized_keys';
}

function sentenceOf(rows: OptionRows, given: object, issue: Issue): string {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const [unknown = ''] = issue.keys;
    const names = issue.message.split(' ');
    // only what has a name of its own can have been meant for another place
    if (rows[path]?.members === undefined)
      return `${path} has an unknown member '${unknown}'; ${suggest(unknown, names)}`;
    const options = Object.keys(rows).map((name) => ({ name, path: name, isOutside: true }));
    const meant = suggest(unknown, names, [...options, ...placesIn(rows)]);
    return `${path} has an unknown member '${unknown}'; ${meant}`;
  }
  const isSecret = issue.message.startsWith(SECRET_MARK);
  const message = issue.message.replace(SECRET_MARK, '');
  const value = issue.path.reduce<unknown>((inside, name) => (inside as never)?.[name], given);
  if (value === undefined) return `${path} is missing: it must be ${message.replace('; ', ': ')}`;
  const [expected = '', ...hints] = message.split('; ');
  const not = isSecret ? '' : `, not ${describeWrong(value, expected)}`;
  return `${path} must be ${expected}${[not, ...hints].join('; ')}`;
}

/** A text in the place of an object or a list may be the secret that belongs into it. */
function describeWrong(value: unknown, expected: string): string {
  const mayBeSecret = typeof value === 'string' && /\b(an object|a list)\b|^\{/.test(expected);
  return mayBeSecret ? 'text' : describe(value);
}

const MAX_DISPLAYED = 60;

function describe(value: unknown): string {
  if (typeof value === 'string')
    return value.length > MAX_DISPLAYED ? `a text of ${value.length} characters` : `'${withoutUser(value)}'`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** The user of a URL comes with a password. */
function withoutUser(text: string): string {
  return text.replace(/\/\/[^/@]*@/, '//…@');
}

/** What to write in the place of an unknown name: the one that was probably meant, or which there are. */
export function suggest(name: string, names: readonly string[], places: readonly Place[] = []): string {
  const near = findNear(name, names, places);
  if (near === undefined) return `there are ${names.join(', ')}`;
  return `did you mean '${near.path}'${near.isOutside === true ? ' at the top level' : ''}?`;
}

/** Letters of a name that is likely a part of the one that was meant: `tokenFormat`, but not `id`. */
const MIN_PART = 6;

/**
 * What was probably meant by an unknown name: the same letters anywhere, a name with one letter in three wrong, a name
 * that has all of it (`tokenFormat` is `tokens.accessTokenFormat` rather than `tokens`), then what is less alike.
 */
export function findNear(
  name: string,
  names: readonly string[],
  places: readonly Place[] = [],
): Place | undefined {
  const written = lettersOf(name);
  const maxDistance = Math.max(1, Math.floor(written.length / 3));
  const rankOf = ({ name: candidate }: Place, isHere: boolean): number => {
    const letters = lettersOf(candidate);
    const distance = distanceOf(name, candidate);
    const isMisspelt = distance <= maxDistance;
    if (letters === written) return 0;
    if (isHere && isMisspelt) return distance;
    if (written.length >= MIN_PART && letters.includes(written)) return 100;
    const isPart = letters.includes(written) || written.includes(letters);
    if (isHere) return isPart ? 200 : Infinity;
    return isMisspelt ? 300 + distance : isPart ? 400 : Infinity;
  };
  const [nearest] = [
    ...names.map((path) => ({ place: { name: path, path }, rank: rankOf({ name: path, path }, true) })),
    ...places.map((place) => ({ place, rank: rankOf(place, false) })),
  ].sort((a, b) => a.rank - b.rank);
  return written === '' || nearest?.rank === Infinity ? undefined : nearest?.place;
}
