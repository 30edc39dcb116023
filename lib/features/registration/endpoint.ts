import { type ErrorRequestHandler, type Request, Router } from 'express';

import type { RegistrationRules } from '../../core/clients/wire-metadata.js';
import { readBearerToken } from '../../core/guard/schemes.js';
import { jsonBody, requireJsonObject } from '../../core/http/body.js';
import { crossOrigin } from '../../core/http/cross-origin.js';
import { handle, handlePage, refuseOtherMethods, shedLoad } from '../../core/http/handle.js';
import { jsonError, sendJson } from '../../core/http/json-error.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import { emitRateLimited } from '../../core/observability/events.js';
import type { Server } from '../../server/server.js';
import { urlOf } from '../../settings/endpoint-urls.js';
import { redirectUriRulesOf } from '../../settings/options/redirect-uri-options.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { parseToken, type PresentedToken } from '../../shared/crypto/secrets.js';
import { OAuthError, toOAuthError } from '../../shared/errors.js';
import {
  countingFailures,
  createFailureLimit,
  failureKey,
  wideNetworkKey,
} from '../../shared/limits/failure-limit.js';
import type { GetCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import { formatRegistration } from './format-registration.js';
import { createRegistration, type RegisteredClient } from './registration.js';

/**
 * A /24 of IPv4 or a /48 of IPv6 may register five times as often as one address: too seldom to fill more than half of
 * the quota for unused clients.
 */
const WIDE = 5;

/** Consumes one use of the initial access token. */
type Use = () => Promise<void>;

/**
 * Clients register at the root of this router, and read, change and delete their registration below it.
 *
 * @see RFC 7591 §3, RFC 7592 §2
 */
export function createRegistrationEndpoint(server: Server): Router {
  const { settings, models, responseTypes, clientAuthenticationMethods, clients, report, events } = server;
  const { open, grantTypes, scopes, allScopes } = requireEnabled(settings.registration, 'registration');
  const rules: RegistrationRules = {
    // the limits of clients that code registers, with these changes
    ...clients.limits,
    // a client may list types of details of other servers
    authorizationDetailsTypes: undefined,
    fields: clients.fields,
    responseTypes: [...responseTypes.values()],
    tokenEndpointAuthMethods: clientAuthenticationMethods.map(({ name }) => name),
    grantTypes,
    scopes,
    redirectUriRules: redirectUriRulesOf(settings).stranger,
    allScopes,
    knownScopes: Object.keys(settings.scopes),
    defaultScopes: scopes.filter((scope) => settings.defaultScopes?.includes(scope) ?? true),
  };
  const registration = createRegistration(server, rules);
  const url = urlOf(settings, 'register');

  // RFC 7591 §3.2.1, RFC 7592 §3: the client information response
  const formatAnswer = ({ client, clientSecret, registrationAccessToken }: RegisteredClient): object => ({
    client_id: client.clientId,
    client_id_issued_at: Math.floor(client.createdAt.getTime() / 1000),
    // the store has only a hash, so only this response has the secret
    client_secret: clientSecret,
    client_secret_expires_at: clientSecret === undefined ? undefined : 0,
    registration_access_token: registrationAccessToken,
    registration_client_uri: `${url}/${encodeURIComponent(client.clientId)}`,
    ...formatRegistration(client, rules),
  });
  const { rateLimits } = settings.security;
  // for requests with a registration access token: wrong tokens are counted per address
  const limit = createFailureLimit(rateLimits && { failures: rateLimits.token, window: 60 });
  const withToken = <T>(req: Request, work: (clientId: string, token: string) => Promise<T>) =>
    countingFailures({ limit, key: failureKey(req, ''), code: 'invalid_token' }, async () =>
      work(String(req.params.clientId), bearerTokenOf(req)),
    );

  // each request to register counts, valid or not: the limit is on the work, and on new clients. Initial access tokens
  // are counted one by one, so that nobody without one can lock out their holders
  const limitOf = (by: string, times: number) =>
    createFailureLimit(
      rateLimits && {
        failures: times * rateLimits.registration,
        window: 60,
        counted: 'requests',
        shared: { name: `registration ${by}`, store: models.failures },
      },
    );
  const [ofAddress, ofNetwork, ofToken] = [
    limitOf('address', 1),
    limitOf('network', WIDE),
    limitOf('token', 1),
  ];
  const countAnonymous = async (req: Request): Promise<void> => {
    await ofAddress.consume(failureKey(req, ''));
    await ofNetwork.consume(wideNetworkKey(req));
  };
  const invalidInitialAccessToken = () =>
    new OAuthError('invalid_token', 'the initial access token is invalid, expired or used up', {
      reason: 'initial_access_token_invalid',
    });
  /** RFC 7591 §3: registration is open, or the request needs an initial access token with a use left. */
  const admit = async (req: Request, now: Date): Promise<Use> => {
    if (open) {
      await countAnonymous(req);
      return () => Promise.resolve();
    }
    let token: PresentedToken | null;
    try {
      token = parseToken('initialAccessToken', bearerTokenOf(req));
      if (token === null || !(await models.initialAccessTokens.isUsable(token, now)))
        throw invalidInitialAccessToken();
    } catch (refusal) {
      if (refusal instanceof OAuthError && refusal.status < 500) await countAnonymous(req);
      throw refusal;
    }
    const presented = token;
    await ofToken.consume(presented.hash);
    return async () => {
      if (!(await models.initialAccessTokens.use(presented, now))) throw invalidInitialAccessToken();
    };
  };

  const router = Router();
  router.use(secureTransport(settings));
  // RFC 7591 §3: MAY be called from a browser, by applications that run there
  router.use('/', crossOrigin('POST', 'GET', 'PUT', 'DELETE'), shedLoad(models.checkLoad));
  router.post(
    '/',
    handle(async (req, res, next) => {
      const now = new Date();
      Object.assign(res.locals, { now, useInitialAccessToken: await admit(req, now) });
      next();
    }),
    ...jsonBody(),
    handle(async (req, res) => {
      const registered = await registration.register(
        requireJsonObject(req),
        res.locals.useInitialAccessToken as Use,
        { now: res.locals.now as Date, getCaller: callerByAddress(req) },
      );
      await events.emit('client.created', { clientId: registered.client.clientId }, req);
      res.status(201);
      sendJson(res, formatAnswer(registered));
    }),
  );
  router.all('/', refuseOtherMethods('POST'));

  router.get(
    '/:clientId',
    handle(async (req, res) =>
      sendJson(res, formatAnswer(await withToken(req, (id, token) => registration.read(id, token)))),
    ),
  );
  router.put(
    '/:clientId',
    ...jsonBody(),
    handlePage(async (req, res, now) => {
      const request = requireJsonObject(req);
      const act = { now, getCaller: callerByAddress(req) };
      const replaced = await withToken(req, (id, token) => registration.replace(id, token, request, act));
      await events.emit('client.updated', { clientId: replaced.client.clientId }, req);
      sendJson(res, formatAnswer(replaced));
    }),
  );
  router.delete(
    '/:clientId',
    handlePage(async (req, res, now) => {
      await withToken(req, (id, token) => registration.remove(id, token, now));
      await events.emit('client.deleted', { clientId: String(req.params.clientId) }, req);
      // RFC 7592 §2.3
      res.status(204).set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' }).end();
    }),
  );
  router.all('/:clientId', refuseOtherMethods('GET', 'PUT', 'DELETE'));
  router.use(function challenge(thrown, _req, res, next) {
    const { error, description } = toOAuthError(thrown);
    // RFC 6750 §3
    if (error === 'invalid_token')
      res.set(
        'WWW-Authenticate',
        `Bearer realm="${new URL(settings.issuer).host}", error="${error}", error_description="${description}"`,
      );
    next(thrown);
  } satisfies ErrorRequestHandler);
  router.use(emitRateLimited('register', events), jsonError('register', report));
  return router;
}

function bearerTokenOf(req: Request): string {
  const token = readBearerToken(req, ['header']);
  if (token !== undefined) return token;
  throw new OAuthError('invalid_token', 'a token of the registration is needed in the Authorization header', {
    reason: 'access_token_missing',
    detail: 'no bearer token',
  });
}

/** The caller that limits are counted for: the address, since there is no user. */
function callerByAddress(req: Request): GetCaller {
  return () => ({ ip: req.ip ?? '' });
}
