import { agentOptions } from './features/agent-options.js';
import { assertionServerOptions } from './features/assertion-options.js';
import { authorizationDetailsOptions } from './features/authorization-details-options.js';
import { choicesOptions } from './features/choice-options.js';
import { clientDocumentOptions } from './features/client-document-options.js';
import { dpopOptions } from './features/dpop-options.js';
import { globalRevocationServerOptions } from './features/global-revocation-options.js';
import { mutualTlsOptions } from './features/mutual-tls-options.js';
import { notificationOptions } from './features/notification-options.js';
import { openidServerOptions } from './features/openid-options.js';
import { personalAccessTokenOptions } from './features/personal-access-token-options.js';
import { profileOptions } from './features/profile-options.js';
import { pushedRequestOptions } from './features/pushed-request-options.js';
import { registrationOptions } from './features/registration-options.js';
import { sharedSignalsServerOptions } from './features/shared-signals-options.js';
import { signedRequestOptions } from './features/signed-request-options.js';
import { spiffeOptions } from './features/spiffe-options.js';
import { stepUpOptions } from './features/step-up-options.js';
import { tokenExchangeOptions } from './features/token-exchange-options.js';
import { webhookOptions } from './features/webhook-options.js';
import { auditOptions } from './options/audit-options.js';
import { clientAuthenticationOptions } from './options/client-authentication-options.js';
import { deviceOptions, grantTypeOptions } from './options/grant-type-options.js';
import { guardMemoryOptions } from './options/guard-cache-options.js';
import { guardOptions } from './options/guard-options.js';
import { limitOptions } from './options/limit-options.js';
import { policyServerOptions } from './options/policy-options.js';
import { redirectUriOptions } from './options/redirect-uri-options.js';
import { resourceOptions } from './options/resource-options.js';
import { responseModeOptions } from './options/response-mode-options.js';
import { schemaOptions } from './options/schema-options.js';
import { keyOptions } from './options/signing-key-options.js';
import { siteOptions } from './options/site-options.js';
import { telemetryOptions } from './options/telemetry-options.js';
import { tokenOptions } from './options/token-options.js';
import { userOptions } from './options/user-options.js';
import { applicationsOptions } from './pages/applications-options.js';
import { pageOptions } from './pages/page-options.js';
import type { OptionsOf } from './table/option.js';

// written out, so that each option keeps the documentation of its row in the declarations of the package
type Rows = typeof siteOptions &
  typeof schemaOptions &
  typeof grantTypeOptions &
  typeof tokenOptions &
  typeof openidServerOptions &
  typeof stepUpOptions &
  typeof resourceOptions &
  typeof authorizationDetailsOptions &
  typeof choicesOptions &
  typeof keyOptions &
  typeof userOptions &
  typeof clientAuthenticationOptions &
  typeof redirectUriOptions &
  typeof registrationOptions &
  typeof clientDocumentOptions &
  typeof applicationsOptions &
  typeof deviceOptions &
  typeof tokenExchangeOptions &
  typeof assertionServerOptions &
  typeof pushedRequestOptions &
  typeof dpopOptions &
  typeof mutualTlsOptions &
  typeof spiffeOptions &
  typeof signedRequestOptions &
  typeof responseModeOptions &
  typeof profileOptions &
  typeof pageOptions &
  typeof guardMemoryOptions &
  typeof guardOptions &
  typeof agentOptions &
  typeof policyServerOptions &
  typeof globalRevocationServerOptions &
  typeof sharedSignalsServerOptions &
  typeof personalAccessTokenOptions &
  typeof notificationOptions &
  typeof limitOptions &
  typeof auditOptions &
  typeof webhookOptions &
  typeof telemetryOptions;

/** Each option of `authorizationServer`, once. */
export const authorizationServerOptions: Rows = {
  ...siteOptions,
  ...schemaOptions,
  ...grantTypeOptions,
  ...tokenOptions,
  ...openidServerOptions,
  ...stepUpOptions,
  ...resourceOptions,
  ...authorizationDetailsOptions,
  ...choicesOptions,
  ...keyOptions,
  ...userOptions,
  ...clientAuthenticationOptions,
  ...redirectUriOptions,
  ...registrationOptions,
  ...clientDocumentOptions,
  ...applicationsOptions,
  ...deviceOptions,
  ...tokenExchangeOptions,
  ...assertionServerOptions,
  ...pushedRequestOptions,
  ...dpopOptions,
  ...mutualTlsOptions,
  ...spiffeOptions,
  ...signedRequestOptions,
  ...responseModeOptions,
  ...profileOptions,
  ...pageOptions,
  ...guardMemoryOptions,
  ...guardOptions,
  ...agentOptions,
  ...policyServerOptions,
  ...globalRevocationServerOptions,
  ...sharedSignalsServerOptions,
  ...personalAccessTokenOptions,
  ...notificationOptions,
  ...limitOptions,
  ...auditOptions,
  ...webhookOptions,
  ...telemetryOptions,
};

/** The options of `authorizationServer`, before it is known which grant types there are. */
export type ServerOptions = OptionsOf<Rows>;
