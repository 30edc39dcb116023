import type { Request } from 'express';

import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { defaultsOf, objectOf, option, type OptionsOf } from '../table/option.js';
import { callback } from '../table/shapes.js';

/** What is about to be allowed or given, as the hooks of `policy` see it. */
export interface PolicyRequest {
  readonly client: {
    readonly clientId: string;
    readonly name: string;
    readonly type: 'confidential' | 'public';
    readonly trusted: boolean;
    readonly verified: boolean;
    /** Whether nobody here has registered it: it registered itself, or is known by its document. */
    readonly selfRegistered: boolean;
  };
  /** The user; absent: the client acts for itself. */
  readonly userId?: string;
  /** Who makes a service token, which is of no user. Absent: nobody does, or your code did not say. */
  readonly createdBy?: string | undefined;
  readonly scopes: readonly string[];
  /** The resources it is for, beside this site's own API (RFC 8707). */
  readonly resources: readonly string[];
  /** RFC 9396 */
  readonly authorizationDetails: readonly AuthorizationDetail[];
  /** `authorization_code`, `client_credentials`…; of a refresh it is `refresh_token`. */
  readonly grantType: string;
  readonly now: Date;
}

/**
 * What a hook of `policy` says: nothing, and all goes on as it is; fewer scopes; or no, with a sentence for the client.
 */
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
 * What your own rules say about who gets what. A hook that throws refuses: an `OAuthError` refuses with its own code,
 * anything else with `server_error`.
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
