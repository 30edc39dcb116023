import type { FeatureOptions } from '../options.js';
import type { LookOptions } from '../pages/page-options.js';

/** The names that options can use. The layers above provide them. */
export interface Registry {
  readonly grantTypes: readonly KnownGrantType[];
  readonly features: readonly FeatureOptions[];
  /** The names of the endpoints. */
  readonly endpoints: readonly string[];
  /** @throws TypeError if the look of the pages is invalid */
  readonly checkPages: (pages: LookOptions) => void;
}

/** The properties of a grant type that options need. */
export interface KnownGrantType {
  readonly name: string;
  /** Whether it is on by default. Default: false. */
  readonly isDefault?: boolean;
  /** The option that enables it, so that `grantTypes` need not name it. Default: only `grantTypes`. */
  readonly switchedOnBy?: string;
  /** An option that the site must set as well, and why. */
  readonly needs?: { readonly option: string; readonly because: string };
}
