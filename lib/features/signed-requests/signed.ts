import { findUsableClient } from '../../core/authorization/find-usable-client.js';
import type { RequestSource } from '../../core/authorization/sources/request-source.js';
import { OAuthError } from '../../shared/errors.js';
import {
  type Form,
  hasParameter,
  parseParameter,
  requireParameter,
} from '../../shared/protocol/parameters.js';
import { namedByObject, progressIn } from './progress.js';
import type { OpenRequestObject } from './request-object.js';

export interface SignedSourceDependencies {
  readonly open: OpenRequestObject;
  /** Signs what addresses carry beside the object. */
  readonly secret: string;
}

/**
 * A request that is a JWT of its client, by value. Nothing outside it counts, so that nobody on the way can change what
 * is asked for. (RFC 9101 §5.1, §6.3)
 */
export function createSignedSource({ open, secret }: SignedSourceDependencies): RequestSource {
  return {
    isNamed: (name) => hasParameter(name, 'request'),
    async read(form, now, { findClient, getCaller }) {
      const clientId = requireParameter({ client_id: parseParameter(form, 'client_id') }, 'client_id');
      const name = { request: objectIn(form) };
      const client = await findUsableClient(findClient, clientId);
      const progress = progressIn(form, name, { now, secret });
      const opened = await open(name.request, client, { now: new Date(progress.since * 1000), getCaller });
      return namedByObject({ client, form: opened, name, progress }, secret);
    },
    async readPushed(form, client, now) {
      const opened = await open(objectIn(form), client, { now });
      return { parameters: opened, referenceAfter: () => ({}), isPushed: true, isSigned: true };
    },
  };
}

/** @throws OAuthError invalid_request */
function objectIn(form: Form): string {
  // RFC 9101 §5
  if (parseParameter(form, 'request_uri') !== undefined)
    throw new OAuthError('invalid_request', 'a request has a request or a request_uri, not both', {
      reason: 'parameter_malformed',
    });
  return requireParameter({ request: parseParameter(form, 'request') }, 'request');
}
