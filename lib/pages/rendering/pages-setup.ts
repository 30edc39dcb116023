import type { Messages } from '../../messages/index.js';
import type { LookOptions } from '../../settings/pages/page-options.js';

/** What all pages of a router are made from. */
export interface PagesSetup {
  /** The function that the site calls: errors in `pages` are reported under this name. */
  readonly functionName: string;
  /** Where the router is reached, as browsers see it: `/oauth`. */
  readonly publicPath: string;
  /** What a proxy may remove from the front of the paths that this process sees. */
  readonly hiddenPath: string;
  readonly siteName: string;
  readonly pages: LookOptions;
  /** Where every form may lead in the end, as CSP sources beside 'self': to a login on another origin. */
  readonly formTargets?: readonly string[];
  /** The package's texts, by language. */
  readonly languages: Readonly<Record<string, Messages>>;
  /** The page that asks whether to log out, if `pages` names none. Default: none. */
  readonly findLogoutPath?: () => string | undefined;
  /** Whether error pages say why it really failed: for a site on loopback, whose visitor is its developer. */
  readonly showsDetail?: () => boolean;
}
