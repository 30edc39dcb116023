import { type Form, parseForm } from '../../shared/protocol/parameters.js';
import { carriedField, hasField } from '../http/form-fields.js';

/**
 * The request that a form of our pages carries; undefined if the form itself is the request.
 *
 * @throws ChangedField
 */
export function readPendingRequest(form: Form): Form | undefined {
  if (!hasField(form, 'authorization_request')) return undefined;
  return parseForm(carriedField(form, 'authorization_request'));
}

/** Whether a form stays the same in an address: a parser of the site may have turned it into more than text. */
export function hasOnlyStrings(form: Form): boolean {
  const isPlain = (value: unknown) => typeof value === 'string';
  return Object.values(form).every((value) =>
    Array.isArray(value) ? value.length > 1 && value.every(isPlain) : isPlain(value),
  );
}
