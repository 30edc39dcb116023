import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import type { Client } from '../../core/clients/client.js';
import { standingOf } from '../../core/clients/provenance.js';
import { type ClientAddressLimits, fetchLimitsFor } from '../../core/clients/untrusted-fetch-limits.js';
import { messageOf, OAuthError } from '../../shared/errors.js';
import type { GetCaller, LimitUntrustedFetch } from '../../shared/outbound/limit-untrusted-fetch.js';
import { fetchBytes, type FetchLimits } from '../../shared/outbound/safe-fetch.js';

/**
 * The request object at a URI that its client has registered; it is not kept.
 *
 * @throws OAuthError invalid_request_uri; LoginNeeded if nobody is logged in; temporarily_unavailable if too much was
 *   fetched
 */
export type FetchRequestObject = (
  requestUri: string,
  client: Client,
  getCaller: GetCaller | undefined,
) => Promise<string>;

/** RFC 9101 §9.4.1 */
const MEDIA_TYPE = 'application/oauth-authz-req+jwt';
/** OpenID Connect Core §6.2 asks for no media type, and this is what its clients send. */
const OPENID_MEDIA_TYPES = [MEDIA_TYPE, 'application/jwt'];
/** More than an object can have if it is to fit into addresses. */
const MAX_BYTES = 32_768;
/** OpenID Connect Core §6.2: a fragment that is the SHA-256 of what is at the URI. */
const HASH = /^[A-Za-z0-9_-]{43}$/;

export interface FetchRequestObjectDependencies {
  readonly limits: Omit<FetchLimits, 'maxBytes'> & ClientAddressLimits;
  readonly limitUntrustedFetch: LimitUntrustedFetch;
  /** Whether request objects of OpenID Connect are taken as well. */
  readonly isOpenid: boolean;
}

/** @see RFC 9101 §5.2, §10.4 */
export function createFetchRequestObject({
  limits,
  limitUntrustedFetch,
  isOpenid,
}: FetchRequestObjectDependencies): FetchRequestObject {
  const mediaTypes = isOpenid ? OPENID_MEDIA_TYPES : [MEDIA_TYPE];
  return async (requestUri, client, getCaller) => {
    // §10.4.1, §10.4.2: to no unexpected location
    if (!isRegistered(requestUri, client))
      throw unusable('it is not registered for this client', `request_uri ${requestUri.slice(0, 200)}`);
    const [address = '', fragment = ''] = requestUri.split('#');
    const { clientId } = client;
    const fetch = { url: address, clientId, standing: standingOf(client), getCaller, isPerRequest: true };
    const text = await limitUntrustedFetch(fetch, () =>
      readObject(address, { ...fetchLimitsFor(limits, client, address), maxBytes: MAX_BYTES }, mediaTypes),
    );
    // there it only tells a server whether what it has cached is old, and nothing is cached here
    if (
      !isOpenid &&
      HASH.test(fragment) &&
      createHash('sha256').update(text).digest('base64url') !== fragment
    )
      throw unusable('what is there is not what its fragment names');
    return text.trim();
  };
}

async function readObject(
  address: string,
  limits: FetchLimits,
  mediaTypes: readonly string[],
): Promise<string> {
  const { bytes, headers } = await fetchBytes(address, limits, mediaTypes.join(', ')).catch(
    (cause: unknown) => {
      // only the log may say what can be reached from this server
      throw unusable('it could not be fetched', messageOf(cause));
    },
  );
  if (!mediaTypes.includes(mediaTypeOf(headers)))
    throw unusable(`its content type is not ${mediaTypes.join(' or ')}`);
  return bytes.toString();
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
