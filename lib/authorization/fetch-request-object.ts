import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import type { Client } from '../clients/client.js';
import { type ClientAddressLimits, limitsFor } from '../clients/strangers-limits.js';
import { messageOf, OAuthError } from '../errors.js';
import { type FetchLimits, fetchText } from '../outbound/fetch-json.js';
import { createWaitingRoom } from '../outbound/waiting-room.js';

/**
 * The request object at a URI that its client has registered; it is not kept.
 *
 * @throws OAuthError invalid_request_uri; temporarily_unavailable if too many requests wait for such answers
 */
export type FetchRequestObject = (requestUri: string, client: Client) => Promise<string>;

/** RFC 9101 §9.4.1 */
const MEDIA_TYPE = 'application/oauth-authz-req+jwt';
/** Anybody can name a URI of a client again and again, so this limits how many ask its server at once. */
const WAITING = { size: 1000, perKey: 20 };
/** More than an object can have if it is to fit into addresses. */
const MAX_BYTES = 32_768;
/** OpenID Connect Core §6.2: a fragment that is the SHA-256 of what is at the URI. */
const HASH = /^[A-Za-z0-9_-]{43}$/;

/** @see RFC 9101 §5.2, §10.4 */
export function createFetchRequestObject(
  limits: Omit<FetchLimits, 'maxBytes'> & ClientAddressLimits,
): FetchRequestObject {
  const wait = createWaitingRoom(WAITING);
  return async (requestUri, client) => {
    // §10.4.1, §10.4.2: to no unexpected location
    if (!isRegistered(requestUri, client))
      throw unusable('it is not registered for this client', `request_uri ${requestUri.slice(0, 200)}`);
    const [address = '', fragment = ''] = requestUri.split('#');
    const { text, headers } = await wait(address, () =>
      fetchText(address, { ...limitsFor(limits, client, address), maxBytes: MAX_BYTES }, MEDIA_TYPE).catch(
        (cause: unknown) => {
          // only the log may say what can be reached from this server
          throw unusable('it could not be fetched', messageOf(cause));
        },
      ),
    );
    if (mediaTypeOf(headers) !== MEDIA_TYPE) throw unusable(`its content type is not ${MEDIA_TYPE}`);
    if (HASH.test(fragment) && createHash('sha256').update(text).digest('base64url') !== fragment)
      throw unusable('what is there is not what its fragment names');
    return text.trim();
  };
}

/** An exact match, but a fragment may be added to one registered without (OpenID Connect Core §6.2). */
function isRegistered(requestUri: string, { requestUris = [] }: Client): boolean {
  return requestUris.includes(requestUri) || requestUris.includes(requestUri.split('#')[0] ?? '');
}

function mediaTypeOf({ 'content-type': type = '' }: IncomingHttpHeaders): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

function unusable(problem: string, detail?: string): OAuthError {
  return new OAuthError('invalid_request_uri', `the request_uri cannot be used: ${problem}`, {
    reason: 'request_uri_unusable',
    ...(detail !== undefined && { detail }),
  });
}
