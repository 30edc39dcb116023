import type { RowsOf } from '../../settings/options.js';
import { type ChoiceSettings, choiceTable, resolveChoices } from '../../settings/options/choice-options.js';
import { type CheckedDetail, comparison } from '../../settings/options/guard-options.js';
import { objectOf, option, type OptionsOf, required, type SettingsOf } from '../../settings/table/option.js';
import { serverOptionError } from '../../settings/table/parse-options.js';
import { callback, flag, oneOf, recordOf } from '../../settings/table/shapes.js';
import { messageOf } from '../../shared/errors.js';
import * as z from '../../shared/schema.js';
import { type DetailSchema, fromJsonSchema, type JsonSchema } from './detail-schema.js';

/** The text of a detail on pages: one line, or a title with more lines. Always plain text. */
export type DetailText = string | { readonly title: string; readonly lines?: readonly string[] };

/** The page that displays a detail, and the client that requests it. */
export interface DetailContext {
  /** The language of the page: `de`, `pt-BR`. */
  readonly language: string;
  readonly client: { readonly clientId: string; readonly name: string };
}

function isStandard(value: unknown): value is DetailSchema {
  return typeof (value as Partial<DetailSchema> | null | undefined)?.['~standard']?.validate === 'function';
}

const typeOptions = {
  /**
   * What the fields beside `type` must be: a Standard Schema (zod, Valibot, ArkType…), or a JSON Schema (2020-12) of an
   * object with `additionalProperties: false`. Other fields are refused. A JSON Schema has one `type`, or is a `const`,
   * `enum`, `anyOf`, `oneOf` or `$ref` into `$defs`; its formats are `date`, `date-time`, `email`, `ipv4`, `ipv6`, `uri`
   * and `uuid`. (RFC 9396 §5)
   */
  schema: required({
    shape: () =>
      z.custom<DetailSchema | JsonSchema>(
        (value) => isStandard(value) || (typeof value === 'object' && value !== null && 'type' in value),
        'a schema of zod, Valibot, ArkType or the like, such as z.object({ amount: z.string() }), or a JSON Schema of an object',
      ),
  }),
  /**
   * `(detail, { language, client }) => 'Pay 20 € to Merchant A'`: the detail in words that a user understands, or `{
   * title, lines }`, as plain text. (RFC 9396 §11.2)
   */
  describe: required({
    shape: () =>
      callback<(detail: CheckedDetail, context: DetailContext) => DetailText | Promise<DetailText>>(
        '(detail, { language }) => `Pay ${detail.amount} to ${detail.to}`',
      ),
  }),
  /**
   * `(asked, granted) => boolean`: whether a detail that was allowed covers one that is asked for; it covers no second
   * one. Default: none: a token has the same details or fewer, and users are asked each time. (RFC 9396 §6.1)
   */
  compare: comparison,
  /**
   * Whether one that was allowed is good for one call, for all processes: the guard's `details` uses it up. Default:
   * `false`.
   */
  singleUse: option({ shape: flag, default: false }),
  /**
   * What the user picks, by the names of its fields: `{ accounts: { label, list, multiple: true } }`. Each is like one
   * of the option `choices`, without `lifetime` and `scopes`. Default: none. (RFC 9396 §7.1)
   */
  choices: option({ shape: choiceTable, default: {} }),
  /** Whether a user may leave one out and still allow the rest. Default: `true`. (RFC 9396 §3) */
  optional: option({ shape: flag, default: true }),
  /**
   * `high` for what can do harm: it is never ticked in advance, and for an unverified client has a page of its own.
   * Default: `normal`.
   */
  risk: option({ shape: () => oneOf(['normal', 'high']), default: 'normal' }),
};

/** A type of authorization details. */
export type AuthorizationDetailsType = OptionsOf<typeof typeOptions>;
/** The type with its defaults. */
export interface ResolvedDetailType extends Omit<SettingsOf<typeof typeOptions>, 'choices' | 'schema'> {
  readonly schema: DetailSchema;
  /** The site's JSON Schema, if the site wrote one. */
  readonly jsonSchema: JsonSchema | undefined;
  readonly choices: ReadonlyMap<string, ChoiceSettings>;
}

/** Structured permissions that clients can request (RFC 9396). */
export const authorizationDetailsOptions = {
  /**
   * The types of authorization details that clients can ask for: `{ payment: { schema, describe } }`. What a user
   * allows is in the token response, JWTs, introspection and `req.auth.authorizationDetails`. Default: none. (RFC 9396)
   */
  authorizationDetails: option({
    shape: () =>
      recordOf(
        objectOf(typeOptions, 'an object of schema, describe and more'),
        'an object of type and its options, such as { payment: { schema, describe } }',
      ),
    default: {},
    resolve: resolveAuthorizationDetails,
  }),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof authorizationDetailsOptions> {}
}

/** @throws TypeError if a type's name is not printable ASCII (RFC 9396 §2.1) */
function resolveAuthorizationDetails(
  types: Readonly<Record<string, SettingsOf<typeof typeOptions>>>,
): ReadonlyMap<string, ResolvedDetailType> {
  const refuse = (path: string, text: string) => serverOptionError(`authorizationDetails${path}`, text);
  const resolved = Object.entries(types).map(([type, { choices: picks, schema, ...rest }]) => {
    if (!/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(type))
      throw refuse(
        '',
        `'${type}' is no name of a type: printable ASCII without space, " and \\, 200 characters at most (RFC 9396 §2.1)`,
      );
    const option = `authorizationDetails.${type}.choices`;
    const choices = resolveChoices(picks, { option, scopes: {}, isOfDetail: true });
    if (isStandard(schema)) return [type, { ...rest, schema, jsonSchema: undefined, choices }] as const;
    try {
      return [type, { ...rest, schema: fromJsonSchema(schema), jsonSchema: schema, choices }] as const;
    } catch (error) {
      throw refuse(
        `.${type}.schema`,
        `of this JSON Schema not all can be held: ${messageOf(error)}. Write it otherwise, or give a schema of zod, Valibot, ArkType or the like`,
      );
    }
  });
  return new Map<string, ResolvedDetailType>(resolved);
}
