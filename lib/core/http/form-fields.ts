import { OAuthError } from '../../shared/errors.js';
import { ChangedField, isCarriedValue, peekCarriedText } from './carried-text.js';

/*
 * Which reader to use. Each accepts the result of any body parser of the site, and none reads a member of
 * `Object.prototype`.
 *
 * For parameters of a protocol, in queries and forms of clients (`shared/protocol/parameters.ts`), where a parameter
 * without a value counts as absent (RFC 6749 §3.1):
 *
 * - `parseParameter`: its value is needed, and anything but one text is an error of the client.
 * - `peekParameter`: it is a hint, or the request is refused elsewhere; anything but one text counts as absent.
 * - `hasParameter`: its presence decides how the request is read, whatever its shape.
 *
 * For fields of this server's forms (here), where an empty field counts, because a user has emptied it:
 *
 * - `textField`, `listField`: its value is needed; a missing one is empty, and another shape is an error. A value that
 * the page wrote by `carryValue` is decoded.
 * - `offeredField`: the same for boxes from a list that the page offered.
 * - `carriedField`: its value is always written by `carryText`.
 * - `hasField`: its presence says which form or button was sent.
 * - `selectionFieldOf`: the raw value, for a reader with an error of its own.
 */

type Fields = Readonly<Record<string, unknown>>;

/**
 * A field that a form of this server sends once; empty if the field is missing.
 *
 * @throws OAuthError invalid_request if it is repeated or nested
 */
export function textField(body: unknown, name: string): string {
  return decodeField(rawField(body, name));
}

/**
 * A field that a form of this server writes by `carryText`.
 *
 * @throws ChangedField if the value was changed
 * @throws OAuthError invalid_request if it is repeated or nested
 */
export function carriedField(body: unknown, name: string): string {
  const text = peekCarriedText(rawField(body, name));
  if (text === undefined) throw new ChangedField(name);
  return text;
}

/** Whether a form has a field at all: an empty field counts, because a user has emptied it. */
export function hasField(body: unknown, name: string): boolean {
  return fieldOf(body, name) !== undefined;
}

/** The values of the checked boxes of one name. @throws OAuthError invalid_request if one is nested */
export function listField(body: unknown, name: string): readonly string[] {
  return [...new Set(rawList(body, name).map(decodeField))];
}

/**
 * The values of checked boxes that the page offered. The caller checks for values that were not offered. A value with
 * characters that no form of this server writes was changed by a sanitizer, and its box would count as unticked.
 *
 * @throws ChangedField
 * @throws OAuthError invalid_request if one is nested
 */
export function offeredField(body: unknown, name: string, offered: readonly string[]): readonly string[] {
  if (!rawList(body, name).every((value) => isCarriedValue(value) || offered.includes(value)))
    throw new ChangedField(name);
  return listField(body, name);
}

/** A field as the body parser read it, for a reader with an error of its own. */
export function fieldOf(body: unknown, name: string): unknown {
  if (body === null || typeof body !== 'object' || !Object.hasOwn(body, name)) return undefined;
  return (body as Fields)[name];
}

function rawList(body: unknown, name: string): readonly string[] {
  const values = [fieldOf(body, name) ?? []].flat();
  if (!values.every((value) => typeof value === 'string')) throw malformed(name);
  return values;
}

function rawField(body: unknown, name: string): string {
  const value = fieldOf(body, name) ?? '';
  if (typeof value !== 'string') throw malformed(name);
  return value;
}

function decodeField(value: string): string {
  return peekCarriedText(value) ?? value;
}

function malformed(name: string): OAuthError {
  return new OAuthError('invalid_request', `the field ${name} is repeated or nested`);
}
