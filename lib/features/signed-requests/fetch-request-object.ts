import type { Client } from '../../core/clients/client.js';
import { standingOf } from '../../core/clients/provenance.js';
import { clientFetchLimits, fetchLimitsFor } from '../../core/clients/untrusted-fetch-limits.js';
import type { FeatureParts } from '../../server/server.js';
import { hashSecret } from '../../shared/crypto/secrets.js';
import { messageOf, OAuthError } from '../../shared/errors.js';
import type { GetCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import { fetchBytes } from '../../shared/outbound/safe-fetch.js';

/** RFC 9101 §9.4.1 */
const MEDIA_TYPE = 'application/oauth-authz-req+jwt';
/** OpenID Connect Core §6.2 requires no media type; its clients send `application/jwt`. */
const OPENID_MEDIA_TYPES = [MEDIA_TYPE, 'application/jwt'];
/** Longer than any request object that fits into addresses. */
const MAX_BYTES = 32_768;
/** OpenID Connect Core §6.2: the fragment is the SHA-256 hash of the object. */
const HASH = /^[A-Za-z0-9_-]{43}$/;

/**
 * Fetches the request object at a URI that its client has registered. @throws LoginNeeded if nobody is logged in
 *
 * @see RFC 9101 §5.2, §10.4
 */
export function createFetchRequestObject({ settings, limitUntrustedFetch }: FeatureParts) {
  const isOpenid = Boolean(settings.openid);
  const mediaTypes = isOpenid ? OPENID_MEDIA_TYPES : [MEDIA_TYPE];
  const limits = clientFetchLimits(settings);
  return async (requestUri: string, client: Client, getCaller: GetCaller | undefined): Promise<string> => {
    const [address = '', fragment = ''] = requestUri.split('#');
    // §10.4.1, §10.4.2: no unexpected location. The URI must be registered exactly, or without its fragment (OpenID
    // Connect Core §6.2)
    const { clientId, requestUris = [] } = client;
    if (!requestUris.includes(requestUri) && !requestUris.includes(address))
      throw unusable('it is not registered for this client', `request_uri ${requestUri.slice(0, 200)}`);
    const fetch = { url: address, clientId, standing: standingOf(client), getCaller, isPerRequest: true };
    const text = await limitUntrustedFetch(fetch, async () => {
      const fetchLimits = { ...fetchLimitsFor(limits, client, address), maxBytes: MAX_BYTES };
      const response = await fetchBytes(address, fetchLimits, mediaTypes.join(', ')).catch(
        (cause: unknown) => {
          // only the log has the cause, which could reveal addresses that this server reaches
          throw unusable('it could not be fetched', messageOf(cause));
        },
      );
      const [mediaType = ''] = (response.headers['content-type'] ?? '').split(';');
      if (!mediaTypes.includes(mediaType.trim().toLowerCase()))
        throw unusable(`its content type is not ${mediaTypes.join(' or ')}`);
      return response.bytes.toString();
    });
    // OpenID Connect clients change the fragment with the object, for caches; this server caches none
    if (!isOpenid && HASH.test(fragment) && hashSecret(text) !== fragment)
      throw unusable('what is there is not what its fragment names');
    return text.trim();
  };
}

function unusable(problem: string, detail?: string): OAuthError {
  return new OAuthError('invalid_request_uri', `the request_uri cannot be used: ${problem}`, {
    reason: 'request_uri_unusable',
    detail,
  });
}
