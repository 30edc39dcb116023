import type { Choices } from '../../../settings/options/choice-options.js';
import type { Settings } from '../../../settings/settings.js';
import type { AuthorizationDetail } from '../../../shared/protocol/authorization-details.js';
import type { Client } from '../../clients/client.js';
import type { Authorization as GrantedAuthorization } from '../../grants/grant.js';
import type { GrantIssueDependencies } from '../../grants/issue-grant.js';
import type { Emit } from '../../observability/events.js';
import type { CreateIdToken, OpenidAuthorization } from '../../openid/openid-authorization.js';
import type { UserAuthentication } from '../../sessions/user-authentication.js';

/** The data about the login that a grant stores. */
export interface RecordedLogin {
  /** The login in ID tokens. Present if the client may sign the user in. */
  readonly openid?: OpenidAuthorization | undefined;
  /** The login in access tokens. Present with the option `stepUp`. */
  readonly authentication?: UserAuthentication | undefined;
}

export interface AuthorizedRequest extends RecordedLogin {
  readonly client: Client;
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly authorizationDetails: readonly AuthorizationDetail[];
  readonly choices?: Choices | undefined;
  readonly endsAt?: Date | undefined;
  readonly redirectUri: string;
  readonly isRedirectUriRequested: boolean;
  readonly codeChallenge: string | undefined;
  readonly jkt: string | undefined;
  readonly now: Date;
  readonly emit: Emit;
}

/** The members that the grant stores. */
export function grantedBy(authorized: AuthorizedRequest): GrantedAuthorization {
  const { userId, scopes, resources, authorizationDetails } = authorized;
  const { choices, endsAt, openid, authentication } = authorized;
  const { mayAct } = authorized.client;
  return {
    userId,
    scopes,
    resources,
    authorizationDetails,
    choices,
    endsAt,
    openid,
    authentication,
    mayAct: mayAct?.length ? mayAct : undefined,
  };
}

export type CreateResponseType = (dependencies: ResponseTypeDependencies) => ResponseType;

export interface ResponseTypeDependencies extends GrantIssueDependencies {
  readonly settings: Settings;
  readonly createIdToken?: CreateIdToken | undefined;
}

/**
 * One `response_type` of the authorization endpoint. `lib/features.ts` lists the response types of every server;
 * features bring others.
 */
export interface ResponseType {
  readonly responseType: string;
  /** The grant type that enables the response type, for the server and for a client. */
  readonly grantType: 'authorization_code' | 'implicit';
  /** The response mode that carries its parameters and errors to the client (RFC 6749 §4.1.2, §4.2.2). */
  readonly defaultMode: string;
  readonly usesPkce: boolean;
  /** Whether a confidential client has to authenticate to make use of the response. */
  readonly authenticatesClient: boolean;
  /** Whether the browser carries an ID token. Default: no. */
  readonly givesIdToken?: boolean;
  /** Whether the browser carries an access token although `grantType` is no implicit grant. Default: no. */
  readonly givesAccessToken?: boolean;
  /** Stores the grant and returns the parameters of the response. */
  issue(authorization: AuthorizedRequest): Promise<Readonly<Record<string, string>>>;
}
