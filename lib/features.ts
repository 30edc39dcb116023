import { createCodeResponse } from './core/authorization/response-types/code.js';
import { clientSecretBasic } from './core/client-authentication/client-secret-basic.js';
import { clientSecretJwt } from './core/client-authentication/client-secret-jwt.js';
import { clientSecretPost } from './core/client-authentication/client-secret-post.js';
import { none } from './core/client-authentication/none.js';
import { privateKeyJwt } from './core/client-authentication/private-key-jwt.js';
import type { ClientField } from './core/clients/client-field.js';
import { CLIENT_FIELDS } from './core/clients/client-fields.js';
import { authorizationCode } from './core/grant-types/authorization-code.js';
import { clientCredentials } from './core/grant-types/client-credentials.js';
import type { GrantType } from './core/grant-types/grant-type.js';
import { password } from './core/grant-types/password.js';
import { refreshToken } from './core/grant-types/refresh-token.js';
import { agents } from './features/agents/index.js';
import { assertions } from './features/assertions/index.js';
import { audit } from './features/audit/index.js';
import { authorizationDetails } from './features/authorization-details/index.js';
import { clientDocuments } from './features/client-id-metadata-documents/index.js';
import { device } from './features/device/index.js';
import { dpop } from './features/dpop/index.js';
import { implicit } from './features/implicit/index.js';
import { migration } from './features/migration/index.js';
import { mutualTls } from './features/mutual-tls/index.js';
import { selfSignedTlsClientAuth } from './features/mutual-tls/self-signed-tls-client-auth.js';
import { tlsClientAuth } from './features/mutual-tls/tls-client-auth.js';
import { notifications } from './features/notifications/index.js';
import { openidConnect } from './features/openid/openid-connect.js';
import { openidSession } from './features/openid/openid-session.js';
import { personalAccessTokens } from './features/personal-access-tokens/index.js';
import { pushedRequests } from './features/pushed-requests/index.js';
import { registration } from './features/registration/index.js';
import { formPost } from './features/response-modes/form-post.js';
import { signedResponses } from './features/response-modes/jarm.js';
import { sharedSignalsReceiver, sharedSignalsTransmitter } from './features/shared-signals/index.js';
import { encryptedRequests } from './features/signed-requests/encryption-feature.js';
import { signedRequests } from './features/signed-requests/index.js';
import { requestReferences } from './features/signed-requests/references-feature.js';
import { spiffe } from './features/spiffe/index.js';
import { spiffeJwt } from './features/spiffe/spiffe-jwt.js';
import { stepUp } from './features/step-up/index.js';
import { tokenExchange } from './features/token-exchange/index.js';
import { webhooks } from './features/webhooks/index.js';
import { SHIPPED_MESSAGES } from './messages/index.js';
import { readLook } from './pages/rendering/rendering.js';
import { applications, authorizations } from './server/endpoints/account-pages.js';
import { authorize } from './server/endpoints/authorize.js';
import { clientLogo } from './server/endpoints/client-logo.js';
import { introspect } from './server/endpoints/introspect.js';
import { jwks } from './server/endpoints/jwks.js';
import { metadata } from './server/endpoints/metadata.js';
import { revoke } from './server/endpoints/revoke.js';
import { token } from './server/endpoints/token.js';
import type { BuiltIn, Endpoint } from './server/server.js';
import type { ServerOptions } from './settings/options.js';
import type { ExtensionGrantType } from './settings/options/extension-grant-type.js';
import type { Registry } from './settings/table/registry.js';

export type { BuiltIn } from './server/server.js';

const grantTypes = [authorizationCode, refreshToken, clientCredentials, password] as const;
const features = [
  agents,
  assertions,
  audit,
  authorizationDetails,
  clientDocuments,
  device,
  dpop,
  encryptedRequests,
  formPost,
  implicit,
  migration,
  mutualTls,
  notifications,
  openidConnect,
  openidSession,
  personalAccessTokens,
  pushedRequests,
  registration,
  requestReferences,
  sharedSignalsReceiver,
  sharedSignalsTransmitter,
  signedRequests,
  signedResponses,
  spiffe,
  // after openid, whose logins meet the same requirements and more
  stepUp,
  tokenExchange,
  webhooks,
] as const;

export const BUILT_IN: BuiltIn = {
  grantTypes,
  clientAuthenticationMethods: [
    clientSecretBasic,
    clientSecretPost,
    none,
    privateKeyJwt,
    clientSecretJwt,
    tlsClientAuth,
    selfSignedTlsClientAuth,
    spiffeJwt,
  ],
  responseTypes: [createCodeResponse],
  endpoints: [authorize, token, revoke, introspect, jwks, applications, authorizations, clientLogo, metadata],
  features,
  clientFields: CLIENT_FIELDS,
  languages: SHIPPED_MESSAGES,
};

type GrantTypeOf<Part> = Part extends { readonly grantTypes: readonly (infer Type)[] } ? Type : never;

/** A grant type of the package. The grants that RFC 9700 advises against and the device grant are off unless named. */
export type BuiltInGrantType = GrantTypeOf<
  { grantTypes: typeof grantTypes } | (typeof features)[number]
>['name'];

/** The options of `authorizationServer`. All spans are in seconds unless noted otherwise. */
export interface AuthorizationServerOptions extends ServerOptions {
  readonly grantTypes?: readonly (BuiltInGrantType | ExtensionGrantType)[] | undefined;
}

/** The names that the options accept. */
export function registryOf(builtIn: BuiltIn): Registry {
  return {
    grantTypes: allGrantTypes(builtIn),
    features: builtIn.features,
    endpoints: allEndpoints(builtIn).map(({ name }) => name),
    checkPages: (pages) => void readLook('authorizationServer', pages, builtIn.languages),
  };
}

/** All grant types, including those of the features. */
export function allGrantTypes({ grantTypes, features }: BuiltIn): readonly GrantType[] {
  return [...grantTypes, ...features.flatMap((feature) => feature.grantTypes ?? [])];
}

/** All client fields, including those of the features. */
export function allClientFields({ clientFields, features }: BuiltIn): readonly ClientField[] {
  return [...clientFields, ...features.flatMap((feature) => feature.clientFields ?? [])];
}

/** All endpoints, including those of the features. */
export function allEndpoints({ endpoints, features }: BuiltIn): readonly Endpoint[] {
  return [...endpoints, ...features.flatMap((feature) => feature.endpoints ?? [])];
}
