import { clockDetail } from '../../shared/date.js';
import { sendRequest } from '../../shared/outbound/send-request.js';
import { isSameOrigin, type IssuerMetadata } from './discovery.js';
import { createIntrospectionCredentials, type IntrospectingClient } from './introspection-credentials.js';
import { spellingsOf } from './jwt-verifier.js';
import { parseTokenClaims } from './token-claims.js';
import { invalidToken, unavailable, type VerifyUncached } from './verify-access-token.js';

export interface IntrospectionVerifierOptions {
  readonly issuer: string;
  readonly resource: string;
  readonly discover: () => Promise<IssuerMetadata>;
  readonly client: IntrospectingClient;
  /** As an option names it; undefined: the one in the metadata, at the issuer's origin. */
  readonly introspectionEndpoint: string | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  /** Seconds. */
  readonly clockTolerance: number;
}

/**
 * Verifies opaque tokens by introspection at the authorization server.
 *
 * @see RFC 7662 §2, §4
 */
export function createIntrospectionVerifier(options: IntrospectionVerifierOptions): VerifyUncached {
  const { issuer, resource, clockTolerance, timeout } = options;
  const createCredentials = createIntrospectionCredentials(options.client, issuer);
  const spellings = spellingsOf(resource);

  return async (token, now) => {
    const introspectionEndpoint = options.introspectionEndpoint ?? (await findEndpoint(options));
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

    const { client_id: clientId, token_type: type, iss, aud, sub, scope, exp, may_act: mayAct } = response;
    if (response.active !== true) throw invalidToken('not active');
    // a refresh token can be active, too, but is no access token. RFC 9449 §6.2: a token that is bound says to which key
    const typeName = typeof type === 'string' ? type.toLowerCase() : '';
    if (typeName !== 'bearer' && (typeName !== 'dpop' || response.cnf === undefined))
      throw invalidToken('not an access token');
    if (iss !== undefined && iss !== issuer) throw invalidToken('of another issuer');
    // RFC 7662 §4: a token without an audience may be for another resource
    if (![aud].flat().some((audience) => typeof audience === 'string' && spellings.includes(audience)))
      throw invalidToken(`not for ${resource}`);
    if (typeof clientId !== 'string' || typeof exp !== 'number')
      throw invalidToken('without client_id or exp');
    // the clock of the server that answers is not ours, as with the exp of a JWT
    if (exp <= now.getTime() / 1000 - clockTolerance)
      throw invalidToken(`expired: ${clockDetail('exp', exp, { now, clockTolerance })}`);
    return {
      auth: {
        token,
        clientId,
        scopes: typeof scope === 'string' ? scope.split(' ') : [],
        expiresAt: exp,
        resource: new URL(resource),
        ...(typeof sub === 'string' && sub !== clientId && { userId: sub }),
        ...parseTokenClaims(response),
        // in `extra`, as it is for a JWT
        ...(mayAct !== undefined && { extra: { may_act: mayAct } }),
      },
    };
  };
}

/**
 * RFC 8414 §2 lets the endpoint be anywhere. Our credentials and users' tokens go only to the issuer's own origin,
 * which the site has named. Somebody who can change one document there, or a cached copy of it, must not have them sent
 * elsewhere.
 */
async function findEndpoint({ discover, issuer }: IntrospectionVerifierOptions): Promise<string> {
  const { introspectionEndpoint } = await discover();
  if (introspectionEndpoint === undefined)
    throw unavailable('the authorization server has no introspection_endpoint');
  if (!isSameOrigin(introspectionEndpoint, issuer))
    throw unavailable(
      `the introspection_endpoint ${introspectionEndpoint} is at another origin than the issuer; if it is the right one, name it: the option introspectionEndpoint`,
    );
  return introspectionEndpoint;
}
