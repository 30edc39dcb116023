import { findUsableClient } from '../../core/authorization/find-usable-client.js';
import type { RequestReference, RequestSource } from '../../core/authorization/sources/request-source.js';
import { UnreadRequest } from '../../core/authorization/unread-request.js';
import { seal, unseal } from '../../shared/crypto/seal.js';
import { OAuthError } from '../../shared/errors.js';
import type { GetCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import { LoginNeeded } from '../../shared/outbound/login-needed.js';
import { hasParameter, parseParameter, requireParameter } from '../../shared/protocol/parameters.js';
import type { FetchRequestObject } from './fetch-request-object.js';
import { namedByObject, namedByUnread, type OpenedObject, progressIn } from './progress.js';
import type { OpenRequestObject } from './request-object.js';

export interface ReferencedSourceDependencies {
  readonly open: OpenRequestObject;
  readonly fetchObject: FetchRequestObject;
  /** Seals the object on its way through the login, and signs what comes with it. */
  readonly secret: string;
  /** Whether OpenID Connect is on, whose request objects need no `exp` (Core §6.1). */
  readonly isOpenid: boolean;
}

/**
 * A request that is a JWT at an address of its client. It is fetched once: from then on the addresses of this site
 * carry it, sealed, so that it is the same on each page, and nobody can read in them what it asks for. A visitor has to
 * log in before it is fetched, so that nobody makes this server ask without end. (RFC 9101 §5.2, §10.4.1)
 */
export function createReferencedSource({
  open,
  fetchObject,
  secret,
  isOpenid,
}: ReferencedSourceDependencies): RequestSource {
  const keyOf = (clientId: string) => ({ secret, owner: clientId, purpose: 'request objects by reference' });
  return {
    // any URI that is not of this server: the source of pushed requests comes first
    isNamed: (name) =>
      ['request_uri', 'fetched_request'].some((parameter) => hasParameter(name, parameter)) &&
      !hasParameter(name, 'request'),
    async read(form, now, { findClient, getCaller }) {
      const clientId = requireParameter({ client_id: parseParameter(form, 'client_id') }, 'client_id');
      const client = await findUsableClient(findClient, clientId);
      const sealed = parseParameter(form, 'fetched_request');
      if (sealed !== undefined) {
        const jwt = await unseal(sealed, keyOf(clientId)).catch(refuseSealed);
        const name = { fetched_request: sealed };
        return openNamed({ jwt, client, name, progress: progressIn(form, name, { now, secret }) }, getCaller);
      }
      const unread = { request_uri: parseParameter(form, 'request_uri') ?? '' };
      // what was answered before it was fetched: people may have been sent to the login for that
      const progress = progressIn(form, unread, { now, secret });
      const jwt = await fetchObject(unread.request_uri, client, getCaller).catch((error: unknown) => {
        if (!(error instanceof LoginNeeded)) throw error;
        throw new UnreadRequest(client, namedByUnread({ client, name: unread, progress }, secret));
      });
      const name = { fetched_request: await seal(jwt, keyOf(clientId)) };
      return openNamed({ jwt, client, name, progress }, getCaller);
    },
  };

  async function openNamed(
    { jwt, ...named }: Omit<OpenedObject, 'form'> & { readonly jwt: string },
    getCaller: GetCaller | undefined,
  ): Promise<RequestReference> {
    // how old an object may be is the client's to decide: it is fetched anew for each request
    const opening = { now: new Date(named.progress.since * 1000), mayLackExp: isOpenid, getCaller };
    return namedByObject({ ...named, form: await open(jwt, named.client, opening) }, secret);
  }
}

function refuseSealed(cause: unknown): never {
  throw new OAuthError('invalid_request', 'the parameter fetched_request is not of this server', {
    reason: 'parameter_malformed',
    cause,
  });
}
