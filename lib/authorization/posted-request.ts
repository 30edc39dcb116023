import { hasField, textField } from '../http/form-fields.js';
import { type Form, parseForm } from '../protocol/parameters.js';

/** The request that a form of our pages carries; undefined if the form itself is the request. */
export function requestIn(form: Form): Form | undefined {
  return hasField(form, 'authorization_request')
    ? parseForm(textField(form, 'authorization_request'))
    : undefined;
}

/** Whether a form stays the same in an address: a parser of the host may have turned it into more than text. */
export function isText(form: Form): boolean {
  const isPlain = (value: unknown) => typeof value === 'string';
  return Object.values(form).every((value) =>
    Array.isArray(value) ? value.length > 1 && value.every(isPlain) : isPlain(value),
  );
}
