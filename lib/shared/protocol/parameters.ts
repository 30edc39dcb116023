import { invalidRequest, type OAuthError } from '../errors.js';

/**
 * A form as it was sent: a repeated field is a list. The object has no prototype, so no field name is special. A parser
 * of the site may have turned a field into any value, so only the functions of this file (and of
 * `core/http/form-fields.ts`) read it; the linter refuses other ways.
 */
export interface Form {
  readonly [field: string]: unknown;
}

/** Request parameters by their wire names: each once, none empty, no prototype. */
export type Parameters = Readonly<Record<string, string | undefined>>;

/** Parameters that may be repeated: all raw values that are not empty. Their readers validate them. */
export type RepeatedParameters = Readonly<Record<string, readonly unknown[] | undefined>>;

/**
 * The fields of an `application/x-www-form-urlencoded` text: a query or a body.
 *
 * @throws OAuthError invalid_request if the percent-encoding is broken
 * @see RFC 6749 Appendix B
 */
export function parseForm(text: string): Form {
  // URLSearchParams would accept a broken %-escape
  if (/%(?![0-9a-f]{2})/i.test(text))
    throw invalidRequest('the request has a broken percent-encoding', 'request_malformed');
  const form = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of new URLSearchParams(text)) {
    const before = form[name];
    if (Array.isArray(before)) before.push(value);
    else form[name] = before === undefined ? value : [before, value];
  }
  return form;
}

/** The inverse of `parseForm`. Values other than text, which a parser of the site may have made, are left out. */
export function formatForm(form: Form): string {
  const fields = Object.entries(form).flatMap(([name, value]) =>
    [value].flat().map((single) => [name, single]),
  );
  return new URLSearchParams(
    fields.filter((field): field is [string, string] => typeof field[1] === 'string'),
  ).toString();
}

/**
 * Reads the supported parameters from a form, or from the result of a body parser of the site; ignores the rest.
 *
 * @throws OAuthError invalid_request if a `single` parameter is repeated, nested or not UTF-8 text
 * @see RFC 6749 §3.1, §3.2
 */
export function parseParameters(
  form: unknown,
  { single, repeatable }: Readonly<Record<'single' | 'repeatable', ReadonlySet<string>>>,
): { readonly parameters: Parameters; readonly repeated: RepeatedParameters } {
  const parameters = Object.create(null) as Record<string, string>;
  const repeated = Object.create(null) as Record<string, readonly unknown[]>;
  if (form === null || typeof form !== 'object') return { parameters, repeated };
  // RFC 6749 §3.1: the authorization server MUST ignore unrecognized request parameters
  for (const name of Object.keys(form)) {
    const value = single.has(name) ? parseParameter(form as Form, name) : undefined;
    if (value !== undefined) parameters[name] = value;
    if (repeatable.has(name)) repeated[name] = parseRepeated(form as Form, name);
  }
  return { parameters, repeated };
}

/** Reads one repeatable parameter: its values, without empty ones. */
export function parseRepeated(form: Form, name: string): readonly unknown[] {
  const sent: unknown[] = Object.hasOwn(form, name) ? [form[name] ?? []].flat() : [];
  return sent.filter((value) => value !== '');
}

/**
 * Reads all parameters of a request at once: the texts, and an error for each parameter that is not one text. Code that
 * needs such a parameter throws its error; a malformed hint counts as omitted.
 *
 * @see RFC 6749 §3.1
 */
export function readParameters<Name extends string>(
  form: Form,
  names: readonly Name[],
): {
  readonly params: Readonly<Partial<Record<Name, string>>>;
  readonly malformed: ReadonlyMap<Name, OAuthError>;
} {
  const params: Partial<Record<Name, string>> = {};
  const malformed = new Map<Name, OAuthError>();
  for (const name of names) {
    const value: unknown = Object.hasOwn(form, name) ? form[name] : '';
    if (typeof value !== 'string' || NOT_TEXT.test(value))
      malformed.set(name, malformedParameter(name, value));
    // RFC 6749 §3.1: parameters sent without a value MUST be treated as if they were omitted
    else if (value !== '') params[name] = value;
  }
  return { params, malformed };
}

/** NUL never belongs in a parameter; decoders replace bytes that are not UTF-8 by U+FFFD. */
const NOT_TEXT = /[\0\ufffd]/;

function malformedParameter(name: string, value: unknown): OAuthError {
  const problem =
    // RFC 6749 §3.1: request parameters MUST NOT be included more than once
    typeof value === 'string' ? 'is not valid UTF-8 text' : 'must be given once, as plain text';
  return invalidRequest(`the parameter ${name} ${problem}`, 'parameter_malformed');
}

/**
 * Reads one parameter from a form, or from the result of a body parser of the site.
 *
 * @throws OAuthError invalid_request if it is repeated, nested or not UTF-8 text
 * @see RFC 6749 §3.1, §3.2
 */
export function parseParameter(form: Form, name: string): string | undefined {
  if (!Object.hasOwn(form, name)) return undefined;
  const value: unknown = form[name];
  if (typeof value !== 'string' || NOT_TEXT.test(value)) throw malformedParameter(name, value);
  // RFC 6749 §3.1: parameters sent without a value MUST be treated as if they were omitted
  return value === '' ? undefined : value;
}

/** Whether a parameter was sent with a value, of any shape: its reader refuses a wrong shape. */
export function hasParameter(form: Form, name: string): boolean {
  return Object.hasOwn(form, name) && form[name] !== undefined && form[name] !== '';
}

/** A parameter that is never refused, such as a hint: undefined unless it is one plain text. */
export function peekParameter(form: unknown, name: string): string | undefined {
  if (form === null || typeof form !== 'object' || !Object.hasOwn(form, name)) return undefined;
  const value = (form as Form)[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * A parameter that must be present.
 *
 * @throws OAuthError invalid_request
 */
export function requireParameter(parameters: Parameters, name: string): string {
  const value = parameters[name];
  if (value === undefined) throw invalidRequest(`the parameter ${name} is missing`, 'parameter_missing');
  return value;
}

/** A parameter that must be present exactly once. @throws OAuthError invalid_request */
export function requireOnce(form: Form, name: string): string {
  return requireParameter({ [name]: parseParameter(form, name) }, name);
}
