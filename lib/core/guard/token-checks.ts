import type { Request } from 'express';

import type { Settings } from '../../settings/settings.js';
import { clockDetail } from '../../shared/clock-tolerance.js';
import { OAuthError, type OAuthErrorCode, type OAuthErrorOptions } from '../../shared/errors.js';
import { isSameResource } from '../../shared/protocol/resource.js';
import type { TokenKind } from '../../shared/protocol/token-kind.js';
import type { ReadClientCertificate } from '../http/client-certificate.js';
import type { AccessToken } from './access-token.js';
import type { ChallengeAttributes } from './schemes/scheme.js';
import { invalidToken } from './verify-access-token.js';

/** Checks one property of a token. @throws OAuthError unless the route may let the token in */
export type TokenCheck = (auth: AccessToken, now: Date) => void;

interface Insufficiency extends Required<Pick<OAuthErrorOptions, 'reason' | 'detail'>> {
  readonly error: OAuthErrorCode;
  readonly description: string;
  /** What the challenge says beside the scopes. */
  readonly attributes?: ChallengeAttributes;
}

/** The token is valid but allows too little; the challenge says what would be enough. */
export class InsufficientToken extends OAuthError {
  readonly attributes: ChallengeAttributes;

  constructor(
    /** The scopes of the token, with those that they include. */
    readonly granted: readonly string[],
    { error, description, attributes = {}, reason, detail }: Insufficiency,
  ) {
    super(error, description, { reason, detail });
    this.attributes = attributes;
  }
}

/**
 * RFC 8707 §3, RFC 9700 §2.3: a token for one resource server is refused at another; without a resource it is
 * for the issuer.
 */
export function createResourceCheck(resource: string, issuer: string): TokenCheck {
  const { href } = new URL(resource);
  const isIssuer = isSameResource(issuer, resource);
  return (auth) => {
    const isFor = auth.resource === undefined ? isIssuer : auth.resource.href === href;
    if (!isFor) throw invalidToken(`it is for ${auth.resource?.href ?? issuer}, not for ${resource}`);
  };
}

/** What a token can be bound to, by the members of RFC 7800 §3.1: a key, or a certificate. */
export type Confirmation = 'jkt' | 'x5t#S256';

/** A token must be bound to one of these at the guards of a site. */
export function requiredConfirmationsOf({
  profile,
  dpop,
}: Pick<Settings, 'profile' | 'dpop'>): readonly Confirmation[] {
  if (dpop !== false && dpop.required) return ['jkt'];
  // FAPI 2.0 Security Profile §5.3.4-5: either of the two will do
  return profile === undefined ? [] : ['jkt', 'x5t#S256'];
}

/** RFC 9728 §2: a resource can require bound tokens, since an unbound one may be stolen. */
export function createBindingCheck(required: readonly Confirmation[]): TokenCheck {
  return ({ cnf }) => {
    if (required.length === 0 || required.some((member) => cnf?.[member] !== undefined)) return;
    throw invalidToken(`it is not bound, and tokens here have ${required.join(' or ')}`);
  };
}

/** Called with a token whose scopes are complete: the granted ones, and those that they include. */
export function createScopeCheck({
  scopes,
  any,
}: {
  readonly scopes: readonly string[];
  readonly any: boolean;
}): TokenCheck {
  return (auth) => {
    const has = (scope: string) => auth.scopes.includes(scope);
    if (scopes.length === 0 || (any ? scopes.some(has) : scopes.every(has))) return;
    throw new InsufficientToken(auth.scopes, {
      error: 'insufficient_scope',
      description: `the access token needs ${any ? 'one of the scopes' : 'the scope'} ${scopes.join(' ')}`,
      reason: 'scope_insufficient',
      detail: `it has ${auth.scopes.join(' ')}`,
    });
  };
}

/** What a route needs of the user's login. */
export interface RequiredLogin {
  /** Seconds. */
  readonly maxAge?: number | undefined;
  readonly acr?: readonly string[] | undefined;
}

/**
 * The login is recent and strong enough. A token that does not say so is refused, as one that the client has for
 * itself.
 *
 * @param clockTolerance seconds by which the clock of the server that has seen the login may be apart
 * @see RFC 9470 §3
 */
export function createAuthenticationCheck(
  { maxAge, acr }: RequiredLogin,
  clockTolerance: number,
): TokenCheck {
  const attributes = {
    ...(acr && { acr_values: acr.join(' ') }),
    ...(maxAge !== undefined && { max_age: String(maxAge) }),
  };
  const refuse = (auth: AccessToken, description: string, detail: string) =>
    new InsufficientToken(auth.scopes, {
      error: 'insufficient_user_authentication',
      description,
      attributes,
      reason: 'authentication_insufficient',
      detail,
    });
  return (auth, now) => {
    if (acr !== undefined && (auth.acr === undefined || !acr.includes(auth.acr)))
      throw refuse(auth, 'a different authentication level is required', `its acr is ${auth.acr}`);
    if (maxAge === undefined) return;
    const age = now.getTime() / 1000 - (auth.authTime ?? -Infinity);
    if (age > maxAge)
      throw refuse(auth, 'more recent authentication is required', `its auth_time is ${auth.authTime}`);
    // a login in the future would count as recent until the clocks agree
    if (age < -clockTolerance)
      throw refuse(
        auth,
        'more recent authentication is required',
        clockDetail('auth_time', Number(auth.authTime), { now, clockTolerance }),
      );
  };
}

/** Some routes are for apps alone, such as those that change a password. */
export function createTokenKindCheck({
  kinds,
}: {
  readonly kinds: readonly TokenKind[] | undefined;
}): TokenCheck {
  return ({ kind, clientId }) => {
    if (kinds?.includes(kind) === false)
      throw new OAuthError('insufficient_scope', 'tokens of this kind are not let in here', {
        reason: 'kind_not_allowed',
        detail: `${clientId} has a token of the kind ${kind}, and the route lets in ${kinds.join(', ')}`,
      });
  };
}

/** A client that acts for itself has no user whose data a route could be about. */
export function createUserCheck({ requireUser }: { readonly requireUser: boolean }): TokenCheck {
  return (auth) => {
    if (requireUser && auth.userId === undefined)
      throw new OAuthError('insufficient_scope', 'the access token must be one of a user', {
        reason: 'user_required',
        detail: `${auth.clientId} has it for itself`,
      });
  };
}

/**
 * RFC 8705 §3: a token that is bound to a certificate works only on a connection with that certificate. Its chain and
 * dates are not checked (RFC 8705 §6.2): it proves only that this client is the one that got the token.
 *
 * @param read undefined: no certificates are read, and such tokens are refused
 * @throws OAuthError invalid_token
 */
export function checkCertificate(
  read: ReadClientCertificate | undefined,
  req: Request,
  { cnf }: AccessToken,
): void {
  if (cnf === undefined || !('x5t#S256' in cnf)) return;
  const thumbprint = read?.(req)?.thumbprint;
  if (thumbprint === undefined) throw invalidToken('it is bound to a certificate, and came without one');
  if (thumbprint !== cnf['x5t#S256']) throw invalidToken('it is bound to another certificate');
}
