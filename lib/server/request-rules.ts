import type { RequestRules } from '../core/authorization/authorization-request.js';
import { requiresFapi, requiresMessageSigning } from '../core/clients/fapi-profile.js';
import { createIdTokenHints } from '../core/openid/id-token-hints.js';
import type { Server } from './server.js';

/** The rules by which authorization requests are checked, at the endpoint and wherever else one is read. */
export function requestRulesOf({
  settings,
  responseTypes,
  responseModes,
  requestSources,
  clientSource,
  authorizationParameters,
  prompts,
  isPushingRequired,
  isSigningRequired,
  resolveScopes,
  signingKeys,
}: Server): RequestRules {
  return {
    sources: requestSources,
    findClient: (id, getCaller) => clientSource.find(id, { getCaller }),
    responseTypes,
    responseModes,
    pkce: settings.pkce,
    profile: settings.profile,
    // FAPI 2.0 Security Profile §5.3.2.2-3: at a site that no longer takes pushed requests, such a client gets nothing
    isPushingRequired: (client) => requiresFapi(settings, client) || isPushingRequired(client),
    // FAPI 2.0 Message Signing §5.3.1-1, in the same way
    isSigningRequired: (client) => requiresMessageSigning(settings, client) || isSigningRequired(client),
    supportedParameters: authorizationParameters,
    resources: settings.resources,
    requireResource: settings.requireResource,
    authorizationDetails: settings.authorizationDetails,
    openid: settings.openid,
    stepUp: settings.stepUp,
    scopes: settings.scopes,
    readIdTokenHint: createIdTokenHints({ issuer: settings.issuer, signingKeys }),
    prompts,
    resolveScopes,
  };
}
