import { agentOptions } from './features/agent-options.js';
import { assertionServerOptions } from './features/assertion-options.js';
import { authorizationDetailsOptions } from './features/authorization-details-options.js';
import { choicesOptions } from './features/choice-options.js';
import { clientDocumentOptions } from './features/client-document-options.js';
import { dpopOptions } from './features/dpop-options.js';
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
import { advancedOptions } from './options/advanced-options.js';
import { auditOptions } from './options/audit-options.js';
import { clientAuthenticationOptions } from './options/client-authentication-options.js';
import { grantTypeOptions } from './options/grant-type-options.js';
import { guardOptions } from './options/guard-options.js';
import { lifetimeOptions } from './options/lifetime-options.js';
import { peopleOptions } from './options/people-options.js';
import { policyServerOptions } from './options/policy-options.js';
import { resourceOptions } from './options/resource-options.js';
import { responseModeOptions } from './options/response-mode-options.js';
import { schemaOptions } from './options/schema-options.js';
import { securityOptions } from './options/security-options.js';
import { keyOptions } from './options/signing-key-options.js';
import { placeOptions, siteOptions } from './options/site-options.js';
import { telemetryOptions } from './options/telemetry-options.js';
import { tokenOptions } from './options/token-options.js';
import { applicationsOptions } from './pages/applications-options.js';
import { pageOptions } from './pages/page-options.js';
import type { OptionsOf } from './table/option.js';

// the types are written out, so that each option keeps the documentation of its row in the declarations of the package
type EssentialRows = typeof siteOptions & typeof keyOptions & typeof grantTypeOptions & typeof placeOptions;

/** The essential options. */
const essentialOptions: EssentialRows = {
  ...siteOptions,
  ...keyOptions,
  ...grantTypeOptions,
  ...placeOptions,
};

type Rows = EssentialRows &
  typeof lifetimeOptions &
  typeof tokenOptions &
  typeof peopleOptions &
  typeof pageOptions &
  typeof applicationsOptions &
  typeof clientAuthenticationOptions &
  typeof securityOptions &
  typeof guardOptions &
  typeof openidServerOptions &
  typeof stepUpOptions &
  typeof resourceOptions &
  typeof authorizationDetailsOptions &
  typeof choicesOptions &
  typeof agentOptions &
  typeof registrationOptions &
  typeof clientDocumentOptions &
  typeof tokenExchangeOptions &
  typeof assertionServerOptions &
  typeof spiffeOptions &
  typeof personalAccessTokenOptions &
  typeof pushedRequestOptions &
  typeof dpopOptions &
  typeof mutualTlsOptions &
  typeof signedRequestOptions &
  typeof responseModeOptions &
  typeof profileOptions &
  typeof sharedSignalsServerOptions &
  typeof policyServerOptions &
  typeof notificationOptions &
  typeof auditOptions &
  typeof webhookOptions &
  typeof telemetryOptions &
  typeof schemaOptions &
  typeof advancedOptions;

/** Each option of `authorizationServer`, once, in the order of the reference. */
export const authorizationServerOptions: Rows = {
  ...essentialOptions,
  ...lifetimeOptions,
  ...tokenOptions,
  ...peopleOptions,
  ...pageOptions,
  ...applicationsOptions,
  ...clientAuthenticationOptions,
  ...securityOptions,
  ...guardOptions,
  ...openidServerOptions,
  ...stepUpOptions,
  ...resourceOptions,
  ...authorizationDetailsOptions,
  ...choicesOptions,
  ...agentOptions,
  ...registrationOptions,
  ...clientDocumentOptions,
  ...tokenExchangeOptions,
  ...assertionServerOptions,
  ...spiffeOptions,
  ...personalAccessTokenOptions,
  ...pushedRequestOptions,
  ...dpopOptions,
  ...mutualTlsOptions,
  ...signedRequestOptions,
  ...responseModeOptions,
  ...profileOptions,
  ...sharedSignalsServerOptions,
  ...policyServerOptions,
  ...notificationOptions,
  ...auditOptions,
  ...webhookOptions,
  ...telemetryOptions,
  ...schemaOptions,
  ...advancedOptions,
};

/** The options of `authorizationServer`, before it is known which grant types there are. */
export type ServerOptions = OptionsOf<Rows>;
