import type { Messages } from '../../messages/index.js';
import type { LookOptions } from '../../settings/pages/page-options.js';

/** The dependencies of all pages of a router. */
export interface PagesSetup {
  /** The name of the site's function call, for errors in `pages`. */
  readonly functionName: string;
  /** The public path of the router: `/oauth`. */
  readonly publicPath: string;
  /** A path prefix that a proxy may remove before this process. */
  readonly hiddenPath: string;
  readonly siteName: string;
  readonly pages: LookOptions;
  /** Additional targets of every form, as CSP sources beside 'self', such as a login on another origin. */
  readonly formTargets?: readonly string[];
  /** The package's texts, by language. */
  readonly languages: Readonly<Record<string, Messages>>;
  /** The logout page, unless `pages` has one. Default: none. */
  readonly findLogoutPath?: () => string | undefined;
  /** Whether error pages show the cause: for a site on loopback, whose visitor is its developer. */
  readonly showsDetail?: () => boolean;
}
