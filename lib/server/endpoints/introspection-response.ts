import { sendJson, sendJwt } from '../../core/http/json-error.js';
import type { SigningKeys } from '../../core/keys/signing-keys.js';
import type { ClientEndpoint } from '../client-endpoint.js';

const JWT_MEDIA_TYPE = 'application/token-introspection+jwt';

/**
 * Answers JSON, or a JWT signed for the resource server if it asks for one, to show to a court or an auditor.
 *
 * @see RFC 9701 §4, §5
 */
export function createSendIntrospection(
  issuer: string,
  signingKeys: SigningKeys,
): NonNullable<ClientEndpoint['send']> {
  return async ({ req, res, client, body, now }) => {
    res.vary('Accept');
    if (req.accepts(['application/json', JWT_MEDIA_TYPE]) !== JWT_MEDIA_TYPE) return sendJson(res, body);
    // RFC 9701 §5: no sub and no exp beside token_introspection, so that it can never be taken for an access token
    const jwt = await signingKeys.sign('token-introspection+jwt', {
      iss: issuer,
      aud: client.clientId,
      iat: Math.floor(now.getTime() / 1000),
      token_introspection: body,
    });
    sendJwt(res, JWT_MEDIA_TYPE, jwt);
  };
}
