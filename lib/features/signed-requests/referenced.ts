import {
  RequestNeedsLogin,
  type RequestSource,
  type UncheckedRequest,
} from '../../core/authorization/request-source.js';
import { findUsableClient } from '../../core/authorization/resolve-request.js';
import type { FeatureParts } from '../../server/server.js';
import { seal, unseal } from '../../shared/crypto/seal.js';
import { invalidRequest } from '../../shared/errors.js';
import { type GetCaller, LoginNeeded } from '../../shared/outbound/limit-untrusted-fetch.js';
import { hasParameter, parseParameter, requireOnce } from '../../shared/protocol/parameters.js';
import { createFetchRequestObject } from './fetch-request-object.js';
import { progressIn, type ReferencedObject, requestNotFetched, requestOfObject } from './progress.js';
import type { OpenRequestObject } from './request-object.js';

/**
 * A request object at an address of its client, fetched once. This site's addresses then carry it sealed, so that it is
 * the same on each page and unreadable. Only logged-in users cause a fetch, so that nobody makes this server send
 * requests without end. (RFC 9101 §5.2, §10.4.1)
 */
export function createReferencedSource(parts: FeatureParts, open: OpenRequestObject): RequestSource {
  const fetchObject = createFetchRequestObject(parts);
  // seals the object on its way through the login, and signs its progress
  const { serverSecret: secret, openid } = parts.settings;
  const keyOf = (clientId: string) => ({ secret, owner: clientId, purpose: 'request objects by reference' });
  return {
    // any URI that is not a pushed request's, whose source comes first
    matches: (query) =>
      ['request_uri', 'fetched_request'].some((parameter) => hasParameter(query, parameter)) &&
      !hasParameter(query, 'request'),
    async read(form, now, context) {
      const { getCaller } = context;
      const clientId = requireOnce(form, 'client_id');
      const client = await findUsableClient(context, clientId);
      const sealed = parseParameter(form, 'fetched_request');
      if (sealed !== undefined) {
        const jwt = await unseal(sealed, keyOf(clientId)).catch((cause: unknown) => {
          throw invalidRequest('the parameter fetched_request is not of this server', 'parameter_malformed', {
            cause,
          });
        });
        const query = { fetched_request: sealed };
        const object = { client, query, progress: progressIn(form, query, { now, secret }) };
        return openObject(jwt, object, getCaller);
      }
      const notFetched = { request_uri: parseParameter(form, 'request_uri') ?? '' };
      // the login itself may have completed prompts before the fetch
      const progress = progressIn(form, notFetched, { now, secret });
      const jwt = await fetchObject(notFetched.request_uri, client, getCaller).catch((error: unknown) => {
        if (!(error instanceof LoginNeeded)) throw error;
        throw new RequestNeedsLogin(
          client,
          requestNotFetched({ client, query: notFetched, progress }, secret),
        );
      });
      const query = { fetched_request: await seal(jwt, keyOf(clientId)) };
      return openObject(jwt, { client, query, progress }, getCaller);
    },
  };

  async function openObject(
    jwt: string,
    object: ReferencedObject,
    getCaller: GetCaller | undefined,
  ): Promise<UncheckedRequest> {
    // the client decides how old an object may be, since each request fetches it
    const now = new Date(object.progress.since * 1000);
    // OpenID Connect Core §6.1
    const opening = { now, mayLackExp: Boolean(openid), getCaller };
    return requestOfObject(object, await open(jwt, object.client, opening), secret);
  }
}
