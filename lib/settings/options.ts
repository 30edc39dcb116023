import { advancedOptions } from './options/advanced-options.js';
import { choicesOptions } from './options/choice-options.js';
import { clientAuthenticationOptions } from './options/client-authentication-options.js';
import { grantTypeOptions } from './options/grant-type-options.js';
import { guardOptions } from './options/guard-options.js';
import { lifetimeOptions } from './options/lifetime-options.js';
import { peopleOptions } from './options/people-options.js';
import { policyServerOptions } from './options/policy-options.js';
import { profileOptions } from './options/profile-options.js';
import { resourceOptions } from './options/resource-options.js';
import { schemaOptions } from './options/schema-options.js';
import { securityOptions } from './options/security-options.js';
import { keyOptions } from './options/signing-key-options.js';
import { placeOptions, siteOptions } from './options/site-options.js';
import { telemetryOptions } from './options/telemetry-options.js';
import { tokenOptions } from './options/token-options.js';
import { applicationsOptions } from './pages/applications-options.js';
import { pageOptions } from './pages/page-options.js';
import type { OptionsOf, ResolvedSettingsOf, SettingsOf } from './table/option.js';
import type { KeyNeeds, OptionContext } from './table/option-context.js';
import type { Problems } from './table/problems.js';

// explicit types, so that the package's declarations keep the documentation of each row
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
  typeof resourceOptions &
  typeof choicesOptions &
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
  ...resourceOptions,
  ...choicesOptions,
  ...profileOptions,
  ...policyServerOptions,
  ...telemetryOptions,
  ...schemaOptions,
  ...advancedOptions,
};

/** The rows of features, added by declaration merging from each feature's folder. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- what is in it is for features to say
export interface FeatureRows {}

/** The rows as a type that `FeatureRows` can extend. */
export type RowsOf<Rows> = Rows;

/** The options of `authorizationServer`, before the grant types are known. */
export type ServerOptions = OptionsOf<CoreRows & FeatureRows>;

/** The settings of features; undefined if the server lacks the feature. */
type OfFeatures<Settings> = { readonly [Name in keyof Settings]: Settings[Name] | undefined };

/** The validated options with their defaults. */
export type ParsedOptions = SettingsOf<CoreRows> & OfFeatures<SettingsOf<FeatureRows>>;

/** The options with values that depend on other options. */
export interface ResolvedOptions
  extends ResolvedSettingsOf<CoreRows>, OfFeatures<ResolvedSettingsOf<FeatureRows>> {}

/** The options of a feature. */
export interface FeatureOptions {
  /** The feature's rows: shape, default and documentation of each option. */
  readonly options?: Partial<FeatureRows>;
  /**
   * Presets other options, and refuses options that contradict the feature's own. The options are unchecked, and may be
   * no object.
   */
  readonly prepareOptions?: <Given extends object>(options: Given, problems: Problems) => Given;
  /** The scopes that the feature adds to those of the site, or replaces; they do not belong to the site's API. */
  readonly scopes?: (options: ParsedOptions) => ParsedOptions['scopes'];
  /** Checks the feature's options together with others. @throws TypeError with what to write instead */
  readonly checkOptions?: (settings: ResolvedOptions, context: OptionContext) => void;
  /** The keys that the feature needs besides those for access tokens. */
  readonly findKeyNeeds?: (options: ParsedOptions) => Partial<KeyNeeds>;
  /** The option that needs a secret shared by all processes; otherwise undefined. */
  readonly findSecretNeed?: (settings: ResolvedOptions) => string | undefined;
}
