import type { FeatureOptions } from '../options.js';
import type { LookOptions } from '../pages/page-options.js';

/** What options can name. The settings lie below it, so it is handed in. */
export interface Registry {
  readonly grantTypes: readonly KnownGrantType[];
  readonly features: readonly FeatureOptions[];
  /** The names of the endpoints. */
  readonly endpoints: readonly string[];
  /** @throws TypeError if the pages cannot be made so */
  readonly checkPages: (pages: LookOptions) => void;
}

/** What the options read of a grant type. */
export interface KnownGrantType {
  readonly name: string;
  /** Whether it is on unless the site says otherwise. Default: false. */
  readonly isDefault?: boolean;
  /** The option that switches it on, so that `grantTypes` need not name it. Default: only `grantTypes` does. */
  readonly switchedOnBy?: string;
  /** The option that the site has to set with it, and why. */
  readonly needs?: { readonly option: string; readonly because: string };
}
