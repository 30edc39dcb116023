import { z } from 'zod';

import { lazy } from '../../shared/lazy.js';

/** The result of a validation (Standard Schema 1). */
type SchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/** A schema of zod, Valibot, ArkType or another library with Standard Schema 1. */
export interface DetailSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>;
  };
}

/** A JSON Schema, as far as this package supports it. (JSON Schema 2020-12) */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The formats that zod checks as JSON Schema defines them. */
const FORMATS = ['date', 'date-time', 'email', 'ipv4', 'ipv6', 'uri', 'uuid'] as const;

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * The keywords of each form; others are refused. zod ignores unknown keywords, and most keywords without a `type`. A
 * limit that is written but not enforced would be worse than none.
 */
const forms = lazy(() => {
  const message = {
    title: z.unknown(),
    description: z.unknown(),
    $comment: z.unknown(),
    examples: z.unknown(),
  };
  const form = <Shape extends z.ZodRawShape>(shape: Shape) =>
    z.strictObject({
      ...z.object({ ...message, $schema: z.literal(DRAFT), $id: z.string(), $defs: schemas }).partial().shape,
      ...shape,
    });
  const schemas = z.record(z.string(), z.unknown());
  const list = z.array(z.unknown()).min(1);
  const count = z.int().nonnegative().optional();
  const bound = z.number().optional();
  const plain = z.union([z.string(), z.number(), z.boolean(), z.null()]);
  const type = z.string().optional();
  const bounds = { minimum: bound, maximum: bound, exclusiveMinimum: bound, exclusiveMaximum: bound };
  const number = { ...bounds, multipleOf: z.number().positive().optional() };
  // these escapes differ without the flag u, which zod does not set
  const pattern = z.string().refine((text) => !/\\[pPu]\{/.test(text), 'without \\p{…} and \\u{…}');
  return {
    object: form({
      type: z.literal('object'),
      properties: schemas,
      required: z.array(z.string()).optional(),
      additionalProperties: z.literal(false, 'additionalProperties must be false'),
    }).refine(
      ({ properties, required = [] }) => required.every((name) => Object.hasOwn(properties, name)),
      'required names what is not in properties',
    ),
    array: form({
      type: z.literal('array'),
      items: z.unknown().refine((items) => items !== undefined, 'items must be a schema'),
      minItems: count,
      maxItems: count,
      uniqueItems: z.boolean().optional(),
    }),
    string: form({
      type: z.literal('string'),
      minLength: count,
      maxLength: count,
      pattern: pattern.optional(),
      format: z.enum(FORMATS).optional(),
    }),
    number: form({ type: z.literal('number'), ...number }),
    integer: form({ type: z.literal('integer'), ...number }),
    boolean: form({ type: z.literal('boolean') }),
    null: form({ type: z.literal('null') }),
    const: form({ type, const: plain }).refine(isOfType, 'const is not of its type'),
    enum: form({ type, enum: z.array(plain).min(1) }).refine(isOfType, 'enum has what is not of its type'),
    anyOf: form({ anyOf: list }),
    oneOf: form({ oneOf: list }),
    $ref: form({ $ref: z.string().regex(/^#\/\$defs\/[^/]+$/, '$ref must be #/$defs/ and a name') }),
  };
});

/** The forms that need no `type`. */
const UNTYPED = ['const', 'enum', 'anyOf', 'oneOf', '$ref'] as const;

/** zod ignores the type if the schema lists its values. */
function isOfType({
  type,
  const: only,
  enum: values = [only],
}: {
  type?: string | undefined;
  const?: unknown;
  enum?: readonly unknown[];
}): boolean {
  return values.every((value) => {
    if (type === undefined) return true;
    if (type === 'integer') return Number.isInteger(value);
    return type === (value === null ? 'null' : typeof value);
  });
}

/** @throws Error with the place of an unsupported or unenforced keyword */
export function fromJsonSchema(schema: JsonSchema): DetailSchema {
  check(schema, 'the schema');
  const { type, properties } = schema;
  if (type !== 'object') throw new Error("the schema: its type must be 'object'");
  if (Object.hasOwn(properties as object, 'type'))
    throw new Error("the schema: take 'type' out of its properties; it is about the fields beside that");
  // zod stores unknown keywords in a registry, by default a shared one
  return z.fromJSONSchema(schema, { registry: z.registry() });
}

function check(schema: unknown, place: string): void {
  const problem = findProblem(schema);
  if (problem !== undefined) throw new Error(`${place}: ${problem}`);
  const { properties, $defs, items, anyOf, oneOf } = schema as JsonSchema;
  for (const children of [properties, items === undefined ? undefined : { items }, $defs, anyOf ?? oneOf])
    for (const [name, each] of Object.entries(children ?? {})) check(each, `${place}, ${name}`);
}

function findProblem(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return 'it is no object';
  const { type } = schema as JsonSchema;
  const form = UNTYPED.find((name) => Object.hasOwn(schema, name)) ?? type;
  const shapes = forms();
  if (typeof form !== 'string' || !Object.hasOwn(shapes, form))
    return `it needs one type of ${Object.keys(shapes)
      .filter((name) => !UNTYPED.includes(name as never))
      .join(', ')}, or one of ${UNTYPED.join(', ')}`;
  const [issue] = shapes[form as keyof typeof shapes].safeParse(schema).error?.issues ?? [];
  return issue && [...issue.path, issue.message].join(': ');
}
