import type { Router } from 'express';

import { detailParameters } from '../../core/authorization-details/read-details.js';
import type { ClientRequest } from '../../core/client-authentication/client-request.js';
import { type Grant, grantEventData } from '../../core/grants/grant.js';
import { DEVICE_CODE } from '../../core/grants/named-token.js';
import { createClientEndpoint } from '../../server/client-endpoint.js';
import type { Server } from '../../server/server.js';
import { createUnattendedGrantLimit } from '../../server/unattended-grant-limit.js';
import { urlOf } from '../../settings/endpoint-urls.js';
import { createGrantId, createToken } from '../../shared/crypto/secrets.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import { requireResource, scopesAt } from '../../shared/protocol/resource.js';
import { createUserCode } from './user-codes.js';

/** Seconds: the default of RFC 8628 §3.2, which clients expect. */
const INTERVAL = 5;
/** Codes per minute for each address and for each confidential client that the site has not registered. */
const MAX_A_MINUTE = 60;

/** Attempts if a generated code is already in use; of 20^8 codes, one of five in a row is free. */
const MAX_TRIES = 5;

/**
 * Issues two codes to a device without a browser: one for its polls, and one that a user types elsewhere.
 *
 * @see RFC 8628 §3.1, §3.2
 */
export function createDeviceAuthorizationEndpoint(server: Server): Router {
  const { settings, models, resolveScopes } = server;
  const { lifetimes } = settings;
  const limit = createUnattendedGrantLimit(server, 'devices', MAX_A_MINUTE);

  return createClientEndpoint(server, {
    name: 'device_authorization',
    crossOrigin: true,
    parameters: ['scope', ...detailParameters(settings)],
    repeatable: ['resource'],
    takesProof: true,
    read: () => ({ allowsCachedClient: false, respond }),
  });

  async function respond({
    client,
    parameters,
    resources,
    dpopProof,
    authorizationDetails = [],
    origin,
    now,
    emit,
  }: ClientRequest): Promise<object> {
    if (!client.grantTypes.includes(DEVICE_CODE))
      throw new OAuthError('unauthorized_client', 'the client is not registered for this grant type', {
        reason: 'grant_type_not_registered',
      });
    const allowed = resolveScopes(client, parameters.scope, authorizationDetails);
    requireResource(resources, settings, authorizationDetails.length === 0 ? allowed : []);
    const scopes = scopesAt(allowed, resources, settings.resources);
    await limit(origin, client);
    await dpopProof?.use();
    const grantId = createGrantId();
    const expiresAt = addSeconds(now, lifetimes.deviceCode);
    let userCode = createUserCode();
    for (let tries = 1; !(await models.userCodes.reserve(userCode.hash, grantId, expiresAt)); tries += 1) {
      if (tries === MAX_TRIES)
        throw new OAuthError(
          'temporarily_unavailable',
          'there are too many devices waiting, please try again',
          { detail: `${MAX_TRIES} user codes in a row are taken` },
        );
      userCode = createUserCode();
    }
    const deviceCode = createToken('deviceCode', grantId);
    const grant: Grant = {
      grantId,
      clientId: client.clientId,
      grantType: DEVICE_CODE,
      authorization: { scopes, resources, authorizationDetails },
      device: {
        hash: deviceCode.hash,
        expiresAt,
        interval: INTERVAL,
        nextPollAt: now,
        // as RFC 9449 §10 does with authorization codes: an intercepted code is useless without the key
        jkt: dpopProof?.jkt,
      },
      accessTokens: [],
      createdAt: now,
      // twice the lifetime, so that a late poll gets expired_token
      expiresAt: addSeconds(expiresAt, lifetimes.deviceCode),
    };
    await models.grants.insert(grant);
    emit('device_code.issued', grantEventData(grant));
    const page = urlOf(settings, 'device');
    return {
      device_code: deviceCode.value,
      user_code: userCode.text,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${userCode.text}`,
      expires_in: lifetimes.deviceCode,
      interval: INTERVAL,
    };
  }
}
