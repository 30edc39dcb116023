import type { Request } from 'express';

import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { defaultsOf, objectOf, option, type OptionsOf } from '../table/option.js';
import { callback } from '../table/shapes.js';

/** A request for authorization or tokens, as the hooks of `policy` get it. */
export interface PolicyRequest {
  readonly client: {
    readonly clientId: string;
    readonly name: string;
    readonly type: 'confidential' | 'public';
    readonly trusted: boolean;
    readonly verified: boolean;
    /** Whether the client has registered itself, or has a metadata document. */
    readonly selfRegistered: boolean;
  };
  /** The user; absent if the client acts for itself. */
  readonly userId?: string;
  /** The maker of a service token, which has no user. Absent: none, or code has not named one. */
  readonly createdBy?: string | undefined;
  readonly scopes: readonly string[];
  /** The resources of the request, beside this site's API (RFC 8707). */
  readonly resources: readonly string[];
  /** RFC 9396 */
  readonly authorizationDetails: readonly AuthorizationDetail[];
  /** `authorization_code`, `client_credentials`…; `refresh_token` for a refresh. */
  readonly grantType: string;
  readonly now: Date;
}

/** The result of a hook of `policy`: undefined to agree; fewer scopes; or a refusal, with a sentence for the client. */
export type PolicyResult = { readonly scopes: readonly string[] } | { readonly refuse: string } | undefined;

type Hook<Parameters extends readonly unknown[]> = (
  request: PolicyRequest,
  ...more: Parameters
) => PolicyResult | void | Promise<PolicyResult | void>;

const policyOptions = {
  /**
   * `(request, req) => result`: called before a user is asked, and again after the decision. `scopes` are the most that
   * the client may be allowed. A refusal reaches the client as `access_denied`. Default: none.
   */
  onAuthorize: option({
    shape: () =>
      callback<Hook<[req: Request]>>(
        "({ client }, req) => client.verified || isAtWork(req) ? undefined : { refuse: 'not from outside' }",
      ),
  }),
  /**
   * `(request) => result`: called before a grant gives its first tokens, or a client gets one for itself. `scopes` are
   * those of this token. Default: none.
   */
  onToken: option({
    shape: () =>
      callback<Hook<[]>>("({ userId }) => isSuspended(userId) ? { refuse: 'suspended' } : undefined"),
  }),
  /**
   * `(request) => result`: called before a refresh token is used. A refusal is `invalid_grant`, after which most
   * clients throw the token away; the grant stays. Default: none.
   */
  onRefresh: option({
    shape: () =>
      callback<Hook<[]>>(
        "async ({ userId }) => (await isMember(userId)) ? undefined : { refuse: 'not a member any more' }",
      ),
  }),
};

/**
 * The site's hooks. A hook that throws refuses: an `OAuthError` with its own code, any other error with `server_error`.
 */
export type PolicyOptions = OptionsOf<typeof policyOptions>;

/** Rules of your own about what is allowed and given. */
export const policyServerOptions = {
  /**
   * Hooks for your own rules. Each gets a `request` of `{ client, userId, createdBy, scopes, resources,
   * authorizationDetails, grantType, now }`, and returns nothing, `{ scopes }` to leave scopes out, or
   * `{ refuse: 'reason' }`. Default: none.
   */
  policy: option({
    members: policyOptions,
    shape: () => objectOf(policyOptions, 'an object of onAuthorize, onToken, onRefresh'),
    default: defaultsOf(policyOptions),
  }),
};
