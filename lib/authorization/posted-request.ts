import { OAuthError } from '../errors.js';
import { type Form, parseForm } from '../protocol/parameters.js';

/** The request that a form of our pages carries; undefined if the form itself is the request. */
export function requestIn({ authorization_request: text }: Form): Form | undefined {
  if (text !== undefined && typeof text !== 'string')
    throw new OAuthError('invalid_request', 'the form is malformed', { reason: 'request_malformed' });
  return text === undefined ? undefined : parseForm(text);
}

/** Whether a form stays the same in an address: a parser of the host may have turned it into more than text. */
export function isText(form: Form): boolean {
  const isPlain = (value: unknown) => typeof value === 'string';
  return Object.values(form).every((value) =>
    Array.isArray(value) ? value.length > 1 && value.every(isPlain) : isPlain(value),
  );
}
