import { MAX_OWNERS, OwnershipError, type OwnershipProblem } from '../../core/clients/client-owners.js';
import type { NamedTokenKind } from '../../core/grants/named-token.js';
import { constraintsByHost, detailsFor } from '../../core/grants/programmatic-grants.js';
import { en } from '../../messages/en.js';
import type { Server } from '../../server/server.js';
import { checkValues, parseOptions } from '../../settings/table/parse-options.js';
import { parseScannableToken } from '../../shared/crypto/scannable-tokens.js';
import { OAuthError } from '../../shared/errors.js';
import { parseResources, scopesAt } from '../../shared/protocol/resource.js';
import type { ScopeName, WithScopeNames } from '../../shared/protocol/scope.js';
import type { TokensOf } from '../../storage/grants/named-token-steps.js';
import { MAX_LISTED_TOKENS, MAX_TOKENS, type PersonalAccessTokenSettings } from './options.js';
import { type CreatedPersonalAccessToken, type PersonalAccessToken, toTokenInfo } from './token-info.js';
import {
  blockOptions,
  type BlockTokenOptions,
  type NewPersonalAccessToken,
  newTokenOptions,
  rotationOptions,
  type TokenRotationOptions,
  type WhosePersonalAccessTokens,
  whoseTokensOptions,
} from './token-options.js';
import { createTokenOwners } from './token-owners.js';
import { findExpiry, findNameProblem, findPurposeProblem, rulesFor } from './token-rules.js';
import { createTokenService, revokeLeakedToken, tooManyTokens } from './token-service.js';

/** Personal access tokens and service tokens, from code. */
export interface PersonalAccessTokens<Scopes extends string = string> {
  /**
   * Makes a token without asking the user: you are responsible for it. Only this response has its value.
   *
   * @throws TypeError if an option is wrong
   * @throws OAuthError invalid_scope, invalid_target, access_denied if there are too many or `policy` refuses
   */
  create(token: WithScopeNames<NewPersonalAccessToken, Scopes>): Promise<CreatedPersonalAccessToken>;
  /** The live tokens of a user, or the service tokens that a user owns, the newest first. */
  list(whose: WhosePersonalAccessTokens): Promise<readonly PersonalAccessToken[]>;
  /** A live token; null if there is none. */
  find(id: string): Promise<PersonalAccessToken | null>;
  /**
   * Gives a token a new value. The previous value stays valid for a while, so that you can change the program.
   *
   * @throws OAuthError invalid_request if there is no such token, or another request replaced it at the same time
   */
  rotate(id: string, options?: TokenRotationOptions): Promise<CreatedPersonalAccessToken>;
  /**
   * Reduces a token to these scopes; no call adds scopes again.
   *
   * @throws OAuthError invalid_scope if the token lacks one of them
   */
  narrow(id: string, scopes: readonly ScopeName<Scopes>[]): Promise<PersonalAccessToken>;
  /**
   * Blocks a token: all its values are refused from the next call on, until `unblock`, which restores it unchanged. Its
   * user sees `reason` (at most 500 characters), and can end the token, but not replace it.
   *
   * @throws OAuthError invalid_request if there is no such token, or the reason is too long or has invisible characters
   */
  block(id: string, options?: BlockTokenOptions): Promise<PersonalAccessToken>;
  /** Unblocks a token. @throws OAuthError invalid_request if there is no such token */
  unblock(id: string): Promise<PersonalAccessToken>;
  /** Ends a token at once; false if there was none. `grants.revoke({ userId })` ends all of a user's. */
  revoke(id: string): Promise<boolean>;
  /** Ends the token with this leaked value; null if no live token has it. */
  revokeLeaked(token: string): Promise<PersonalAccessToken | null>;
  /**
   * Makes a user an owner of a service token.
   *
   * @throws OAuthError invalid_request if there is no such service token or it has 20 owners, access_denied if the user
   * owns the maximum number
   */
  addOwner(id: string, userId: string): Promise<PersonalAccessToken>;
  /** Removes an owner. @throws OAuthError invalid_request if none would be left */
  removeOwner(id: string, userId: string): Promise<PersonalAccessToken>;
}

const NAME = 'personalAccessTokens';

/** Without the option, each function throws. */
export function createPersonalAccessTokens(server: Server): PersonalAccessTokens {
  const { settings, models, events, namedTokens, policy } = server;
  // without the option, the code below never runs
  const options = settings.personalAccessTokens as PersonalAccessTokenSettings;
  const { grants } = models;
  const service = createTokenService({ ...settings, models, policy, options });
  const { emit } = events;
  const owners = createTokenOwners(grants);
  const findInfo = async (id: string) => toTokenInfo(await service.find(id, undefined, new Date()));
  const expiryFor = (name: string, expiresIn: number | null | undefined, kind: NamedTokenKind, now: Date) => {
    const expiry = findExpiry(expiresIn, { kind, options, now });
    if (expiry instanceof Date) return expiry;
    throw new TypeError(`${NAME}.${name}: expiresIn ${EXPIRY_PROBLEMS[expiry]}`);
  };

  const functions: PersonalAccessTokens = {
    async create(input) {
      const now = new Date();
      const functionName = `${NAME}.create`;
      const parsed = parseOptions(functionName, newTokenOptions, input);
      const { userId, owners, name, purpose = '', resource } = parsed;
      if ((userId === undefined) === (owners === undefined))
        throw new TypeError(`${functionName}: name either a userId or owners`);
      const problem = findNameProblem(name) ?? findPurposeProblem(purpose);
      if (problem !== undefined) throw new TypeError(`${functionName}: ${en[problem]}`);
      const unknown = parsed.scopes.find((scope) => !options.scopes.includes(scope));
      if (unknown !== undefined)
        throw new OAuthError('invalid_scope', `there is no such scope for tokens: ${unknown}`);
      if (resource !== undefined && settings.resources.size === 0)
        throw new OAuthError('invalid_target', 'the option resources names no resource');

      // the rules of the page
      const kind = userId === undefined ? 'service' : 'personal';
      const resources = parseResources(resource === undefined ? [] : [resource], settings.resources);
      const scopes = scopesAt([...new Set(parsed.scopes)], resources, settings.resources);
      const authorizationDetails = await detailsFor({}, parsed, settings, functionName);
      const rules = { settings: rulesFor(kind, settings), now, functionName };
      const token = {
        kind,
        userId,
        owners: owners && [...new Set(owners)],
        name,
        purpose,
        resource: resources[0],
        expiresAt: expiryFor('create', parsed.expiresIn, kind, now),
        ...constraintsByHost({ scopes, authorizationDetails }, parsed, rules),
        scopes,
      } as const;
      return service.create(token, { now, emit });
    },
    async list(whose) {
      const { userId, ownerId } = parseOptions(`${NAME}.list`, whoseTokensOptions, whose);
      checkValues(`${NAME}.list`, whose);
      if ((userId === undefined) === (ownerId === undefined))
        throw new TypeError(`${NAME}.list: name a userId or an ownerId, as text`);
      const of = userId === undefined ? { ownerId: String(ownerId) } : { userId };
      return (await listFresh(server, of)).map(toTokenInfo);
    },
    async find(id) {
      await namedTokens.flush([id]);
      const grant = await grants.findNamedToken(requireText('find', id), undefined, new Date());
      return grant && toTokenInfo(grant);
    },
    async rotate(id, rotation = {}) {
      const { overlap, expiresIn } = parseOptions(`${NAME}.rotate`, rotationOptions, rotation);
      const now = new Date();
      const { kind } = await findInfo(requireText('rotate', id));
      const expiresAt = expiresIn === undefined ? undefined : expiryFor('rotate', expiresIn, kind, now);
      return service.rotate(id, undefined, { overlap, expiresAt, now, emit });
    },
    async narrow(id, scopes) {
      const { scopes: left } = parseOptions(`${NAME}.narrow`, { scopes: newTokenOptions.scopes }, { scopes });
      await service.narrow(requireText('narrow', id), undefined, { scopes: left, now: new Date(), emit });
      return findInfo(id);
    },
    async block(id, blocking = {}) {
      const { reason } = parseOptions(`${NAME}.block`, blockOptions, blocking);
      await service.block(requireText('block', id), { reason, now: new Date(), emit });
      return findInfo(id);
    },
    async unblock(id) {
      await service.unblock(requireText('unblock', id), { now: new Date(), emit });
      return findInfo(id);
    },
    async revoke(id) {
      return service.revoke(requireText('revoke', id), undefined, { reason: 'host', now: new Date(), emit });
    },
    async revokeLeaked(token) {
      const presented = parseScannableToken(requireText('revokeLeaked', token));
      const ended = presented && (await revokeLeakedToken(models, presented, { now: new Date(), emit }));
      return ended && toTokenInfo(ended);
    },
    async addOwner(id, userId) {
      const now = new Date();
      const ownerId = requireText('addOwner', userId);
      const joining = { userId: ownerId, maxOwned: MAX_TOKENS, now, emit };
      await owners.add(requireText('addOwner', id), joining).catch((error: unknown) => {
        if (error instanceof OwnershipError && error.problem === 'too-many-clients') throw tooManyTokens();
        return rethrowOwnership(error);
      });
      return findInfo(id);
    },
    async removeOwner(id, userId) {
      const step = { now: new Date(), emit };
      await owners.removeOwner(requireText('removeOwner', id), userId, step).catch(rethrowOwnership);
      return findInfo(id);
    },
  };
  if (settings.personalAccessTokens) return functions;
  const isOff = (name: string) => () =>
    Promise.reject(new TypeError(`${NAME}.${name}: write the option personalAccessTokens: true`));
  return Object.fromEntries(
    Object.keys(functions).map((name) => [name, isOff(name)]),
  ) as unknown as PersonalAccessTokens;
}

const OWNERSHIP_PROBLEMS: Partial<Record<OwnershipProblem, string>> = {
  'last-owner': 'somebody has to look after a service token',
  'too-many-owners': `at most ${MAX_OWNERS} people look after a service token`,
};

function rethrowOwnership(error: unknown): never {
  const description = error instanceof OwnershipError ? OWNERSHIP_PROBLEMS[error.problem] : undefined;
  throw description === undefined ? error : new OAuthError('invalid_request', description, { status: 400 });
}

const EXPIRY_PROBLEMS = {
  past: 'lies in the past',
  late: 'is later than the option personalAccessTokens.maxTtl allows',
  never: 'is null, but only with personalAccessTokens.maxTtl: false a token can live without an end',
} as const;

/** The tokens, with the days of their last use as far as this process knows. */
export async function listFresh({ models: { grants }, namedTokens }: Server, of: TokensOf) {
  const now = new Date();
  const listed = await grants.listNamedTokens(of, now, MAX_LISTED_TOKENS);
  const isNews = await namedTokens.flush(listed.map(({ grantId }) => grantId));
  return isNews ? grants.listNamedTokens(of, now, MAX_LISTED_TOKENS) : listed;
}

function requireText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`${NAME}.${name}: the argument must be text that is not empty`);
}
