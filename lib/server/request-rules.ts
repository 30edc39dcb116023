import type { RequestRules } from '../authorization/authorization-request.js';
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
    isPushingRequired: (client) =>
      settings.pushedRequests !== false &&
      (settings.pushedRequests.required || client.requirePushedAuthorizationRequests === true),
    isSigningRequired: (client) =>
      settings.signedRequests !== false &&
      (settings.signedRequests.required || client.requireSignedRequestObject === true),
    supportedParameters: authorizationParameters,
    resources: settings.resources,
    requireResource: settings.requireResource,
    authorizationDetails: settings.authorizationDetails,
    resolveScopes,
  };
}
