import type { ResolveDependencies } from '../core/authorization/authorization-request.js';
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
    isPushingRequired,
    isSigningRequired,
    supportedParameters: server.authorizationParameters,
    readIdTokenHint: createIdTokenHints({ issuer: settings.issuer, signingKeys }),
  };
}
