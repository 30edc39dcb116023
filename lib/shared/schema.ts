/**
 * Validates values: the part of zod that the options and the metadata of clients need, with the same names, except
 * `picklist` (Valibot's name), since `enum` is a reserved word. The whole of zod would be a fifth of the code that each
 * site parses. Every shape brings its own message.
 */

/** A problem at a path of the value. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Unknown names in an object. */
  readonly unknownNames?: readonly string[] | undefined;
  /** The issues of each branch of a union. */
  readonly branches?: readonly (readonly Issue[])[] | undefined;
  /** The value has the right type, but is out of its bounds. */
  readonly isBound?: boolean | undefined;
}

type Result<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[]; readonly value?: undefined };

const wrong = (message: string, more?: Partial<Issue>) => ({ issues: [{ path: [], message, ...more }] });
/** Moves issues below a path. */
export const below = (path: Issue['path'], issues: readonly Issue[] = []): readonly Issue[] =>
  issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));

export class Schema<Output = unknown, Input = unknown> {
  /** The type of the input, for TypeScript only. */
  declare readonly input: Input;

  constructor(readonly validate: (value: unknown) => Result<Output>) {}

  /** Continues with a valid value. */
  pipe<Next>(next: (value: Output) => Result<Next>): Schema<Next, Input> {
    return new Schema<Next, Input>((value) => {
      const result = this.validate(value);
      return result.issues === undefined ? next(result.value) : result;
    });
  }

  transform<Next>(change: (value: Output) => Next): Schema<Next, Input> {
    return new Schema<Next, Input>((value) => {
      const result = this.validate(value);
      if (result.issues === undefined) return { value: change(result.value) };
      return { issues: result.issues.map((issue) => ({ ...issue, isBound: false })) };
    });
  }

  refine(isRight: (value: Output) => boolean, message: string): Schema<Output, Input> {
    return this.pipe<Output>((value) => (isRight(value) ? { value } : wrong(message, { isBound: true })));
  }

  /** Adds issues to a valid value; none if it stays valid. */
  check(find: (value: Output) => readonly Issue[]): Schema<Output, Input> {
    return this.pipe<Output>((value) => {
      const issues = find(value);
      return issues.length === 0
        ? { value }
        : { issues: issues.map((issue) => ({ ...issue, isBound: true })) };
    });
  }

  /** The minimum of a number, or the minimum length of text and lists. */
  min(min: number, message: string): Schema<Output, Input> {
    return this.refine((value) => sizeOf(value) >= min, message);
  }

  max(max: number, message: string): Schema<Output, Input> {
    return this.refine((value) => sizeOf(value) <= max, message);
  }

  regex(pattern: RegExp, message: string): Schema<Output, Input> {
    return this.refine((value) => pattern.test(String(value)), message);
  }

  int(message: string): Schema<Output, Input> {
    return this.pipe<Output>((value) => (Number.isSafeInteger(value) ? { value } : wrong(message)));
  }

  /** The value if the input is undefined. */
  default(makeValue: () => Output): Schema<Output, Input | undefined> {
    return new Schema((value) => (value === undefined ? { value: makeValue() } : this.validate(value)));
  }
}

function sizeOf(value: unknown): number {
  return typeof value === 'number' ? value : (value as string | readonly unknown[]).length;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether an object is plain, even one of another realm, such as a test's. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.hasOwn(prototype, 'isPrototypeOf');
}

export function custom<Output>(
  isRight: (value: unknown) => boolean = () => true,
  message = '',
): Schema<Output, Output> {
  return new Schema((value) => (isRight(value) ? { value: value as Output } : wrong(message)));
}

export const unknown = () => custom<unknown>();
export const string = (message: string) => custom<string>((value) => typeof value === 'string', message);
export const boolean = (message: string) => custom<boolean>((value) => typeof value === 'boolean', message);
export const number = (message: string) => custom<number>(Number.isFinite, message);
export const literal = <const Value extends string | boolean | null>(only: Value, message: string) =>
  custom<Value>((value) => value === only, message);
export const picklist = <const Value extends string>(values: readonly Value[], message: string) =>
  custom<Value>((value) => values.includes(value as Value), message);
export const date = (message: string) =>
  custom<Date>((value) => value instanceof Date && !Number.isNaN(value.getTime()), message);

export function array<Output, Input>(item: Schema<Output, Input>, message: string) {
  return new Schema<readonly Output[], readonly Input[]>((value) => {
    if (!Array.isArray(value)) return wrong(message);
    // also validates holes
    const results = Array.from(value as unknown[], (each) => item.validate(each));
    const issues = results.flatMap((result, index) => below([index], result.issues));
    return issues.length === 0 ? { value: results.map((result) => result.value as Output) } : { issues };
  });
}

/** An object with any names, but no instance of a class. */
export function record<Output, Input>(item: Schema<Output, Input>, message: string) {
  return new Schema<Readonly<Record<string, Output>>, Readonly<Record<string, Input>>>((value) => {
    if (!isObject(value) || !isPlain(value)) return wrong(message);
    const entries = Object.entries(value).filter(([name]) => name !== '__proto__');
    const results = entries.map(([name, each]) => ({ name, result: item.validate(each) }));
    const issues = results.flatMap(({ name, result }) => below([name], result.issues));
    if (issues.length > 0) return { issues };
    return { value: Object.fromEntries(results.map(({ name, result }) => [name, result.value as Output])) };
  });
}

/** An object with only these names. An undefined optional member has no entry, unless the input has it. */
export function object(members: Readonly<Record<string, Schema>>, message: string) {
  return new Schema<Readonly<Record<string, unknown>>>((value) => {
    if (!isObject(value)) return wrong(message);
    const names = Object.keys(members);
    const results = Object.entries(members).map(([name, member]) => ({
      name,
      result: member.validate(value[name]),
    }));
    const unknownNames = Object.keys(value).filter((name) => !names.includes(name));
    const issues = [
      ...results.flatMap(({ name, result }) => below([name], result.issues)),
      ...(unknownNames.length === 0 ? [] : wrong(names.join(' '), { unknownNames }).issues),
    ];
    if (issues.length > 0) return { issues };
    const present = results.filter(({ name, result }) => result.value !== undefined || name in value);
    return { value: Object.fromEntries(present.map(({ name, result }) => [name, result.value])) };
  });
}

type OutputOf<Each> = Each extends Schema<infer Output> ? Output : never;
type InputOf<Each> = Each extends { readonly input: infer Input } ? Input : never;

/** The result of the first branch that accepts the value, or the issues of the only branch with its type. */
export function union<const Branches extends readonly Schema[]>(
  branches: Branches,
  message: string,
): Schema<OutputOf<Branches[number]>, InputOf<Branches[number]>> {
  return new Schema((value) => {
    const results = branches.map((branch) => branch.validate(value) as Result<OutputOf<Branches[number]>>);
    const right = results.find(({ issues }) => issues === undefined);
    if (right !== undefined) return right;
    const issuesByBranch = results.map(({ issues = [] }) => issues);
    const ofKind = issuesByBranch.filter((issues) => issues.every(({ isBound }) => isBound));
    return ofKind.length === 1 ? { issues: ofKind[0]! } : wrong(message, { branches: issuesByBranch });
  });
}
