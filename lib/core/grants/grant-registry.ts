import { option, type OptionsOf } from '../../settings/table/option.js';
import { checkValues, parseOptions } from '../../settings/table/parse-options.js';
import { flag, oneOf, text } from '../../settings/table/shapes.js';
import { type ImpliedScopes, NOTHING_IMPLIED, withImpliers } from '../../shared/protocol/implied-scopes.js';
import type { WithScopeNames } from '../../shared/protocol/scope.js';
import { TOKEN_KINDS, type TokenKind } from '../../shared/protocol/token-kind.js';
import * as z from '../../shared/schema.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import type { SigningKeyStore } from '../keys/signing-key-store.js';
import type { Emit } from '../observability/events.js';
import type { ConsentStore } from './consent-store.js';
import type { GrantStore } from './grant-store.js';
import type { CreatedGrant, NewGrantOptions } from './programmatic-grants.js';

const filterOptions = {
  /** Ends the grants of this user. At least one member is needed, and every member must match. */
  userId: option({ shape: () => text('the id of a user, as text') }),
  /** Ends the grants of this client. */
  clientId: option({ shape: () => text('the id of a client, as text') }),
  /** Ends the grants with this scope, or with one that includes it. */
  scope: option({ shape: () => text('a scope, as text') }),
  /** Ends the grants of this kind: `app`, `device`, `personal` or `service`. */
  kind: option({ shape: () => oneOf(TOKEN_KINDS) }),
  /** Ends the grants that began before this date, even if they were refreshed later. */
  issuedBefore: option({
    shape: () =>
      z.custom<Date>((value) => value instanceof Date && value.getTime() <= Date.now(), 'a Date in the past'),
  }),
  /** Ends all grants: `true`, with no other member but `dryRun`. */
  all: option({ shape: () => z.literal(true, 'true') }),
  /**
   * Whether only to count the grants that would end. Default: `false`. The argument `reason` is that of the event
   * `grant.revoked`, by default `host`.
   */
  dryRun: option({ shape: flag, default: false }),
};

type GrantsFilter = OptionsOf<typeof filterOptions>;

/** Which grants end. At least one member besides `dryRun` is needed. */
export type GrantsOf = GrantsFilter &
  (
    | { readonly userId: string }
    | { readonly clientId: string }
    | { readonly scope: string }
    | { readonly kind: TokenKind }
    | { readonly issuedBefore: Date }
    | { readonly all: true }
  );

/** Ends grants from the site's code: after a changed password, a misbehaving client, a leaked backup. */
export interface GrantRevocation<Scopes extends string = string> {
  /**
   * Ends all tokens of the matching grants, in batches: an interrupted call can be repeated. The users' consents are
   * deleted, so that the client has to ask again (not by `kind`). With `all`, or `issuedBefore` alone, JWTs that were
   * issued until now are refused as well: by the processes of the site within a minute, by `bearerGuard` within twelve.
   * This does not apply to keys of the option `signingKeys.keys`: replace them. Returns the number of ended grants.
   *
   * @param reason of the event `grant.revoked`. Default: `host`
   * @throws TypeError if no member is named, or one is present but wrong (`undefined` included)
   */
  revoke(of: WithScopeNames<GrantsOf, Scopes>, reason?: string): Promise<number>;
}

/** Grants from code. */
export interface GrantRegistry<Scopes extends string = string> extends GrantRevocation<Scopes> {
  /**
   * Makes a grant without asking anybody: you are responsible for it. For your own programs, for moving from another
   * server, for tests. It is stored and ended like any other; its event is `token.issued` with the grant type `host`.
   *
   * @throws TypeError if an option is wrong
   * @throws OAuthError invalid_client if there is no such client, unauthorized_client if it is public and there is no
   * userId, invalid_scope, invalid_target, invalid_grant if the user has the id of the client
   * @see RFC 6749 §1.4, §1.5
   */
  create(grant: WithScopeNames<NewGrantOptions, Scopes>): Promise<CreatedGrant>;
}

export function createGrantRevocation(
  models: {
    readonly grants: GrantStore;
    readonly consents: ConsentStore;
    readonly signingKeys: Pick<SigningKeyStore, 'refuseIssued'>;
  },
  emit: Emit = () => undefined,
  options: {
    /** The scopes that each scope includes. */
    readonly implied?: ImpliedScopes | undefined;
    readonly onProgress?: (count: number) => void;
  } = {},
): GrantRevocation {
  const { grants, consents, signingKeys } = models;
  const { implied = NOTHING_IMPLIED, onProgress } = options;
  return {
    async revoke(input, reason = 'host') {
      const parsed = parseOptions('grants.revoke', filterOptions, input);
      checkValues('grants.revoke', input);
      const { userId, clientId, scope, kind, issuedBefore, all, dryRun = false } = parsed;
      const members = Object.keys(input).filter((name) => name !== 'dryRun');
      if (members.length === 0)
        throw new TypeError(
          'grants.revoke: name a userId, a clientId, a scope, a kind, issuedBefore, or all: true',
        );
      if (all && members.length > 1)
        throw new TypeError(
          `grants.revoke: all ends everything; leave out ${members.filter((name) => name !== 'all').join(', ')}`,
        );
      const now = new Date();
      const whose = withoutUndefined({ userId, clientId });
      const scopes = scope === undefined ? undefined : withImpliers([scope], implied);
      const end = () =>
        grants.revokeAll({ ...whose, scopes, kind, issuedBefore }, now, { dryRun, onProgress });
      if (dryRun) return end();
      const forget = async () => {
        if (kind === undefined) await consents.forget({ ...whose, scopes, issuedBefore });
      };
      // the consents go first, so that a silent request in between finds none
      await forget();
      if (all || (issuedBefore && members.length === 1)) await signingKeys.refuseIssued();
      const before = await end();
      // ends grants of requests that read a consent before its deletion, then deletes consents that they stored
      const revoked = before + (await end());
      await forget();
      const filter = withoutUndefined({ scope, kind, issuedBefore: issuedBefore?.toISOString(), all });
      const isPart = Object.keys(filter).length > 0;
      await emit('grant.revoked', {
        ...whose,
        count: revoked,
        reason,
        ...(isPart && { filter: new URLSearchParams(filter as Record<string, string>).toString() }),
      });
      return revoked;
    },
  };
}
