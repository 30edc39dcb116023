import type { Parameters } from '../../shared/protocol/parameters.js';

/** The request of an extension grant, from an authenticated client that is registered for the grant type. */
export interface ExtensionGrantRequest {
  readonly client: {
    readonly clientId: string;
    readonly name: string;
    readonly type: 'confidential' | 'public';
  };
  /** The parameters in `parameters` of the grant type, each a string if present. */
  readonly parameters: Parameters;
  /** The requested or default scopes, all of which the client is registered for. */
  readonly scopes: readonly string[];
}

/** The decision of an extension grant, from which the tokens are made. */
export interface ExtensionGrantResult {
  /** The id of the user, as text that is not empty. Without it the client acts for itself. */
  readonly userId?: string;
  /** A subset of the requested scopes. Default: all of them. */
  readonly scopes?: readonly string[];
  /** Whether to issue a refresh token, if the client is registered for them. Default: false. */
  readonly refreshToken?: boolean;
  /** Stored with the grant, and available to guarded routes as `req.auth.extra`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/**
 * A grant type of the site.
 *
 * @see RFC 6749 §4.5, §8.3
 */
export interface ExtensionGrantType {
  /** An absolute URI (`urn:example:grant-type:gift-card`) or a name of letters, digits and `-._`. */
  readonly grantType: string;
  /** The request parameters of the grant type; others are ignored. `scope` need not be included. */
  readonly parameters: readonly string[];
  /** Decides. @throws OAuthError, such as `new OAuthError('invalid_grant', 'the gift card was used already')` */
  handle(request: ExtensionGrantRequest): Promise<ExtensionGrantResult> | ExtensionGrantResult;
}
