import { unusedDetails } from '../../core/authorization-details/single-use.js';
import type { Client } from '../../core/clients/client.js';
import { blockedDomains } from '../../core/clients/domain-trust.js';
import { kindOf } from '../../core/grants/named-token.js';
import {
  confirmArrival,
  findAccessToken,
  findInactiveReason,
  type GrantAccessToken,
  scopesOfToken,
} from '../../core/grants/stored-access-token.js';
import { authenticationClaims, isStateless, toMayAct } from '../../core/grants/tokens/access-tokens.js';
import { sendJson, sendJwt } from '../../core/http/json-error.js';
import { createFindSubject } from '../../core/openid/subjects.js';
import { toConfirmation } from '../../core/proof-of-possession/binding.js';
import { signingAlgorithmsOf } from '../../settings/options/signing-key-options.js';
import { equalText } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { isSameResource } from '../../shared/protocol/resource.js';
import { formatScope } from '../../shared/protocol/scope.js';
import { createClientEndpoint, describeAuthentication } from '../client-endpoint.js';
import type { Endpoint } from '../server.js';

/** RFC 7662 §2.2: the response for a token that is not active, without further data. */
const INACTIVE = { active: false } as const;
const JWT_MEDIA_TYPE = 'application/token-introspection+jwt';

/**
 * Describes a token to a resource server. Only clients that are registered for introspection may ask, and they must
 * authenticate: otherwise anybody could try out tokens.
 *
 * @see RFC 7662 §2, §4
 */
export const introspect: Endpoint = {
  name: 'introspect',
  create(server) {
    const { settings, accessTokens, readRefreshToken, clientSource, namedTokens } = server;
    const { grants } = server.models;
    const { issuer } = settings;
    const findSubject = createFindSubject(settings.openid, clientSource);
    const isBlockedDomain = blockedDomains(settings);

    return createClientEndpoint(server, {
      name: 'introspect',
      // only servers call this endpoint, no browsers
      crossOrigin: false,
      parameters: ['token', 'token_type_hint'],
      // RFC 9701 §4: JSON, or on request a JWT signed for the resource server, as evidence for a court or an auditor
      async send({ req, res, client, body, now }) {
        if (!settings.signingKeys.hasKeys) return sendJson(res, body);
        res.vary('Accept');
        if (req.accepts(['application/json', JWT_MEDIA_TYPE]) !== JWT_MEDIA_TYPE) return sendJson(res, body);
        // §5: no sub and no exp beside token_introspection, so that the JWT can never pass for an access token
        const jwt = await server.signingKeys.sign('token-introspection+jwt', {
          iss: issuer,
          aud: client.clientId,
          iat: Math.floor(now.getTime() / 1000),
          token_introspection: body,
        });
        sendJwt(res, JWT_MEDIA_TYPE, jwt);
      },
      read(parameters) {
        const token = requireParameter(parameters, 'token');
        return {
          allowsCachedClient: true,
          async respond({ client, origin, now }) {
            // §2.1: some form of authorization, to prevent scanning for tokens
            if (client.introspection !== true)
              throw new OAuthError('unauthorized_client', 'the client is not registered for introspection', {
                reason: 'introspection_not_registered',
                status: 403,
              });
            const accessToken = await accessTokens.read(token, now);
            // a token that is not stored: its claims, unless its client is blocked or gone
            if (isStateless(accessToken)) {
              const { scope, authorization_details, client_id, exp, aud, cnf } = accessToken.claims;
              if (!isFor(client, aud) || isBlockedDomain(client_id)) return INACTIVE;
              const holder = await clientSource.find(client_id, { fresh: false, staleIfError: true });
              if (holder === null || holder.blocked !== undefined) return INACTIVE;
              const isBoundToKey = (cnf as { readonly jkt?: unknown } | undefined)?.jkt !== undefined;
              const token_type = isBoundToKey ? 'DPoP' : 'Bearer';
              const members = { scope, authorization_details, client_id, exp, aud, cnf, token_type };
              return { active: true, ...members, iss: issuer };
            }

            // a stored token with its grant, if active
            const presented = accessToken ?? (await readRefreshToken(token));
            const grant = presented && (await grants.find(presented.grantId));
            if (presented === null || !grant) return INACTIVE;
            const { authorization, refreshToken, namedToken } = grant;
            const isRefreshToken = refreshToken !== undefined && equalText(refreshToken.hash, presented.hash);
            const asRefreshToken: GrantAccessToken | undefined = isRefreshToken
              ? { stored: refreshToken, clientId: grant.clientId, actor: authorization.actor }
              : undefined;
            const tokenData = accessToken ? findAccessToken(grant, presented.hash) : asRefreshToken;
            if (tokenData === undefined || findInactiveReason(grant, tokenData, { isBlockedDomain, now }))
              return INACTIVE;
            const { stored, clientId, actor } = tokenData;

            // §2.2: the audience; a refresh token is for no resource server
            const aud = accessToken ? (stored.resource ?? issuer) : undefined;
            if (!isFor(client, aud)) return INACTIVE;
            // each introspection is a use of a program's token, at the server that asks
            let scopes = scopesOfToken(stored, authorization, settings.impliedScopes);
            try {
              if (namedToken !== undefined) scopes = await namedTokens.use(grant, { origin, now, scopes });
            } catch (error) {
              if (error instanceof OAuthError && error.error === 'invalid_token') return INACTIVE;
              throw error;
            }
            if (accessToken) await confirmArrival(grants, grant, stored.hash);

            const { userId, authorizationDetails: granted = [] } = authorization;
            const details = unusedDetails(stored.authorizationDetails ?? granted, grant, settings);
            const kind = kindOf(grant);
            // a token of a user's own program has no client with another name for the user
            const sub = userId === undefined || namedToken ? userId : await findSubject(clientId, userId);
            return {
              active: true,
              scope: scopes.length > 0 ? formatScope(scopes) : undefined,
              // RFC 9396 §9.2
              authorization_details: details.length > 0 ? details : undefined,
              authorization_choices: authorization.choices,
              client_id: clientId,
              // RFC 8693 §4.1, §4.4
              act: actor,
              may_act: toMayAct(authorization.mayAct),
              exp: Math.floor(stored.expiresAt.getTime() / 1000),
              // §2.2: as in a JWT, the `sub` by which the token's client knows the user
              sub,
              // members that a refresh token does not have; without `token_kind` the token is an app's
              ...(accessToken && {
                token_kind: kind === 'app' ? undefined : kind,
                token_name: namedToken?.name,
                ...authenticationClaims(authorization.authentication),
                // RFC 9449 §6.2, RFC 8705 §3.2
                token_type: stored.jkt === undefined ? 'Bearer' : 'DPoP',
                aud,
              }),
              ...toConfirmation(stored),
              iss: issuer,
            };
          },
        };
      },
    });
  },
  metadata: (server, url) => ({
    introspection_endpoint: url,
    ...describeAuthentication(server, 'introspection', (name) => name !== 'none'),
    // RFC 9701 §7
    introspection_signing_alg_values_supported: server.settings.signingKeys.hasKeys
      ? signingAlgorithmsOf(server.settings)
      : undefined,
  }),
};

/** RFC 7662 §4: whether the token is for the resource server that asks. */
function isFor({ resources }: Client, audience: string | undefined): boolean {
  return (
    resources === undefined ||
    (audience !== undefined && resources.some((resource) => isSameResource(resource, audience)))
  );
}
