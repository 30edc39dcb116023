import type { FailureReason } from './failure-reasons.js';
import { sanitizeForLog } from './log-text.js';

/** Every error code of the supported RFCs, with its HTTP status. */
const STATUS_BY_CODE = {
  invalid_request: 400, // RFC 6749 §4.1.2.1, §5.2; RFC 6750 §3.1
  invalid_client: 401, // RFC 6749 §5.2
  invalid_grant: 400, // RFC 6749 §5.2
  unauthorized_client: 400, // RFC 6749 §4.1.2.1, §5.2
  unsupported_grant_type: 400, // RFC 6749 §5.2
  unsupported_token_type: 400, // RFC 7009 §2.2.1
  unsupported_response_type: 400, // RFC 6749 §4.1.2.1
  invalid_scope: 400, // RFC 6749 §4.1.2.1, §5.2
  access_denied: 403, // RFC 6749 §4.1.2.1
  server_error: 500, // RFC 6749 §4.1.2.1
  temporarily_unavailable: 503, // RFC 6749 §4.1.2.1
  invalid_target: 400, // RFC 8707 §2
  invalid_authorization_details: 400, // RFC 9396 §5
  invalid_token: 401, // RFC 6750 §3.1
  insufficient_scope: 403, // RFC 6750 §3.1
  insufficient_user_authentication: 401, // RFC 9470 §3
  insufficient_authorization: 401, // RAR Metadata and Error Remediation §4
  unmet_authentication_requirements: 400, // OpenID Connect Core Unmet Authentication Requirements §2
  authorization_pending: 400, // RFC 8628 §3.5
  slow_down: 400, // RFC 8628 §3.5
  expired_token: 400, // RFC 8628 §3.5
} as const;

/** An error code of RFC 6749 or RFC 6750, or one that an extension grant adds (RFC 6749 §8.5). */
export type OAuthErrorCode = keyof typeof STATUS_BY_CODE | (string & {});

export interface OAuthErrorOptions {
  /**
   * Why the client was refused, more precisely than the error code: in events and for the client's developers, never on
   * the wire.
   */
  readonly reason?: FailureReason | undefined;
  /**
   * The real cause: for the log and `onError`, never on the wire. Control characters in it are escaped, and texts that
   * look like a token or a secret are masked.
   */
  readonly detail?: string | undefined;
  /** The error underneath: for the log and `onError`, never on the wire. */
  readonly cause?: unknown;
  /** HTTP status. Default: the status of the code in its RFC, 400 for a code of an extension. */
  readonly status?: number | undefined;
  /** Headers that the response must have, such as the challenge of a 401. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Marks errors of this package, even from another copy of its code. */
const BRAND = Symbol.for('express-authorization-server.OAuthError');

/**
 * The one error of this package: an RFC code, a public description, and a private half that stays on the server.
 * Extension grants throw it too: `throw new OAuthError('invalid_grant', 'the voucher was used already')`.
 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly error: OAuthErrorCode;
  readonly description: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly reason: FailureReason | undefined;
  readonly detail: string | undefined;

  static {
    Object.defineProperty(this.prototype, BRAND, { value: true });
  }

  /** Jest's `resetModules` makes a second copy of the code that a feature needs when the feature is loaded. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== OAuthError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && BRAND in value;
  }

  constructor(error: OAuthErrorCode, description: string, options: OAuthErrorOptions = {}) {
    super(toErrorText(description), options.cause === undefined ? undefined : { cause: options.cause });
    // the code of an extension grant comes from the site's code, perhaps from further away
    this.error = toErrorText(error);
    this.description = this.message;
    this.status =
      options.status ??
      (Object.hasOwn(STATUS_BY_CODE, error) ? STATUS_BY_CODE[error as keyof typeof STATUS_BY_CODE] : 400);
    this.headers = options.headers ?? {};
    this.reason = options.reason;
    this.detail = options.detail === undefined ? undefined : sanitizeForLog(options.detail);
  }

  /** Express's final handler reads `statusCode` if it ignores `status`. */
  get statusCode(): number {
    return this.status;
  }
}

const BODY_PROBLEMS: Readonly<Record<number, string>> = {
  413: 'the request body is too large',
  415: 'the encoding of the request body is not supported',
};

/** Converts any thrown value to an OAuthError; an unknown error becomes a bare `server_error`. */
export function toOAuthError(thrown: unknown): OAuthError {
  if (thrown instanceof OAuthError) return thrown;
  const { status } = (thrown ?? {}) as { readonly status?: unknown };
  // errors of Express and of body parsers
  if (typeof status === 'number' && status >= 400 && status < 500) {
    const reason = status === 413 ? 'request_too_large' : 'request_malformed';
    const problem = BODY_PROBLEMS[status] ?? 'the request body could not be read';
    return new OAuthError('invalid_request', problem, { status, reason, cause: thrown });
  }
  return unexpectedCondition(undefined, thrown);
}

/** A problem of a request, for its sender (RFC 6749 §4.1.2.1, §5.2). */
export function invalidRequest(
  description: string,
  reason: FailureReason,
  more?: Omit<OAuthErrorOptions, 'reason'>,
): OAuthError {
  return new OAuthError('invalid_request', description, { ...more, reason });
}

/**
 * An error that no caller can mend: a mistake in this package's code, or in the site's.
 *
 * @param detail only for the log and `onError`
 */
export function unexpectedCondition(detail?: string, cause?: unknown): OAuthError {
  return new OAuthError('server_error', 'the server met an unexpected condition', { detail, cause });
}

/**
 * A temporary error: the database failed, or another server did not answer.
 *
 * @param detail only for the log and `onError`
 */
export function unableForTheMoment(
  detail: string,
  cause?: unknown,
  headers?: Readonly<Record<string, string>>,
): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    'the service is unable to handle the request for the moment, please try again',
    { detail, cause: cause ?? detail, headers },
  );
}

/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** RFC 6749 §5.2: error and error_description may contain only %x20-21 / %x23-5B / %x5D-7E. */
function toErrorText(text: string): string {
  return text.replace(/"/g, "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
}
