import { advancedOptions } from './options/advanced-options.js';
import { agentOptions } from './options/agent-options.js';
import { authorizationDetailsOptions } from './options/authorization-details-options.js';
import { choicesOptions } from './options/choice-options.js';
import { clientAuthenticationOptions } from './options/client-authentication-options.js';
import { grantTypeOptions } from './options/grant-type-options.js';
import { guardOptions } from './options/guard-options.js';
import { lifetimeOptions } from './options/lifetime-options.js';
import { openidServerOptions } from './options/openid-options.js';
import { peopleOptions } from './options/people-options.js';
import { policyServerOptions } from './options/policy-options.js';
import { profileOptions } from './options/profile-options.js';
import { resourceOptions } from './options/resource-options.js';
import { schemaOptions } from './options/schema-options.js';
import { securityOptions } from './options/security-options.js';
import { keyOptions } from './options/signing-key-options.js';
import { placeOptions, siteOptions } from './options/site-options.js';
import { stepUpOptions } from './options/step-up-options.js';
import { telemetryOptions } from './options/telemetry-options.js';
import { tokenOptions } from './options/token-options.js';
import { applicationsOptions } from './pages/applications-options.js';
import { pageOptions } from './pages/page-options.js';
import type { OptionsOf, ResolvedSettingsOf, SettingsOf } from './table/option.js';
import type { KeyNeeds, OptionContext } from './table/option-context.js';

// the types are written out, so that each option keeps the documentation of its row in the declarations of the package
type EssentialRows = typeof siteOptions & typeof keyOptions & typeof grantTypeOptions & typeof placeOptions;

/** The essential options. */
const essentialOptions: EssentialRows = {
  ...siteOptions,
  ...keyOptions,
  ...grantTypeOptions,
  ...placeOptions,
};

type CoreRows = EssentialRows &
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
  typeof profileOptions &
  typeof policyServerOptions &
  typeof telemetryOptions &
  typeof schemaOptions &
  typeof advancedOptions;

/** The options that every server has. */
export const coreOptions: CoreRows = {
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
  ...profileOptions,
  ...policyServerOptions,
  ...telemetryOptions,
  ...schemaOptions,
  ...advancedOptions,
};

/** The rows of features: the folder of a feature adds them, and `Feature.options` has them. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- what is in it is for features to say
export interface FeatureRows {}

/** What `FeatureRows` extends. */
export type RowsOf<Rows> = Rows;

/** The options of `authorizationServer`, before it is known which grant types there are. */
export type ServerOptions = OptionsOf<CoreRows & FeatureRows>;

/** What a feature has in settings. It is undefined if the server is made without the feature. */
type OfFeatures<Settings> = { readonly [Name in keyof Settings]: Settings[Name] | undefined };

/** The options, each checked by itself, with their defaults. */
export type ParsedOptions = SettingsOf<CoreRows> & OfFeatures<SettingsOf<FeatureRows>>;

/** The same, with what follows from other options. */
export interface ResolvedOptions
  extends ResolvedSettingsOf<CoreRows>, OfFeatures<ResolvedSettingsOf<FeatureRows>> {}

/** What a feature adds to the options. */
export interface FeatureOptions {
  /** Its rows: shape, default and documentation of each option. */
  readonly options?: Partial<FeatureRows>;
  /** Checks its options together with others. @throws TypeError with what to write instead */
  readonly checkOptions?: (settings: ResolvedOptions, context: OptionContext) => void;
  /** What it signs or decrypts besides access tokens. */
  readonly findKeyNeeds?: (options: ParsedOptions) => Partial<KeyNeeds>;
  /** The option for which all processes need the same secret; undefined if there is none. */
  readonly findSecretNeed?: (settings: ResolvedOptions) => string | undefined;
}
