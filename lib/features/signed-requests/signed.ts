import type { RequestSource } from '../../core/authorization/request-source.js';
import { findUsableClient } from '../../core/authorization/resolve-request.js';
import { invalidRequest } from '../../shared/errors.js';
import { type Form, hasParameter, parseParameter, requireOnce } from '../../shared/protocol/parameters.js';
import { progressIn, requestOfObject } from './progress.js';
import type { OpenRequestObject } from './request-object.js';

/**
 * A request object by value. Parameters outside it are ignored, so that nobody on the way can change the request. (RFC
 * 9101 §5.1, §6.3)
 *
 * @param secret signs the progress in addresses
 */
export function createSignedSource(open: OpenRequestObject, secret: string): RequestSource {
  return {
    matches: (query) => hasParameter(query, 'request'),
    async read(form, now, context) {
      const clientId = requireOnce(form, 'client_id');
      const query = { request: objectIn(form) };
      const client = await findUsableClient(context, clientId);
      const progress = progressIn(form, query, { now, secret });
      const opening = { now: new Date(progress.since * 1000), getCaller: context.getCaller };
      const opened = await open(query.request, client, opening);
      return requestOfObject({ client, query, progress }, opened, secret);
    },
    async readPushed(form, client, now) {
      const opened = await open(objectIn(form), client, { now });
      return { parameters: opened, toQuery: () => ({}), isPushed: true, isSigned: true };
    },
  };
}

/** @throws OAuthError invalid_request */
function objectIn(form: Form): string {
  // RFC 9101 §5
  if (parseParameter(form, 'request_uri') !== undefined)
    throw invalidRequest('a request has a request or a request_uri, not both', 'parameter_malformed');
  return requireOnce(form, 'request');
}
