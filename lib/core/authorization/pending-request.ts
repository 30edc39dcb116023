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
