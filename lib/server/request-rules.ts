import type { RequestRules } from '../authorization/authorization-request.js';
import { isHeldToFapi, isHeldToSigning } from '../clients/client-profile.js';
import type { Server } from './server.js';

/** What authorization requests are checked by, at the endpoint and wherever else one is looked at. */
export function requestRulesOf({
  settings,
  responseTypes,
  responseModes,
  requestSources,
  clientSource,
  authorizationParameters,
  resolveScopes,
}: Server): RequestRules {
  return {
    sources: requestSources,
    findClient: (id) => clientSource.find(id),
    responseTypes,
    responseModes,
    pkce: settings.pkce,
    profile: settings.profile,
    isPushingRequired: (client) =>
      settings.pushedRequests !== false &&
      (settings.pushedRequests.required ||
        client.requirePushedAuthorizationRequests === true ||
        // FAPI 2.0 Security Profile §5.3.2.2-3
        isHeldToFapi(settings, client)),
    isSigningRequired: (client) =>
      settings.signedRequests !== false &&
      (settings.signedRequests.required ||
        client.requireSignedRequestObject === true ||
        // FAPI 2.0 Message Signing §5.3.1-1
        isHeldToSigning(settings, client)),
    supportedParameters: authorizationParameters,
    resources: settings.resources,
    requireResource: settings.requireResource,
    authorizationDetails: settings.authorizationDetails,
    openid: settings.openid,
    resolveScopes,
  };
}
