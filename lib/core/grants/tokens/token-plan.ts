import type { AuthorizationDetail } from '../../../shared/protocol/authorization-details.js';
import type { TokenKind } from '../../../shared/protocol/token-kind.js';
import type { Client } from '../../clients/client.js';
import type { Emit } from '../../observability/events.js';
import type { Proof } from '../../proof-of-possession/binding.js';
import type { Authorization } from '../grant.js';

/** Who asks for tokens, with which key and when: made once for each request, and passed whole. */
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
  /** The scopes of the access token. Default: all that were authorized. */
  readonly scopes?: readonly string[];
  /** The details of the access token (RFC 9396 §6). Default: all that were authorized. */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  readonly withRefreshToken: boolean;
  /**
   * Whether the grant gives an access token alone, which is not stored if its resource is `stateless`. Default: false.
   */
  readonly mayBeStateless?: boolean;
  /** The family of the refresh token that the new one replaces. */
  readonly refreshTokenFamily?: string | undefined;
  /** The kind of the token. Default: the kind that its grant type gives. */
  readonly kind?: TokenKind | undefined;
  /** When the grant was created. Absent if this request creates it. */
  readonly grantCreatedAt?: Date;
}

/** What is decided about tokens before they are generated. */
export interface TokenPlan extends IssueContext, TokenSpec {
  /** The resource that the access token is for; undefined: the API of this server (RFC 8707 §2.2). */
  readonly resource: string | undefined;
  readonly scopes: readonly string[];
  readonly authorizationDetails: readonly AuthorizationDetail[];
  readonly kind: TokenKind;
  /** Whether the access token is stored nowhere: it carries everything itself, and is valid until it expires. */
  readonly isStateless: boolean;
  readonly accessTokenExpiresAt: Date;
}
