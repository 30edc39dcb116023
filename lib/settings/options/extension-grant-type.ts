import type { Parameters } from '../../shared/protocol/parameters.js';

/** What an extension grant is given: the client is authenticated and registered for the grant type. */
export interface ExtensionGrantRequest {
  readonly client: {
    readonly clientId: string;
    readonly name: string;
    readonly type: 'confidential' | 'public';
  };
  /** The parameters the extension grant has named, each a string if it was sent. */
  readonly parameters: Parameters;
  /** The scopes asked for, or the default ones; all of them allowed for the client. */
  readonly scopes: readonly string[];
}

/** What an extension grant decides; the tokens are made from it. */
export interface ExtensionGrantResult {
  /** The id of the user it is for, as text that is not empty. If it is left out, the client acts for itself. */
  readonly userId?: string;
  /** At most the requested ones. Default: all of them. */
  readonly scopes?: readonly string[];
  /** Whether a refresh token is given, if the client is registered for them. Default: false. */
  readonly refreshToken?: boolean;
  /** Kept with the grant and handed to guarded routes as `req.auth.extra`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/**
 * A grant type of the site's own.
 *
 * @see RFC 6749 §4.5, §8.3
 */
export interface ExtensionGrantType {
  /** An absolute URI (`urn:example:grant-type:gift-card`) or a name of letters, digits and `-._`. */
  readonly grantType: string;
  /** The request parameters it reads; others are ignored. `scope` need not be named. */
  readonly parameters: readonly string[];
  /** Decides. @throws OAuthError, such as `new OAuthError('invalid_grant', 'the gift card was used already')` */
  handle(request: ExtensionGrantRequest): Promise<ExtensionGrantResult> | ExtensionGrantResult;
}
