import type { Router } from 'express';

import { parseAuthorizationParameters } from '../../core/authorization/authorization-request.js';
import { checkRequestParameters, refuseUnsupported } from '../../core/authorization/request-parameters.js';
import { findSource, type UncheckedRequest } from '../../core/authorization/request-source.js';
import { checkRequestTarget } from '../../core/authorization/resolve-request.js';
import { sendJson } from '../../core/http/json-error.js';
import { invalidProof } from '../../core/proof-of-possession/binding.js';
import { createClientEndpoint } from '../../server/client-endpoint.js';
import type { Endpoint, Server } from '../../server/server.js';
import { createUnattendedGrantLimit } from '../../server/unattended-grant-limit.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { createSecret, hashSecret } from '../../shared/crypto/secrets.js';
import { addSeconds } from '../../shared/date.js';
import { invalidRequest, type OAuthError } from '../../shared/errors.js';
import { formatForm, parseParameter, requireParameter } from '../../shared/protocol/parameters.js';
import { PUSHED_REQUEST_URI } from './pushed.js';

/** Pushed requests per minute, counted as device codes are. (RFC 9126 §2.3) */
const MAX_A_MINUTE = 300;
/** Seconds for the login and the decision after the user has opened a request. */
const TIME_TO_DECIDE = 3600;
/** Maximum length of a stored request. */
const MAX_LENGTH = 32_768;
/** The client's credentials; they are not stored. */
const PROOFS: readonly string[] = ['client_secret', 'client_assertion', 'client_assertion_type'];

/**
 * A client sends its authorization request directly, and sends the user here with the `request_uri` from the response.
 * No browser or network on the way can read or change the request.
 *
 * @see RFC 9126 §2
 */
function createParEndpoint(server: Server): Router {
  const { settings, models } = server;
  const { ttl } = requireEnabled(settings.pushedRequests, 'pushedRequests');
  const limit = createUnattendedGrantLimit(server, 'pushed requests', MAX_A_MINUTE);

  return createClientEndpoint(server, {
    name: 'par',
    crossOrigin: true,
    takesProof: true,
    parameters: ['client_id', 'request', 'request_uri'],
    read(parameters, form) {
      // RFC 9126 §2.1: MUST NOT be provided
      if (parameters.request_uri !== undefined)
        throw invalidRequest('a pushed request has no request_uri: it is given one', 'parameter_unsupported');
      // RFC 9126 §2.1: `client_id` is a parameter of the request, needed even beside an Authorization header. §3:
      // beside a request object only the client's credentials are allowed
      if (parameters.request === undefined) requireParameter(parameters, 'client_id');
      const request = Object.fromEntries(Object.entries(form).filter(([name]) => !PROOFS.includes(name)));
      if (formatForm(request).length > MAX_LENGTH) throw tooLong();
      return {
        allowsCachedClient: false,
        respond: async ({ client, dpopProof, origin, now, emit }) => {
          // RFC 9126 §3: a pushed request object replaces the parameters
          const signed = await findSource(server.requestSources, request).readPushed?.(request, client, now);
          if (signed !== undefined && formatForm(signed.parameters).length > MAX_LENGTH) throw tooLong();
          // checked only without a request object, whose own parameters would fail here, such as client_id
          if (signed === undefined)
            refuseUnsupported(parseAuthorizationParameters(request), server.authorizationParameters);
          let unchecked: UncheckedRequest = signed ?? {
            parameters: request,
            isPushed: true,
            toQuery: () => ({}),
          };

          // RFC 9449 §10.1: the code is bound to the key of the proof
          if (dpopProof !== undefined) {
            const requested = parseParameter(unchecked.parameters, 'dpop_jkt');
            if (requested !== undefined && requested !== dpopProof.jkt)
              throw invalidProof('it is made by another key than the one that dpop_jkt names');
            unchecked = { ...unchecked, parameters: { ...unchecked.parameters, dpop_jkt: dpopProof.jkt } };
          }

          // RFC 9126 §2.1: MUST validate the request like one at the authorization endpoint
          const parsed = parseAuthorizationParameters(unchecked.parameters);
          const dependencies = { ...server, clientSource: { find: () => Promise.resolve(client) } };
          const target = await checkRequestTarget(unchecked, parsed, dependencies);
          await checkRequestParameters(target, parsed, dependencies);
          await limit(origin, client);
          await dpopProof?.use();

          // RFC 9126 §2.2
          const { clientId } = client;
          const reference = createSecret();
          await models.pushedRequests.insert({
            _id: hashSecret(reference),
            clientId,
            parameters: formatForm(unchecked.parameters),
            isSigned: unchecked.isSigned,
            promptKey: createSecret(),
            expiresAt: addSeconds(now, ttl),
            keptUntil: addSeconds(now, ttl + TIME_TO_DECIDE),
          });
          emit('request.pushed', { clientId });
          return { request_uri: `${PUSHED_REQUEST_URI}${reference}`, expires_in: ttl };
        },
      };
    },
    // RFC 9126 §2.2: 201
    send: ({ res, body }) => Promise.resolve(sendJson(res.status(201), body)),
  });
}

function tooLong(): OAuthError {
  return invalidRequest('the pushed request is too long', 'request_too_large', { status: 413 });
}

export const par: Endpoint = {
  name: 'par',
  create: createParEndpoint,
  // RFC 9126 §5
  metadata: (_server, url) => ({ pushed_authorization_request_endpoint: url }),
};
