import type { Request } from 'express';

import type { PolicyOptions, PolicyRequest } from '../../settings/options/policy-options.js';
import type { Settings } from '../../settings/settings.js';
import { OAuthError, unexpectedCondition } from '../../shared/errors.js';
import type { SharedFailures } from '../../shared/limits/failure-limit.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { isSubset } from '../../shared/protocol/scope.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import type { Client } from '../clients/client.js';
import { DEVICE_CODE } from './named-token.js';

/** The client of a decision: a registered client, or a token that a user has made for programs of their own. */
export type PolicyClient = Pick<
  Client,
  'clientId' | 'name' | 'type' | 'trusted' | 'verified' | 'registration' | 'document'
> &
  Partial<Pick<Client, 'tokensPerHour'>>;

export interface PolicyQuestion {
  readonly client: PolicyClient;
  readonly userId?: string | undefined;
  readonly createdBy?: string | undefined;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly authorizationDetails?: readonly AuthorizationDetail[] | undefined;
  readonly grantType: string;
  readonly now: Date;
}

type HookName = keyof PolicyOptions;

export type Policy = ReturnType<typeof createPolicy>;

/**
 * The site's rules: its hooks, and the cap on a client's tokens. Counting the tokens costs one command, or none if the
 * client has no cap.
 */
export function createPolicy(
  { policy, impliedScopes }: Settings,
  { failures }: { readonly failures: SharedFailures },
) {
  const countTokens = failures.counterOf({ name: 'tokens', window: 3600 });
  const refuse = (name: HookName, { grantType }: PolicyQuestion, description: string): OAuthError => {
    const error = name === 'onAuthorize' ? 'access_denied' : (REFUSED_AS[grantType] ?? 'invalid_grant');
    return new OAuthError(error, description, {
      reason: 'refused_by_policy',
      detail: `policy.${name} refused it`,
      // RFC 6749 §5.2: the token endpoint answers 400
      status: 400,
    });
  };

  /** Calls a hook of the site and returns the remaining scopes. Fails closed on invalid results. */
  const ask = async (
    name: HookName,
    question: PolicyQuestion,
    hook: (request: PolicyRequest) => unknown,
  ): Promise<readonly string[]> => {
    const { client, userId, createdBy, authorizationDetails = [], ...others } = question;
    const { clientId, name: clientName, type, trusted, verified = false, registration, document } = client;
    const selfRegistered = (registration ?? document) !== undefined;
    let answer: unknown;
    try {
      answer = await hook({
        ...others,
        client: { clientId, name: clientName, type, trusted, verified, selfRegistered },
        ...withoutUndefined({ userId, createdBy }),
        authorizationDetails,
      });
    } catch (cause) {
      throw cause instanceof OAuthError ? cause : unexpectedCondition(`policy.${name}: it threw`, cause);
    }
    if (answer === undefined) return question.scopes;
    const { refuse: why, scopes } = (answer ?? {}) as {
      readonly refuse?: unknown;
      readonly scopes?: unknown;
    };
    if (typeof why === 'string' && why !== '' && scopes === undefined) throw refuse(name, question, why);
    const isList = Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string');
    if (why !== undefined || !isList)
      throw unexpectedCondition(
        `policy.${name}: it gave something else than nothing, { scopes: [...] } or { refuse: 'why' }`,
      );
    if (!isSubset(scopes, withImplied(question.scopes, impliedScopes)))
      throw unexpectedCondition(`policy.${name}: it gave scopes that were not asked for`);
    if (scopes.length === 0 && question.scopes.length > 0)
      throw refuse(name, question, 'none of the scopes can be given');
    return scopes;
  };

  return {
    /**
     * The scopes that a user can be asked for.
     *
     * @throws OAuthError access_denied
     */
    async authorize(question: PolicyQuestion, req: Request): Promise<readonly string[]> {
      const { onAuthorize } = policy;
      if (onAuthorize === undefined) return question.scopes;
      return ask('onAuthorize', question, (request) => onAuthorize(request, req));
    },
    /**
     * The scopes of a new access token. Counts the token, even if the cap then refuses it.
     *
     * @throws OAuthError if the policy refuses the token: the request fails, and its code or refresh token is not used
     * up. The status is 429 if the client had too many tokens within an hour
     */
    async issue(question: PolicyQuestion): Promise<readonly string[]> {
      const name = question.grantType === 'refresh_token' ? 'onRefresh' : 'onToken';
      const hook = policy[name];
      const scopes = hook === undefined ? question.scopes : await ask(name, question, hook);
      const { clientId, tokensPerHour } = question.client;
      if (tokensPerHour === undefined) return scopes;
      const { failures: tokens, wait } = await countTokens(clientId, 1);
      if (tokens <= tokensPerHour) return scopes;
      const seconds = Math.max(1, wait);
      throw new OAuthError(
        'temporarily_unavailable',
        `the client may have ${tokensPerHour} tokens an hour, try again in ${seconds} seconds`,
        {
          reason: 'rate_limited',
          status: 429,
          headers: { 'Retry-After': String(seconds) },
          detail: `tokensPerHour of the client is ${tokensPerHour}`,
        },
      );
    },
    /**
     * The remaining scopes of a long-lived token, by the same hook as a refresh token; nothing is counted.
     *
     * @throws OAuthError if the policy refuses the use
     */
    async use(question: PolicyQuestion): Promise<readonly string[]> {
      const { onRefresh } = policy;
      return onRefresh === undefined ? question.scopes : ask('onRefresh', question, onRefresh);
    },
  };
}

/** The error code that tells a client not to repeat its request, by grant type. */
const REFUSED_AS: Readonly<Record<string, string>> = {
  // RFC 6749 §4.2.2.1, RFC 8628 §3.5
  implicit: 'access_denied',
  [DEVICE_CODE]: 'access_denied',
  // RFC 6749 §5.2: there is no grant that could be invalid
  client_credentials: 'unauthorized_client',
};
