import { seal, unseal } from '../../crypto/seal.js';
import { OAuthError } from '../../errors.js';
import { hasParameter, parseParameter, requireParameter } from '../../protocol/parameters.js';
import type { FetchRequestObject } from '../fetch-request-object.js';
import { findUsableClient } from '../find-usable-client.js';
import type { OpenRequestObject } from '../request-object.js';
import { namedByObject, progressIn } from './progress.js';
import type { RequestSource } from './request-source.js';

export interface ReferencedSourceDependencies {
  readonly open: OpenRequestObject;
  readonly fetchObject: FetchRequestObject;
  /** Seals the object on its way through the login, and signs what comes with it. */
  readonly secret: string;
}

/**
 * A request that is a JWT at an address of its client. It is fetched once: from then on the addresses of this site
 * carry it, sealed, so that it is the same after the login and on each page, and nobody can read in them what it asks
 * for. (RFC 9101 §5.2)
 */
export function createReferencedSource({
  open,
  fetchObject,
  secret,
}: ReferencedSourceDependencies): RequestSource {
  const keyOf = (clientId: string) => ({ secret, owner: clientId, purpose: 'request objects by reference' });
  return {
    // any URI that is not of this server: the source of pushed requests comes first
    isNamed: (name) =>
      ['request_uri', 'fetched_request'].some((parameter) => hasParameter(name, parameter)) &&
      !hasParameter(name, 'request'),
    async read(form, now, findClient) {
      const clientId = requireParameter({ client_id: parseParameter(form, 'client_id') }, 'client_id');
      const client = await findUsableClient(findClient, clientId);
      const sealed = parseParameter(form, 'fetched_request');
      const jwt =
        sealed === undefined
          ? await fetchObject(parseParameter(form, 'request_uri') ?? '', client)
          : await unseal(sealed, keyOf(clientId)).catch(refuseSealed);
      const name = { fetched_request: sealed ?? (await seal(jwt, keyOf(clientId))) };
      const progress = progressIn(form, name, { now, secret });
      const opened = await open(jwt, client, new Date(progress.since * 1000));
      return namedByObject({ client, form: opened, name, progress }, secret);
    },
  };
}

function refuseSealed(cause: unknown): never {
  throw new OAuthError('invalid_request', 'the parameter fetched_request is not of this server', {
    reason: 'parameter_malformed',
    cause,
  });
}
