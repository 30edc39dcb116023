import { below, type Issue } from '../../shared/schema.js';
import { distanceOf, lettersOf } from './letters-of.js';
import { type Option, type OptionRows, type SettingsOf, shapeOf } from './option.js';
import { collectProblems, OptionError, type Problems } from './problems.js';
import { refuseCallAsMiddleware } from './refuse-call-as-middleware.js';
import { SECRET_MARK } from './secret.js';

/**
 * Checks what a public function was given, and fills in the defaults. A member that is undefined counts as left out.
 *
 * @param functionName what each message begins with
 * @throws TypeError with a line for each option that is wrong: what it must be and what it is
 */
export function parseOptions<const Rows extends OptionRows>(
  functionName: string,
  rows: Rows,
  given: unknown,
): SettingsOf<Rows> {
  return collectProblems((problems) => parseWith(problems, functionName, rows, given));
}

/**
 * The same for a function that checks more than single options.
 *
 * @returns the settings; an option that is wrong throws its problem to whoever reads it
 */
export function parseWith<const Rows extends OptionRows>(
  problems: Problems,
  functionName: string,
  rows: Rows,
  given: unknown,
): SettingsOf<Rows> {
  refuseCallAsMiddleware(functionName, { call: `${functionName}({ … })` }, given);
  const names = Object.keys(rows);
  checkObject(functionName, names, given);
  // by the option in whose place they were probably written: that one is not missing
  const unknown = new Map<string, OptionError>();
  for (const name of unknownNames(names, given)) {
    const near = findNear(name, names, placesIn(rows));
    const line = `${functionName}: unknown option '${name}'; ${suggestion(near, names)}`;
    unknown.set(near?.path.split('.')[0] ?? name, problems.add(new OptionError(line)));
  }
  const parse = (name: string, row: Option<unknown>) => () => {
    const value = (given as Readonly<Record<string, unknown>>)[name];
    const misspelt = unknown.get(name);
    if (value === undefined && misspelt !== undefined) throw misspelt;
    // most options are left out, and making a shape costs more than all the rest
    if (value === undefined && row.kind !== 'required') return row.default;
    const { issues, value: parsed } = shapeOf(row).validate(value);
    // a part of it stands elsewhere
    if (issues === undefined && misspelt !== undefined) throw misspelt;
    if (issues === undefined) return parsed;
    const lines = sentencesOf(rows, given, below([name], problemsIn(issues)));
    throw new OptionError(lines.map((line) => `${functionName}: the option ${line}`).join('\n'));
  };
  return problems.members(
    Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, parse(name, row)])),
  ) as SettingsOf<Rows>;
}

function checkObject(
  functionName: string,
  names: readonly string[],
  given: unknown,
): asserts given is object {
  if (given === null || typeof given !== 'object' || Array.isArray(given))
    throw new OptionError(
      `${functionName}: the options must be an object, such as { ${names[0]}: … }, not ${describeWrong(given, 'an object')}`,
    );
}

function unknownNames(names: readonly string[], given: object): readonly string[] {
  return Object.keys(given).filter((name) => !names.includes(name));
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
  checkObject(functionName, names, given);
  const lines = unknownNames(names, given).map(
    (name) => `${functionName}: unknown option '${name}'; ${suggest(name, names)}`,
  );
  if (lines.length > 0) throw new OptionError(lines.join('\n'));
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
export function optionError(functionName: string, option: string, text: string): OptionError {
  return new OptionError(`${functionName}: the option ${option}: ${text}`);
}

/** The same for an option of `authorizationServer`. */
export function serverOptionError(option: string, text: string): OptionError {
  return optionError('authorizationServer', option, text);
}

/** One problem for each place, and for each unknown name. */
function problemsIn(issues: readonly Issue[]): readonly Issue[] {
  const all = issues.flatMap(branchOf);
  const placeOf = ({ path, unknownNames }: Issue) => JSON.stringify([path, unknownNames !== undefined]);
  return all.filter((issue, index) => all.findIndex((other) => placeOf(other) === placeOf(issue)) === index);
}

/** Of a union, the branch that was meant: the one in which something inside is wrong, and not the whole. */
function branchOf(issue: Issue): readonly Issue[] {
  const meant = issue.branches
    ?.map(problemsIn)
    .find((inside) => inside.some(({ path, unknownNames }) => path.length > 0 || unknownNames !== undefined));
  return meant === undefined ? [issue] : below(issue.path, meant);
}

function sentencesOf(rows: OptionRows, given: object, issues: readonly Issue[]): readonly string[] {
  /** In whose place an unknown name was probably written: it is not missing. */
  const meant = new Set<string>();
  const unknown = issues.flatMap((issue) => {
    if (issue.unknownNames === undefined) return [];
    const path = issue.path.join('.');
    const names = issue.message.split(' ');
    const options = Object.keys(rows).map((name) => ({ name, path: name, isOutside: true }));
    // only what has a name of its own can have been meant for another place
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
    const value = issue.path.reduce<unknown>((inside, name) => (inside as never)?.[name], given);
    if (value === undefined && meant.has(path)) return [];
    if (value === undefined) return [`${path} is missing: it must be ${message.replace('; ', ': ')}`];
    const [expected = '', ...hints] = message.split('; ');
    const not = isSecret ? '' : `, not ${describeWrong(value, expected)}`;
    return [`${path} must be ${expected}${[not, ...hints].join('; ')}`];
  });
  return [...unknown, ...others];
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
  if (value instanceof Date) return value.toJSON() ?? 'an invalid date';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** The user of a URL comes with a password. */
export function withoutUser(text: string): string {
  return text.replace(/\/\/[^\s?#]*@/, '//…@');
}

/** What to write in the place of an unknown name: the one that was probably meant, or which there are. */
export function suggest(name: string, names: readonly string[]): string {
  return suggestion(findNear(name, names), names);
}

function suggestion(near: Place | undefined, names: readonly string[]): string {
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
    // a long name takes no time
    const isFar = Math.abs(letters.length - written.length) > maxDistance;
    const distance = isFar ? Infinity : distanceOf(name, candidate);
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
