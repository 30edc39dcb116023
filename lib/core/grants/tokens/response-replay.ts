import type { Settings } from '../../../settings/settings.js';
import { seal, unseal } from '../../../shared/crypto/seal.js';
import { equalText } from '../../../shared/crypto/secrets.js';
import { OAuthError } from '../../../shared/errors.js';
import type { AuthorizationDetail } from '../../../shared/protocol/authorization-details.js';
import { parseScope } from '../../../shared/protocol/scope.js';
import { stillRegisteredDetails } from '../../authorization-details/compare-details.js';
import type { Client } from '../../clients/client.js';
import { stillRegisteredScopes } from '../../clients/resolve-scopes.js';
import { bindingId } from '../../proof-of-possession/binding.js';
import type { Grant, StoredResend } from '../grant.js';
import type { GrantStore } from '../grant-store.js';
import type { IssueContext } from './token-context.js';
import type { TokenResponse } from './token-issuer.js';

/** What a response was given for. The names stay as they were first stored: keys are derived from them. */
const PURPOSES = { refreshToken: 'refresh replay', authorizationCode: 'code replay' } as const;

/** The code or refresh token of a request, and what else its repetition must have in common. */
export interface ReplayKey {
  readonly grantId: string;
  /** The code or refresh token as the client presented it. */
  readonly secret: string;
  readonly hash: string;
  /** What the request asks for, by `requestFingerprint`. */
  readonly fingerprint: string;
}

/** What is stored of a response, sealed. */
interface SealedResponse {
  readonly asked: string;
  readonly response: TokenResponse;
}

/** Repeats a lost response. What is stored of it is opened only by the code or token that was used up for it. */
export interface ResponseReplays {
  /**
   * What to store with the new tokens. Undefined if there is no grace, or if the previous response was repeated:
   * otherwise nobody would notice a thief and a client who take turns.
   */
  seal(
    key: ReplayKey,
    context: IssueContext,
    {
      response,
      previous,
    }: { readonly response: TokenResponse; readonly previous?: StoredResend | undefined },
  ): Promise<StoredResend | undefined>;
  /**
   * The response that this request repeats, from the grant as it was read; undefined if the request repeats none, or
   * comes too late.
   *
   * @throws OAuthError invalid_scope if the client has lost one of its scopes since; invalid_dpop_proof if the request
   *   has no proof of its own
   */
  find(key: ReplayKey, context: IssueContext, grant: Grant | null): Promise<TokenResponse | undefined>;
  /** Like `find`, from the grant as it is now: another request, perhaps in another process, was a moment faster. */
  findFresh(key: ReplayKey, context: IssueContext): Promise<TokenResponse | undefined>;
}

export interface ResponseReplaysOptions {
  readonly of: keyof typeof PURPOSES;
  /** Seconds in which a repetition by a client is answered. */
  readonly graceFor: (client: Client) => number;
  readonly settings: Pick<Settings, 'reuseGrace' | 'scopes' | 'impliedScopes' | 'authorizationDetails'>;
  readonly grants: Pick<GrantStore, 'find' | 'markResent'>;
}

export function createResponseReplays({
  of,
  graceFor,
  settings,
  grants,
}: ResponseReplaysOptions): ResponseReplays {
  const sealKey = ({ grantId, secret }: ReplayKey) => ({ secret, owner: grantId, purpose: PURPOSES[of] });

  const open = async (key: ReplayKey, { client, now }: IssueContext, grant: Grant | null) => {
    const stored = grant?.revokedAt === undefined ? grant?.resend : undefined;
    if (stored === undefined || !equalText(stored.hash, key.hash)) return undefined;
    // the option as it is now: a host that removes the grace removes it for stored responses, too
    const elapsed = Math.max(0, now.getTime() - stored.rotatedAt.getTime()) / 1000;
    if (elapsed >= graceFor(client)) return undefined;
    const sealed = JSON.parse(await unseal(stored.sealed, sealKey(key))) as SealedResponse;
    if (sealed.asked !== key.fingerprint) return undefined;
    const { response } = sealed;
    return { ...response, expires_in: Math.max(0, Math.floor(response.expires_in - elapsed)) };
  };

  const find: ResponseReplays['find'] = async (key, context, grant) => {
    const response = await open(key, context, grant);
    if (response === undefined) return undefined;
    requireRegistered(response, context.client, settings);
    // RFC 9449 §11.1: somebody who has only overheard the first request cannot send it again
    await context.proof?.use();
    const isMarked = grant?.resend?.isAnswered === true;
    return isMarked || (await grants.markResent(key.grantId, key.hash)) ? response : undefined;
  };

  return {
    async seal(key, { client, now }, { response, previous }) {
      if (graceFor(client) === 0 || previous?.isAnswered === true) return undefined;
      const sealed: SealedResponse = { asked: key.fingerprint, response };
      return { hash: key.hash, sealed: await seal(JSON.stringify(sealed), sealKey(key)), rotatedAt: now };
    },
    find,
    findFresh: async (key, context) =>
      settings.reuseGrace === 0 ? undefined : find(key, context, await grants.find(key.grantId)),
  };
}

/** Requests with the same names (scopes, resources), details and key are the same request. */
export function requestFingerprint(
  names: readonly string[],
  {
    proof,
    authorizationDetails,
  }: Pick<IssueContext, 'proof'> & {
    readonly authorizationDetails?: readonly AuthorizationDetail[] | undefined;
  },
): string {
  const details = authorizationDetails === undefined ? [] : [JSON.stringify(authorizationDetails)];
  return [...names, ...bindingId(proof), ...details].join(' ');
}

/** Refuses to repeat what the client has lost since. */
function requireRegistered(
  { scope, authorization_details: details = [] }: TokenResponse,
  client: Client,
  settings: ResponseReplaysOptions['settings'],
): void {
  const scopes = scope === undefined ? [] : parseScope(scope);
  if (stillRegisteredScopes(scopes, client, settings).length < scopes.length)
    throw new OAuthError('invalid_scope', 'the client is not registered for all of these scopes any more', {
      reason: 'scope_not_registered',
    });
  if (stillRegisteredDetails(details, client, settings).length < details.length)
    throw new OAuthError(
      'invalid_authorization_details',
      'the client may not have all of these authorization_details any more',
      { reason: 'authorization_details_not_registered' },
    );
}
