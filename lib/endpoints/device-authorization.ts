import type { Request, Router } from 'express';

import type { Client } from '../clients/client.js';
import { after } from '../crypto/add-seconds.js';
import { createGrantId, createToken } from '../crypto/secrets.js';
import { createUserCode, type UserCode } from '../crypto/user-codes.js';
import { OAuthError } from '../errors.js';
import { DEVICE_CODE } from '../grant-types/device-code.js';
import type { GrantTypeDependencies } from '../grant-types/grant-type.js';
import { createFailureLimit, failureKey } from '../limits/failure-limit.js';
import type { Stores } from '../models/stores.js';
import { parseResources, scopesAt } from '../protocol/resource.js';
import { type ClientEndpointDependencies, createClientEndpoint } from '../server/client-endpoint.js';

export interface DeviceAuthorizationDependencies
  extends ClientEndpointDependencies, Pick<GrantTypeDependencies, 'models' | 'resolveScopes'> {}

/** Seconds, the default that clients know (RFC 8628 §3.2). */
const INTERVAL = 5;
/** Codes that others have at the moment; of 20^8 one in a row of five is not taken. */
const MAX_TRIES = 5;

/**
 * A device that has no browser asks for two codes: one that it keeps, and one that a person types elsewhere.
 *
 * @see RFC 8628 §3.1, §3.2
 */
export function createDeviceAuthorizationEndpoint(dependencies: DeviceAuthorizationDependencies): Router {
  const { settings, models, resolveScopes } = dependencies;
  const { issuer, basePath, deviceCodeTtl } = settings;
  const limit = limitedRequests(dependencies);

  return createClientEndpoint(dependencies, {
    name: 'device_authorization',
    crossOrigin: true,
    parameters: ['scope'],
    async respond({ req, client, parameters, emit }) {
      if (!client.grantTypes.includes(DEVICE_CODE))
        throw new OAuthError('unauthorized_client', 'the client is not registered for this grant type');
      const resources = parseResources(req.body, settings.resources);
      const scopes = scopesAt(resolveScopes(client, parameters.scope), resources, settings.resources);
      await limit(req, client);
      const grantId = createGrantId();
      const now = new Date();
      const expiresAt = after(now, deviceCodeTtl);
      const userCode = await reserveUserCode(models, grantId, expiresAt);
      const deviceCode = createToken('deviceCode', grantId);
      await models.grants.insert({
        _id: grantId,
        clientId: client.clientId,
        scopes,
        ...(resources.length > 0 && { resources }),
        grantType: DEVICE_CODE,
        device: { hash: deviceCode.hash, expiresAt, interval: INTERVAL, nextPollAt: now },
        accessTokens: [],
        createdAt: now,
        // kept as long again, so that a device that asks late hears expired_token
        expiresAt: after(expiresAt, deviceCodeTtl),
      });
      emit('device_code.issued', { clientId: client.clientId, grantId, scopes });
      const page = `${issuer}${basePath}/device`;
      return {
        device_code: deviceCode.value,
        user_code: userCode.text,
        verification_uri: page,
        verification_uri_complete: `${page}?user_code=${userCode.text}`,
        expires_in: deviceCodeTtl,
        interval: INTERVAL,
      };
    },
  });
}

async function reserveUserCode({ userCodes }: Stores, grantId: string, expiresAt: Date): Promise<UserCode> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const userCode = createUserCode();
    if (await userCodes.reserve(userCode.hash, grantId, expiresAt)) return userCode;
  }
  throw new OAuthError('temporarily_unavailable', 'there are too many devices waiting, please try again', {
    detail: `${MAX_TRIES} user codes in a row are taken`,
  });
}

/** Each request stores something, and anybody can send one in the name of a public client. */
function limitedRequests({
  settings: { rateLimits },
}: DeviceAuthorizationDependencies): (req: Request, client: Client) => Promise<void> {
  const limit = createFailureLimit(
    rateLimits && { failures: rateLimits.deviceAuthorization, window: 60, counted: 'devices' },
  );
  return async (req, { type }) => {
    if (type !== 'public') return;
    const key = failureKey(req, '');
    await limit.check(key);
    await limit.count(key);
  };
}
