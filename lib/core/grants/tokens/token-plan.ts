import type { AuthorizationDetail } from '../../../shared/protocol/authorization-details.js';
import type { TokenKind } from '../../../shared/protocol/token-kind.js';
import type { Client } from '../../clients/client.js';
import type { Emit } from '../../observability/events.js';
import type { Proof } from '../../proof-of-possession/binding.js';
import type { Authorization } from '../grant.js';

/** The client, its key and the time of a request for tokens: made once for each request, and passed whole. */
export interface IssueContext {
  readonly client: Client;
  /** The resources that the request names (RFC 8707 §2.2). */
  readonly resources: readonly string[];
  /** Proves that the client holds the key to which the tokens are bound; consumed before the tokens are generated. */
  readonly proof?: Proof | undefined;
  readonly now: Date;
  readonly emit: Emit;
}

export interface TokenSpec {
  readonly grantId: string;
  readonly grantType: string;
  readonly authorization: Authorization;
  /** The scopes of the access token. Default: all authorized scopes. */
  readonly scopes?: readonly string[];
  /** The details of the access token (RFC 9396 §6). Default: all authorized details. */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  readonly withRefreshToken: boolean;
  /**
   * Whether the grant has an access token alone, which is not stored if its resource is `stateless`. Default: false.
   */
  readonly mayBeStateless?: boolean;
  /** The family of the refresh token that the new one replaces. */
  readonly refreshTokenFamily?: string | undefined;
  /** The kind of the token. Default: the kind that belongs to the grant type. */
  readonly kind?: TokenKind | undefined;
  /** When the grant was created. Absent if this request creates it. */
  readonly grantCreatedAt?: Date;
}

/** The decisions about tokens that precede their generation. */
export interface TokenPlan extends IssueContext, TokenSpec {
  /** The resource of the access token; undefined: the API of this server (RFC 8707 §2.2). */
  readonly resource: string | undefined;
  readonly scopes: readonly string[];
  readonly authorizationDetails: readonly AuthorizationDetail[];
  readonly kind: TokenKind;
  /** Whether the access token is not stored: it carries everything itself, and is valid until it expires. */
  readonly isStateless: boolean;
  readonly accessTokenExpiresAt: Date;
}
