import type { PrivateJwk, SigningAlgorithm } from '../../shared/crypto/key-material.js';
import type { ImpliedScopes } from '../../shared/protocol/implied-scopes.js';
import type { Problems } from './problems.js';

/** Whether the server needs signing keys, and for which algorithms. */
export interface KeyNeeds {
  /** Whether access tokens of any resource, or responses, are JWTs. */
  readonly issuesJwts: boolean;
  /** The option that needs keys, unless it is about tokens. */
  readonly neededBy?: string | undefined;
  /** Further signing algorithms, beside the default one. */
  readonly alsoAlgorithms?: readonly SigningAlgorithm[];
  /** Whether requests are encrypted to this site; `keys` are the site's. */
  readonly encryption?: false | { readonly keys?: readonly PrivateJwk[] | undefined };
}

/** What resolving an option may depend on: values from all options. */
export interface OptionContext {
  /** Collects the problems of options. */
  readonly problems: Problems;
  readonly issuer: URL;
  /** The option `security.dangerouslyAllowInsecureHttp`. */
  readonly allowsInsecureHttp: boolean;
  readonly siteName: string;
  /** The scopes of the server by name, including those of OpenID Connect. */
  readonly scopes: Readonly<Record<string, unknown>>;
  readonly impliedScopes: ImpliedScopes;
  /** The names of the scopes that the option `scopes` describes. */
  readonly describedScopes: readonly string[];
  /** Scopes of the site's API. Those of OpenID Connect sign a user in to an app, which has other tokens. */
  readonly apiScopes: readonly string[];
  /** The enabled built-in grant types. */
  readonly builtInGrantTypes: readonly string[];
  /** The enabled grant types, including extensions. */
  readonly grantTypes: readonly string[];
  readonly accessTokenFormat: 'opaque' | 'jwt';
  readonly keyNeeds: KeyNeeds;
}
