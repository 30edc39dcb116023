import type { PrivateJwk, SigningAlgorithm } from '../../shared/crypto/key-material.js';
import type { ImpliedScopes } from '../../shared/protocol/implied-scopes.js';
import type { Problems } from './problems.js';

/** What decides whether there must be signing keys, and which. */
export interface KeyNeeds {
  /** Whether access tokens are JWTs, of one resource at least, or answers are. */
  readonly issuesJwts: boolean;
  /** The option that needs them, if it is not one about tokens. */
  readonly neededBy?: string | undefined;
  /** Algorithms that sign something, whatever the usual one is. */
  readonly alsoAlgorithms?: readonly SigningAlgorithm[];
  /** Whether requests are encrypted to keys of this site, and to which, if the site has its own. */
  readonly encryption?: false | { readonly keys?: readonly PrivateJwk[] | undefined };
}

/** What is known of all options together before the value of a single one is resolved. */
export interface OptionContext {
  /** Collects what is wrong with options. */
  readonly problems: Problems;
  readonly issuer: URL;
  /** The option `security.dangerouslyAllowInsecureHttp`. */
  readonly allowsInsecureHttp: boolean;
  readonly siteName: string;
  /** The scopes of the server by their names, those of OpenID Connect among them. */
  readonly scopes: Readonly<Record<string, unknown>>;
  readonly impliedScopes: ImpliedScopes;
  /** The names of the scopes that the option `scopes` describes. */
  readonly describedScopes: readonly string[];
  /** Those of the site's own API: scopes of OpenID Connect are about signing in, which only an app does. */
  readonly apiScopes: readonly string[];
  /** The built-in grant types that are on. */
  readonly builtInGrantTypes: readonly string[];
  /** The same, and those of the site. */
  readonly grantTypes: readonly string[];
  readonly accessTokenFormat: 'opaque' | 'jwt';
  readonly keyNeeds: KeyNeeds;
}
