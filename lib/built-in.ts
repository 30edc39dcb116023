import { createCodeResponse } from './authorization/response-types/code.js';
import type { CreateResponseType } from './authorization/response-types/response-type.js';
import { clientSecretBasic } from './client-authentication/client-secret-basic.js';
import { clientSecretJwt } from './client-authentication/client-secret-jwt.js';
import { clientSecretPost } from './client-authentication/client-secret-post.js';
import type { ClientAuthenticationMethod } from './client-authentication/method.js';
import { none } from './client-authentication/none.js';
import { privateKeyJwt } from './client-authentication/private-key-jwt.js';
import { selfSignedTlsClientAuth } from './client-authentication/self-signed-tls-client-auth.js';
import { tlsClientAuth } from './client-authentication/tls-client-auth.js';
import type { ClientField } from './clients/client-field.js';
import { CLIENT_FIELDS } from './clients/client-fields.js';
import { authorize } from './endpoints/authorize.js';
import { introspect } from './endpoints/introspect.js';
import { jwks } from './endpoints/jwks.js';
import { metadata } from './endpoints/metadata.js';
import { revoke } from './endpoints/revoke.js';
import { token } from './endpoints/token.js';
import { audit } from './features/audit.js';
import { authorizationDetails } from './features/authorization-details.js';
import { clientDocuments } from './features/client-documents.js';
import { clientFailures } from './features/client-failures.js';
import { device } from './features/device.js';
import { dpop } from './features/dpop.js';
import { encryptedRequests } from './features/encrypted-requests.js';
import { formPost } from './features/form-post.js';
import { globalTokenRevocation } from './features/global-token-revocation.js';
import { implicit } from './features/implicit.js';
import { migration } from './features/migration.js';
import { mutualTls } from './features/mutual-tls.js';
import { openidConnect } from './features/openid-connect.js';
import { openidLogout } from './features/openid-logout.js';
import { openidSession } from './features/openid-session.js';
import { pushedRequests } from './features/pushed-requests.js';
import { registration } from './features/registration.js';
import { requestReferences } from './features/request-references.js';
import { rootAliases } from './features/root-aliases.js';
import { signedRequests } from './features/signed-requests.js';
import { signedResponses } from './features/signed-responses.js';
import { webhooks } from './features/webhooks.js';
import { authorizationCode } from './grant-types/authorization-code.js';
import { clientCredentials } from './grant-types/client-credentials.js';
import type { GrantType } from './grant-types/grant-type.js';
import { password } from './grant-types/password.js';
import { refreshToken } from './grant-types/refresh-token.js';
import { type Messages, SHIPPED_MESSAGES } from './messages/index.js';
import { applications } from './pages/applications/applications.js';
import { authorizations } from './pages/authorizations/authorizations.js';
import type { Endpoint } from './server/endpoint.js';
import type { Feature } from './server/feature.js';
import type { ServerOptions } from './settings/authorization-server-options.js';
import type { ExtensionGrantType } from './settings/extension-grant-type.js';
import type { KnownParts } from './settings/known-parts.js';

/** The parts of the package: each is one file, and one line in one of these lists. */
export interface BuiltIn {
  readonly grantTypes: readonly GrantType[];
  readonly clientAuthenticationMethods: readonly ClientAuthenticationMethod[];
  readonly responseTypes: readonly CreateResponseType[];
  readonly endpoints: readonly Endpoint[];
  readonly features: readonly Feature[];
  /** The fields with which a client is registered. */
  readonly clientFields: readonly ClientField[];
  /** The texts of the pages by language, the default one first. */
  readonly languages: Readonly<Record<string, Messages>>;
}

const grantTypes = [authorizationCode, refreshToken, clientCredentials, password] as const;
const features = [
  audit,
  authorizationDetails,
  clientDocuments,
  clientFailures,
  device,
  dpop,
  encryptedRequests,
  formPost,
  globalTokenRevocation,
  implicit,
  migration,
  mutualTls,
  openidConnect,
  openidLogout,
  openidSession,
  pushedRequests,
  registration,
  requestReferences,
  rootAliases,
  signedRequests,
  signedResponses,
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
  ],
  responseTypes: [createCodeResponse],
  endpoints: [authorize, token, revoke, introspect, jwks, applications, authorizations, metadata],
  features,
  clientFields: CLIENT_FIELDS,
  languages: SHIPPED_MESSAGES,
};

type GrantTypeOf<Part> = Part extends { readonly grantTypes: readonly (infer Type)[] } ? Type : never;

/** A grant type of the package. Those that RFC 9700 advises against and the one for devices are off unless named. */
export type BuiltInGrantType = GrantTypeOf<
  { grantTypes: typeof grantTypes } | (typeof features)[number]
>['name'];

/** The options of `authorizationServer`. All spans are in seconds unless they say otherwise. */
export interface AuthorizationServerOptions extends ServerOptions {
  readonly grantTypes?: readonly (BuiltInGrantType | ExtensionGrantType)[];
}

/** What the options can name. */
export function knownParts(builtIn: BuiltIn): KnownParts {
  return {
    grantTypes: allGrantTypes(builtIn),
    endpoints: allEndpoints(builtIn).map(({ name }) => name),
  };
}

/** All grant types, including those of the features. */
export function allGrantTypes({ grantTypes, features }: BuiltIn): readonly GrantType[] {
  return [...grantTypes, ...features.flatMap((feature) => feature.grantTypes ?? [])];
}

/** All fields that clients have, including those of the features. */
export function allClientFields({ clientFields, features }: BuiltIn): readonly ClientField[] {
  return [...clientFields, ...features.flatMap((feature) => feature.clientFields ?? [])];
}

/** All endpoints, including those of the features. */
export function allEndpoints({ endpoints, features }: BuiltIn): readonly Endpoint[] {
  return [...endpoints, ...features.flatMap((feature) => feature.endpoints ?? [])];
}
