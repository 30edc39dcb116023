import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import { isSameResource } from '../../shared/protocol/resource.js';
import type { TokenKind } from '../../shared/protocol/token-kind.js';
import type { AccessToken } from './access-token.js';
import { invalidToken } from './verify-access-token.js';

/** What must be true of a token that a route lets in. @throws OAuthError */
export type Check = (auth: AccessToken) => void;

/** The token is valid but allows too little; the challenge says what would be enough. */
export class InsufficientScope extends OAuthError {
  constructor(
    description: string,
    /** The scopes of the token, with those that they include. */
    readonly held: readonly string[],
  ) {
    super('insufficient_scope', description, {
      reason: 'scope_insufficient',
      detail: `it has ${held.join(' ')}`,
    });
  }
}

/**
 * RFC 8707 §3, RFC 9700 §2.3: a token for one resource server is refused at another; without a resource it is
 * for the issuer.
 */
export function resourceCheck(resource: string, issuer: string): Check {
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

/** RFC 9728 §2: if tokens must be bound, the holder of an unbound one need not be its owner. */
export function boundCheck(required: readonly Confirmation[]): Check {
  return ({ cnf }) => {
    if (required.length === 0 || required.some((member) => cnf?.[member] !== undefined)) return;
    throw invalidToken(`it is not bound, and tokens here have ${required.join(' or ')}`);
  };
}

/** By then the token has all its scopes: those it was given, and those that they include. */
export function scopeCheck({
  scopes,
  any,
}: {
  readonly scopes: readonly string[];
  readonly any: boolean;
}): Check {
  return (auth) => {
    const has = (scope: string) => auth.scopes.includes(scope);
    if (scopes.length === 0 || (any ? scopes.some(has) : scopes.every(has))) return;
    throw new InsufficientScope(
      `the access token needs ${any ? 'one of the scopes' : 'the scope'} ${scopes.join(' ')}`,
      auth.scopes,
    );
  };
}

/** Some routes are for apps alone, such as those that change a password. */
export function kindCheck({ kinds }: { readonly kinds: readonly TokenKind[] | undefined }): Check {
  return ({ kind, clientId }) => {
    if (kinds?.includes(kind) === false)
      throw new OAuthError('insufficient_scope', 'tokens of this kind are not let in here', {
        reason: 'kind_not_allowed',
        detail: `${clientId} has a token of the kind ${kind}, and the route lets in ${kinds.join(', ')}`,
      });
  };
}

/** A client that acts for itself has no person whose data a route could be about. */
export function personCheck({ person }: { readonly person: boolean }): Check {
  return (auth) => {
    if (person && auth.userId === undefined)
      throw new OAuthError('insufficient_scope', 'the access token must be that of a person', {
        reason: 'user_required',
        detail: `${auth.clientId} has it for itself`,
      });
  };
}
