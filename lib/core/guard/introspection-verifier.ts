import { randomUUID } from 'node:crypto';

import type { JWK } from 'jose';

import { loadJose } from '../../shared/crypto/jose.js';
import { clockDetail } from '../../shared/date.js';
import { sendRequest } from '../../shared/outbound/send-request.js';
import { type Discover, isSameOrigin, type RemoteServer } from './discovery.js';
import { spellingsOf } from './jwt-verifier.js';
import { accessTokenFromClaims } from './token-claims.js';
import { invalidToken, unavailable, type VerifyUncached } from './verify-access-token.js';

/** Seconds for which an assertion is valid: it is sent at once. */
const ASSERTION_TTL = 60;

/** Verifies opaque tokens by introspection at the authorization server. @see RFC 7662 §2, §4 */
export function createIntrospectionVerifier(server: RemoteServer, discover: Discover): VerifyUncached {
  const { issuer, resource, clockTolerance, timeout, clientId, clientSecret = '', clientKey } = server;
  const spellings = spellingsOf(resource);

  // by a secret (RFC 6749 §2.3.1), or by a key (RFC 7523 §2.2)
  const createCredentials = async () => {
    if (clientKey === undefined) {
      const credentials = `${encodeURIComponent(clientId ?? '')}:${encodeURIComponent(clientSecret)}`;
      return { headers: { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } };
    }
    const { importJWK, SignJWT } = await loadJose();
    // the algorithm of the key, or the default for its type; for RSA the one that FAPI 2.0 allows
    const { kty, crv = '', kid } = clientKey;
    const ofCurve = { 'P-384': 'ES384', 'P-521': 'ES512' }[crv] ?? 'ES256';
    const alg = clientKey.alg ?? (kty === 'OKP' ? 'EdDSA' : kty === 'RSA' ? 'PS256' : ofCurve);
    const iat = Math.floor(Date.now() / 1000);
    // FAPI 2.0 Security Profile §5.3.2.1-8: the audience is the issuer, as text, and no endpoint
    const claims = {
      iss: clientId,
      sub: clientId,
      aud: issuer,
      jti: randomUUID(),
      iat,
      exp: iat + ASSERTION_TTL,
    };
    const assertion = await new SignJWT(claims)
      .setProtectedHeader({ alg, kid })
      .sign(await importJWK(clientKey as JWK, alg));
    return {
      fields: {
        client_id: clientId ?? '',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      },
    };
  };

  return async (token, now) => {
    if (clientId === undefined)
      throw invalidToken(
        'an opaque token, and bearerGuard has no clientId and clientSecret (or clientKey) to ask about it with',
      );
    // RFC 8414 §2 lets the endpoint be anywhere. The credentials and users' tokens go only to the issuer's origin,
    // which the options name: a change of the metadata document, or of a cached copy, must not send them elsewhere
    const { introspectionEndpoint = (await discover()).introspectionEndpoint } = server;
    if (introspectionEndpoint === undefined)
      throw unavailable('the authorization server has no introspection_endpoint');
    if (server.introspectionEndpoint === undefined && !isSameOrigin(introspectionEndpoint, issuer))
      throw unavailable(
        `the introspection_endpoint ${introspectionEndpoint} is at another origin than the issuer; if it is the right one, name it: the option introspectionEndpoint`,
      );
    let response: Readonly<Record<string, unknown>>;
    try {
      const { headers, fields } = await createCredentials();
      const request = {
        method: 'POST',
        headers: { ...headers, Accept: 'application/json' },
        body: new URLSearchParams({ token, token_type_hint: 'access_token', ...fields }),
      };
      const answer = await sendRequest(introspectionEndpoint, request, timeout);
      if (!answer.ok) throw new Error(`${introspectionEndpoint} answered ${answer.status}`);
      response = (await answer.json()) as Readonly<Record<string, unknown>>;
    } catch (cause) {
      throw unavailable('introspection failed', cause);
    }

    const { client_id: holder, token_type: type, iss, aud, sub, scope, exp, may_act: mayAct } = response;
    if (response.active !== true) throw invalidToken('not active');
    // a refresh token can be active, too, but is no access token. RFC 9449 §6.2: a bound token names its key
    const typeName = typeof type === 'string' ? type.toLowerCase() : '';
    if (typeName !== 'bearer' && (typeName !== 'dpop' || response.cnf === undefined))
      throw invalidToken('not an access token');
    if (iss !== undefined && iss !== issuer) throw invalidToken('of another issuer');
    // RFC 7662 §4: a token without an audience may be for another resource
    if (![aud].flat().some((audience) => typeof audience === 'string' && spellings.includes(audience)))
      throw invalidToken(`not for ${resource}`);
    if (typeof holder !== 'string' || typeof exp !== 'number') throw invalidToken('without client_id or exp');
    // the other server's clock may differ, as with the exp of a JWT
    if (exp <= now.getTime() / 1000 - clockTolerance)
      throw invalidToken(`expired: ${clockDetail('exp', exp, { now, clockTolerance })}`);
    const claims = {
      ...response,
      exp,
      sub: typeof sub === 'string' ? sub : undefined,
      scope: typeof scope === 'string' ? scope : undefined,
    };
    const auth = accessTokenFromClaims(token, claims, resource);
    // in `extra`, as for a JWT
    if (mayAct !== undefined) auth.extra = { may_act: mayAct };
    return { auth };
  };
}
