import leven from 'leven';

import { below, type Issue } from '../../shared/schema.js';
import { type Option, type OptionRows, type SettingsOf, shapeOf } from './option.js';
import { collectProblems, OptionError, type Problems } from './problems.js';
import { refuseCallAsMiddleware } from './refuse-call-as-middleware.js';
import { SECRET_MARK } from './secret.js';

/**
 * Validates the options of a public function, and fills in the defaults. A member that is undefined counts as omitted.
 *
 * @param functionName the start of each message
 * @throws TypeError with a line for each invalid option: the expected and the actual value
 */
export function parseOptions<const Rows extends OptionRows>(
  functionName: string,
  rows: Rows,
  input: unknown,
): SettingsOf<Rows> {
  return collectProblems((problems) => parseWith(problems, functionName, rows, input));
}

/**
 * As `parseOptions`, for a function that checks options together.
 *
 * @returns the settings; an invalid option throws its problem when it is read
 */
export function parseWith<const Rows extends OptionRows>(
  problems: Problems,
  functionName: string,
  rows: Rows,
  input: unknown,
): SettingsOf<Rows> {
  refuseCallAsMiddleware(functionName, { call: `${functionName}({ … })` }, input);
  const names = Object.keys(rows);
  checkObject(functionName, names, input);
  // unknown names, by the option that they probably stand for, which is then not reported as missing
  const unknown = new Map<string, OptionError>();
  for (const name of unknownNames(names, input)) {
    const near = findNear(name, names, placesIn(rows));
    const line = `${functionName}: unknown option '${name}'; ${suggestion(near, names)}`;
    unknown.set(near?.path.split('.')[0] ?? name, problems.add(new OptionError(line)));
  }
  const parse = (name: string, row: Option<unknown>) => () => {
    const value = (input as Readonly<Record<string, unknown>>)[name];
    const misspelt = unknown.get(name);
    if (value === undefined && misspelt !== undefined) throw misspelt;
    // most options are omitted, and making a shape is the most expensive part
    if (value === undefined && row.kind !== 'required') return row.default;
    const { issues, value: parsed } = shapeOf(row).validate(value);
    // a member of the option was written elsewhere
    if (issues === undefined && misspelt !== undefined) throw misspelt;
    if (issues === undefined) return parsed;
    const lines = describeProblems(rows, input, below([name], problemsIn(issues)));
    throw new OptionError(lines.map((line) => `${functionName}: the option ${line}`).join('\n'));
  };
  return problems.members(
    Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, parse(name, row)])),
  ) as SettingsOf<Rows>;
}

function checkObject(
  functionName: string,
  names: readonly string[],
  input: unknown,
): asserts input is object {
  if (input === null || typeof input !== 'object' || Array.isArray(input))
    throw new OptionError(
      `${functionName}: the options must be an object, such as { ${names[0]}: … }, not ${describeWrong(input, 'an object')}`,
    );
}

function unknownNames(names: readonly string[], input: object): readonly string[] {
  return Object.keys(input).filter((name) => !names.includes(name));
}

/**
 * Refuses unknown names, so that no misspelt option is ignored.
 *
 * @throws TypeError with the nearest name, or all names; also if the input is no object
 */
export function checkNames(
  functionName: string,
  names: readonly string[],
  input: unknown,
): asserts input is object {
  checkObject(functionName, names, input);
  const lines = unknownNames(names, input).map(
    (name) => `${functionName}: unknown option '${name}'; ${suggest(name, names)}`,
  );
  if (lines.length > 0) throw new OptionError(lines.join('\n'));
}

/** The name of an option or member, with its path. */
interface Place {
  readonly name: string;
  /** Without a dot, the path is a top-level option. */
  readonly path: string;
  /** Whether the name was written in a group, but is a top-level option. */
  readonly isOutside?: boolean;
}

/** The members of options at any depth: `pages.colors`. */
function placesIn(rows: OptionRows): readonly Place[] {
  return Object.entries(rows).flatMap(([option, { members = {} }]) =>
    [...Object.keys(members).map((name) => ({ name, path: name })), ...placesIn(members)].map(
      ({ name, path }) => ({ name, path: `${option}.${path}` }),
    ),
  );
}

/**
 * For filters: a member that is undefined must not match all users.
 *
 * @throws TypeError with the member's name
 */
export function checkValues(functionName: string, input: object): void {
  const empty = Object.entries(input).find(([, value]) => value === undefined);
  if (empty !== undefined)
    throw new TypeError(
      `${functionName}: the option ${empty[0]} must have a value or be left out, not be undefined`,
    );
}

/**
 * For ids: anything but text could be an operator in a filter, or match documents without the id.
 *
 * @throws TypeError with the name and the type of the value
 */
export function requireString(functionName: string, name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`${functionName}: ${name} must be text, not ${describe(value)}`);
}

/** A problem of an option beyond its shape. */
export function optionError(functionName: string, option: string, text: string): OptionError {
  return new OptionError(`${functionName}: the option ${option}: ${text}`);
}

/** A problem of an option of `authorizationServer`. */
export function serverOptionError(option: string, text: string): OptionError {
  return optionError('authorizationServer', option, text);
}

/** One problem for each path, and for each unknown name. */
function problemsIn(issues: readonly Issue[]): readonly Issue[] {
  const all = issues.flatMap(findIntendedBranch);
  const placeOf = ({ path, unknownNames }: Issue) => JSON.stringify([path, unknownNames !== undefined]);
  return all.filter((issue, index) => all.findIndex((other) => placeOf(other) === placeOf(issue)) === index);
}

/** The intended branch of a union: the branch with a problem inside, instead of one with the whole value. */
function findIntendedBranch(issue: Issue): readonly Issue[] {
  const meant = issue.branches
    ?.map(problemsIn)
    .find((inside) => inside.some(({ path, unknownNames }) => path.length > 0 || unknownNames !== undefined));
  return meant === undefined ? [issue] : below(issue.path, meant);
}

function describeProblems(rows: OptionRows, input: object, issues: readonly Issue[]): readonly string[] {
  /** Options that an unknown name probably stands for, which are then not reported as missing. */
  const meant = new Set<string>();
  const unknown = issues.flatMap((issue) => {
    if (issue.unknownNames === undefined) return [];
    const path = issue.path.join('.');
    const names = issue.message.split(' ');
    const options = Object.keys(rows).map((name) => ({ name, path: name, isOutside: true }));
    // a misplaced name can only be suggested for members of a group
    const places = rows[path]?.members === undefined ? [] : [...options, ...placesIn(rows)];
    return issue.unknownNames.map((name) => {
      const near = findNear(name, names, places);
      meant.add(`${path}.${near?.path}`);
      return `${path} has an unknown member '${name}'; ${suggestion(near, names)}`;
    });
  });
  const others = issues.flatMap((issue) => {
    const path = issue.path.join('.');
    if (issue.unknownNames !== undefined) return [];
    const isSecret = issue.message.startsWith(SECRET_MARK);
    const message = issue.message.replace(SECRET_MARK, '');
    const value = issue.path.reduce<unknown>((inside, name) => (inside as never)?.[name], input);
    if (value === undefined && meant.has(path)) return [];
    if (value === undefined) return [`${path} is missing: it must be ${message.replace('; ', ': ')}`];
    const [expected = '', ...hints] = message.split('; ');
    const not = isSecret ? '' : `, not ${describeWrong(value, expected)}`;
    return [`${path} must be ${expected}${[not, ...hints].join('; ')}`];
  });
  return [...unknown, ...others];
}

/** Text instead of an object or a list may be a misplaced secret, so it is not quoted. */
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
  if (value instanceof Date) return value.toJSON() ?? 'an invalid date';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Removes the user of a URL, which includes a password. */
export function withoutUser(text: string): string {
  return text.replace(/\/\/[^\s?#]*@/, '//…@');
}

/** A suggestion for an unknown name: the nearest name, or all names. */
export function suggest(name: string, names: readonly string[]): string {
  return suggestion(findNear(name, names), names);
}

function suggestion(near: Place | undefined, names: readonly string[]): string {
  if (near === undefined) return `there are ${names.join(', ')}`;
  return `did you mean '${near.path}'${near.isOutside === true ? ' at the top level' : ''}?`;
}

/** The letters of a name: `access_token_ttl`, `accessTokenTTL` and `accessTokenTtls` have the same. */
const lettersOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/s$/, '');

/** Minimum length of a part of a name that is suggested: `tokenFormat`, but not `id`. */
const MIN_PART = 6;

/**
 * The nearest name to an unknown one: the same letters anywhere; a name with one letter in three wrong; a name that
 * contains it (`tokenFormat` is `tokens.accessTokenFormat` rather than `tokens`); then less similar names.
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
    const distance = leven(written, letters, { maxDistance: maxDistance + 1 });
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
