import type { Router } from 'express';

import {
  type BearerGuardOptions,
  bearerGuardOptions,
  type BearerGuardSettings,
} from '../../settings/bearer-guard-options.js';
import { optionError, parseOptions } from '../../settings/table/parse-options.js';
import { SIGNATURE_ALGORITHMS } from '../../shared/crypto/signature-algorithms.js';
import { OAuthError } from '../../shared/errors.js';
import { createCounter } from '../../shared/limits/counter.js';
import { createFailureLimit, failureKey } from '../../shared/limits/failure-limit.js';
import { createKeyedMutex } from '../../shared/limits/keyed-mutex.js';
import { createConcurrencyLimit } from '../../shared/outbound/concurrency-limit.js';
import { findImpliedProblem, resolveImplied } from '../../shared/protocol/implied-scopes.js';
import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import { isJwt } from '../grants/tokens/access-tokens.js';
import { createCertificateReader } from '../http/client-certificate.js';
import { createReport } from '../observability/report.js';
import { createNonces } from '../proof-of-possession/dpop-nonces.js';
import { createProofVerifier, type ProofVerifier } from '../proof-of-possession/dpop-proof.js';
import { rememberUsedProofs } from '../proof-of-possession/replay-store.js';
import type { GuardDependencies } from './admission.js';
import type { Confirmation } from './checks.js';
import { createDiscovery, MAX_AGE } from './discovery.js';
import { createGuard, type Guard } from './guard.js';
import { createIntrospectionVerifier, type IntrospectionVerifierOptions } from './introspection-verifier.js';
import { createJwtVerifier } from './jwt-verifier.js';
import { OAUTH2_SCHEME } from './openapi-operation.js';
import {
  createProtectedResourceMetadata,
  describeBoundToCertificates,
  describeBoundToKeys,
  type ProtectedResource,
} from './protected-resource.js';
import { createTokenWatch, type TokenWatchOptions } from './token-watch.js';
import { withVerifiedTokenCache } from './verified-token-cache.js';
import { invalidToken, type VerifyAccessToken } from './verify-access-token.js';

/** Requests that may wait for introspections at the same moment; each holds some kilobytes. */
const MAX_WAITING = 1000;

/** Requests of one address that may wait to have their tokens introspected after too many of its tokens were wrong. */
const MAX_BEYOND_LIMIT = 20;

/** Seconds that a proof is good for. */
const PROOF_AGE = 60;

/** A guard, with the metadata of its resource: `app.use(guard.wellKnown)` at the site's root. (RFC 9728) */
export interface BearerGuard extends Guard {
  readonly wellKnown: Router;
}

/**
 * Guards the routes of a resource server that is a process of its own. It verifies JWTs with the published keys, and
 * opaque tokens by introspection. It needs no database.
 *
 * @throws TypeError if an option is wrong
 * @example
 * const guard = bearerGuard({ issuer: 'https://photos.example', resource: 'https://api.photos.example' });
 * app.use(guard.wellKnown);
 * app.get('/photos', guard('photos:read'), (req, res) => res.json(photosOf(req.auth.userId)));
 */
export function bearerGuard(given: BearerGuardOptions): BearerGuard {
  const options = parseOptions('bearerGuard', bearerGuardOptions, given);
  checkTogether(options);
  const {
    issuer,
    resource = issuer,
    scopes,
    impliedScopes,
    bearerMethods,
    dpop,
    mutualTls,
    name,
    onError,
    findUser,
  } = options;
  const { verify, look } = createVerifier(options, resource);
  const guard = createGuard({
    verify,
    watch: createTokenWatch({ look, recheck: options.recheck }),
    report: createReport({ onError }),
    issuer,
    realm: new URL(resource).host,
    bearerMethods,
    proofs: dpop === false ? undefined : createProofsOfProcess(options),
    readCertificate: mutualTls === false ? undefined : createCertificateReader(mutualTls),
    requiredConfirmations: requiredConfirmationsIn(options),
    clockTolerance: options.clockTolerance,
    publicPath: '',
    knownScopes: scopes,
    authorizationDetails: detailRulesOf(options),
    knownDetailTypes: undefined,
    // only the authorization server has the grant in which they could be used up
    useDetails: () => Promise.resolve(false),
    impliedScopes: resolveImplied(impliedScopes),
    resource,
    knownResources: [resource],
    findUser,
    tokenSchemes: [OAUTH2_SCHEME],
    // this process decides itself when its logins are finished: whoever is in req.user has logged in
    isLoggedIn: () => true,
  });
  return Object.assign(guard, {
    wellKnown: createProtectedResourceMetadata(
      [{ resource, issuer, scopes, bearerMethods, name, more: describeBinding(options) }],
      new URL(resource).origin,
    ),
  });
}

function detailRulesOf({
  authorizationDetails,
}: BearerGuardSettings): GuardDependencies['authorizationDetails'] {
  return new Map(
    Object.entries(authorizationDetails).map(([type, rules]) => [
      type,
      { ...rules, singleUse: false, choices: new Map() },
    ]),
  );
}

/** What clients are told about how their tokens can be bound. */
function describeBinding({ dpop, mutualTls }: BearerGuardSettings): ProtectedResource['more'] {
  return {
    ...(dpop !== false &&
      describeBoundToKeys({ isRequired: dpop === 'required', algorithms: SIGNATURE_ALGORITHMS })),
    ...(mutualTls !== false && describeBoundToCertificates()),
  };
}

/** A token must be bound to one of these; none: it need not be bound. */
function requiredConfirmationsIn({
  dpop,
  mutualTls,
  senderConstrained,
}: BearerGuardSettings): readonly Confirmation[] {
  if (dpop === 'required') return ['jkt'];
  if (!senderConstrained) return [];
  return [...(dpop ? (['jkt'] as const) : []), ...(mutualTls !== false ? (['x5t#S256'] as const) : [])];
}

/** There is no database, so only this process knows which proofs were used. */
function createProofsOfProcess({ dpopNonceSecret, clockTolerance }: BearerGuardSettings): ProofVerifier {
  return createProofVerifier({
    usedProofs: rememberUsedProofs(),
    nonces: dpopNonceSecret === undefined ? undefined : createNonces(dpopNonceSecret),
    maxAge: PROOF_AGE,
    clockTolerance,
  });
}

interface Verifier {
  readonly verify: VerifyAccessToken;
  /** Looks at a token again, and believes no earlier answer. */
  readonly look: TokenWatchOptions['look'];
}

function createVerifier(options: BearerGuardSettings, resource: string): Verifier {
  const { issuer, timeout, keysCooldown, cacheSize, clockTolerance } = options;
  const discover = createDiscovery({ issuer, timeout, keysCooldown });
  // a key that the issuer removes is believed until the key set expires, and so is what it has signed
  const verifyJwt = withVerifiedTokenCache(
    createJwtVerifier({ issuer, resource, discover, clockTolerance }),
    {
      size: cacheSize,
      life: MAX_AGE,
    },
  );
  const verifyOpaque = createOpaqueVerifier(options, { resource, discover });
  // nothing that looks like a JWT is introspected: a forged one would get a second chance
  return {
    verify: async (presented) =>
      isJwt(presented.token)
        ? verifyJwt.verify(presented.token, presented.now)
        : verifyOpaque.verify(presented),
    look: async (token, now) => (isJwt(token) ? verifyJwt.verify(token, now) : verifyOpaque.look(token, now)),
  };
}

/**
 * Anybody can make up any number of tokens, so there is a limit on how many wrong ones are introspected. It refuses no
 * right one of a neighbour at the same address.
 */
function createOpaqueVerifier(
  options: BearerGuardSettings,
  place: Pick<IntrospectionVerifierOptions, 'resource' | 'discover'>,
): Verifier {
  const { clientId, clientSecret, clientKey, cacheSize, cacheTtl, rateLimit } = options;
  if (clientId === undefined) return refuseOpaque();
  const client = { clientId, clientSecret, clientKey };
  const introspect = createIntrospectionVerifier({ ...options, ...place, client });
  const tokens = withVerifiedTokenCache(introspect, { size: cacheSize, life: cacheTtl });
  const limit = createFailureLimit(
    rateLimit !== false && { failures: rateLimit, window: 60, counted: 'wrong access tokens' },
  );
  const wait = createConcurrencyLimit({ size: MAX_WAITING });
  const verifyBeyondLimit = createVerifyBeyondLimit();
  const verify: VerifyAccessToken = async ({ token, origin, now }) => {
    const known = tokens.recall(token, now);
    if (known !== undefined) return known;
    const key = failureKey(origin, '');
    const verify = () => wait('introspection', () => tokens.verify(token, now));
    const attempt = await limit.reserve(key).catch((refusal: OAuthError) => refusal);
    if (attempt instanceof OAuthError) return verifyBeyondLimit(key, attempt, verify);
    try {
      const auth = await verify();
      attempt.refund();
      return auth;
    } catch (error) {
      if (isWrongToken(error)) await attempt.fail();
      else attempt.refund();
      throw error;
    }
  };
  return {
    verify,
    look: async (token, now) => (await wait('introspection', () => introspect(token, now))).auth,
  };
}

function refuseOpaque(): Verifier {
  const refuse = () =>
    Promise.reject(
      invalidToken(
        'an opaque token, and bearerGuard has no clientId and clientSecret (or clientKey) to ask about it with',
      ),
    );
  return { verify: refuse, look: refuse };
}

/** One token of an address at a time, and few that wait: the rest, and the wrong ones, get the refusal of the limit. */
function createVerifyBeyondLimit() {
  const inContext = createKeyedMutex();
  const waiting = createCounter();
  return async <T>(key: string, refusal: OAuthError, verify: () => Promise<T>): Promise<T> => {
    if (waiting.of(key) >= MAX_BEYOND_LIMIT) throw refusal;
    waiting.add(key);
    try {
      return await inContext(key, verify);
    } catch (error) {
      throw isWrongToken(error) ? refusal : error;
    } finally {
      waiting.remove(key);
    }
  };
}

function isWrongToken(error: unknown): boolean {
  return error instanceof OAuthError && error.error === 'invalid_token';
}

function checkTogether(options: BearerGuardSettings): void {
  const implied = findImpliedProblem(options.impliedScopes, options.scopes);
  if (implied !== undefined)
    throw optionError('bearerGuard', `impliedScopes.${implied.scope}`, implied.problem);
  if (options.senderConstrained && options.dpop === false && options.mutualTls === false)
    throw optionError(
      'bearerGuard',
      'senderConstrained',
      'lets in tokens that are bound, and none could come: write dpop: true or mutualTls: true as well',
    );
  checkClient(options);
  const { issuer, introspectionEndpoint, dangerouslyAllowInsecureHttp } = options;
  if (dangerouslyAllowInsecureHttp) return;
  checkTls('issuer', issuer, 'is asked for its keys');
  if (introspectionEndpoint !== undefined)
    checkTls('introspectionEndpoint', introspectionEndpoint, 'is sent secrets');
}

function checkClient({
  clientId,
  clientSecret,
  clientKey,
  introspectionEndpoint,
}: BearerGuardSettings): void {
  if (clientSecret !== undefined && clientKey !== undefined)
    throw optionError('bearerGuard', 'clientKey', 'is in the place of a clientSecret; write one of them');
  if ((clientId === undefined) !== ((clientSecret ?? clientKey) === undefined))
    throw optionError(
      'bearerGuard',
      'clientId',
      'write both clientId and clientSecret (or clientKey), or neither',
    );
  if (introspectionEndpoint !== undefined && clientId === undefined)
    throw optionError(
      'bearerGuard',
      'introspectionEndpoint',
      'is asked with a clientId and clientSecret (or clientKey)',
    );
}

function checkTls(option: string, url: string, what: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && !isLoopbackHost(hostname))
    throw optionError(
      'bearerGuard',
      option,
      `'${url}' ${what} without TLS; write https:, or dangerouslyAllowInsecureHttp: true if you must`,
    );
}
