import { agentOptions } from './agent-options.js';
import { applicationsOptions } from './applications-options.js';
import { auditOptions } from './audit-options.js';
import { authorizationDetailsOptions } from './authorization-details-options.js';
import { choicesOptions } from './choice-options.js';
import { clientAuthenticationOptions } from './client-authentication-options.js';
import { clientDocumentOptions } from './client-document-options.js';
import { deviceOptions } from './device-options.js';
import { dpopOptions } from './dpop-options.js';
import { globalRevocationServerOptions } from './global-revocation-options.js';
import { grantTypeOptions } from './grant-type-options.js';
import { guardMemoryOptions } from './guard-memory-options.js';
import { guardOptions } from './guard-options.js';
import { limitOptions } from './limit-options.js';
import { mutualTlsOptions } from './mutual-tls-options.js';
import { openidServerOptions } from './openid-options.js';
import type { OptionsOf } from './option.js';
import { pageOptions } from './page-options.js';
import { policyServerOptions } from './policy-options.js';
import { profileOptions } from './profile-options.js';
import { pushedRequestOptions } from './pushed-request-options.js';
import { registrationOptions } from './registration-options.js';
import { resourceOptions } from './resource-options.js';
import { responseModeOptions } from './response-mode-options.js';
import { schemaOptions } from './schema-options.js';
import { signedRequestOptions } from './signed-request-options.js';
import { keyOptions } from './signing-key-options.js';
import { siteOptions } from './site-options.js';
import { telemetryOptions } from './telemetry-options.js';
import { tokenOptions } from './token-options.js';
import { userOptions } from './user-options.js';
import { webhookOptions } from './webhook-options.js';

// written out, so that each option keeps the documentation of its row in the declarations of the package
type Rows = typeof siteOptions &
  typeof schemaOptions &
  typeof grantTypeOptions &
  typeof tokenOptions &
  typeof openidServerOptions &
  typeof resourceOptions &
  typeof authorizationDetailsOptions &
  typeof choicesOptions &
  typeof keyOptions &
  typeof userOptions &
  typeof clientAuthenticationOptions &
  typeof registrationOptions &
  typeof clientDocumentOptions &
  typeof applicationsOptions &
  typeof deviceOptions &
  typeof pushedRequestOptions &
  typeof dpopOptions &
  typeof mutualTlsOptions &
  typeof signedRequestOptions &
  typeof responseModeOptions &
  typeof profileOptions &
  typeof pageOptions &
  typeof guardMemoryOptions &
  typeof guardOptions &
  typeof agentOptions &
  typeof policyServerOptions &
  typeof globalRevocationServerOptions &
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
  ...resourceOptions,
  ...authorizationDetailsOptions,
  ...choicesOptions,
  ...keyOptions,
  ...userOptions,
  ...clientAuthenticationOptions,
  ...registrationOptions,
  ...clientDocumentOptions,
  ...applicationsOptions,
  ...deviceOptions,
  ...pushedRequestOptions,
  ...dpopOptions,
  ...mutualTlsOptions,
  ...signedRequestOptions,
  ...responseModeOptions,
  ...profileOptions,
  ...pageOptions,
  ...guardMemoryOptions,
  ...guardOptions,
  ...agentOptions,
  ...policyServerOptions,
  ...globalRevocationServerOptions,
  ...limitOptions,
  ...auditOptions,
  ...webhookOptions,
  ...telemetryOptions,
};

/** The options of `authorizationServer`, before it is known which grant types there are. */
export type ServerOptions = OptionsOf<Rows>;
