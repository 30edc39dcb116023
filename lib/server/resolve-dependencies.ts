import type { ResolveDependencies } from '../core/authorization/authorization-request.js';
import { requiresFapi, requiresMessageSigning } from '../core/clients/fapi-profile.js';
import { createIdTokenHints } from '../core/openid/id-token-hints.js';
import type { Server } from './server.js';

/** What authorization requests are read and checked with, at the endpoint and wherever else one is read. */
export function resolveDependenciesOf(server: Server): ResolveDependencies {
  const { settings, clientSource, isPushingRequired, isSigningRequired, signingKeys } = server;
  const { responseTypes, responseModes, prompts, resolveScopes } = server;
  const { profile, resources, security, authorizationDetails, openid, stepUp, scopes } = settings;
  return {
    ...{ responseTypes, responseModes, prompts, resolveScopes },
    ...{ profile, resources, security, authorizationDetails, openid, stepUp, scopes },
    sources: server.requestSources,
    findClient: (id, getCaller) => clientSource.find(id, { getCaller }),
    // FAPI 2.0 Security Profile §5.3.2.2-3: at a site that no longer takes pushed requests, such a client gets nothing
    isPushingRequired: (client) => requiresFapi(settings, client) || isPushingRequired(client),
    // FAPI 2.0 Message Signing §5.3.1-1, in the same way
    isSigningRequired: (client) => requiresMessageSigning(settings, client) || isSigningRequired(client),
    supportedParameters: server.authorizationParameters,
    readIdTokenHint: createIdTokenHints({ issuer: settings.issuer, signingKeys }),
  };
}
