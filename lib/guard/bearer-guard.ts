import type { Router } from 'express';
import { z } from 'zod';

import { isJwt } from '../grants/access-tokens.js';
import { createReport } from '../observability/report.js';
import type { BearerMethod } from '../protocol/bearer-method.js';
import { isLoopbackHost } from '../protocol/redirect-uri.js';
import { type OnError } from '../settings/on-error.js';
import { createDiscovery, MAX_AGE } from './discovery.js';
import { createGuard, type Guard } from './guard.js';
import { createIntrospectionVerifier } from './introspection-verifier.js';
import { createJwtVerifier } from './jwt-verifier.js';
import { createProtectedResourceMetadata } from './protected-resource.js';
import { rememberVerified } from './remember-verified.js';
import { invalidToken, type VerifyAccessToken } from './verify-access-token.js';

/** The options of `bearerGuard`. */
export interface BearerGuardOptions {
  /** The issuer of the tokens, as its metadata says it. Everything else is found there. (RFC 8414) */
  readonly issuer: string;
  /** The URL that tokens for this resource server are for. Default: the issuer's own API. (RFC 8707) */
  readonly resource?: string;
  /** What people call this resource server: published. (RFC 9728 §2 resource_name) */
  readonly name?: string;
  /** The client that asks about opaque tokens, registered with `introspection: true`. Without one they are refused. (RFC 7662) */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The scopes of this resource server: published, and a guard that names another throws. */
  readonly scopes?: readonly string[];
  /** Where the token may come from. Default: `['header']`. (RFC 6750 §2) */
  readonly bearerMethods?: readonly BearerMethod[];
  /** Seconds that an answer about an opaque token is believed: a revoked one works that long. 0: not at all. Default: 30. */
  readonly cacheTtl?: number;
  /** How many tokens that were right are remembered. Default: 10000. */
  readonly cacheSize?: number;
  /** Seconds between two requests for the keys that unknown key ids can cause. Default: 30. */
  readonly keysCooldown?: number;
  /** Milliseconds that the authorization server may take before the answer is 503. Default: 5000. */
  readonly timeout?: number;
  /** Lets an `http:` issuer be something else than loopback. Default: false. */
  readonly dangerouslyAllowInsecureHttp?: boolean;
  /** Told of every error with its private reason. Default: writes those of the server (5xx) to `console.error`. */
  readonly onError?: OnError;
}

/** A guard, with the metadata of its resource: `app.use(guard.wellKnown)` at the site's root. (RFC 9728) */
export interface BearerGuard extends Guard {
  readonly wellKnown: Router;
}

const url = z.string().refine((value) => URL.canParse(value), 'must be a URL');
const positive = z.number('must be a number').int('must be whole').positive('must be more than 0');
const optionsShape = z.strictObject({
  issuer: url,
  resource: url.optional(),
  name: z.string().min(1).optional(),
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
  scopes: z.array(z.string()).optional(),
  bearerMethods: z
    .array(z.enum(['header', 'body', 'query']))
    .min(1)
    .optional(),
  cacheTtl: z.number().nonnegative().optional(),
  cacheSize: positive.optional(),
  keysCooldown: z.number().positive().optional(),
  timeout: positive.optional(),
  dangerouslyAllowInsecureHttp: z.boolean().optional(),
  onError: z.custom<never>((value) => typeof value === 'function', 'must be a function').optional(),
});

/**
 * Guards the routes of a resource server that is a process of its own: JWTs by the published keys, opaque tokens by
 * introspection. It needs no database.
 *
 * @throws TypeError where an option is wrong
 * @example
 * const guard = bearerGuard({ issuer: 'https://photos.example', resource: 'https://api.photos.example' });
 * app.use(guard.wellKnown);
 * app.get('/photos', guard('photos:read'), (req, res) => res.json(photosOf(req.auth.userId)));
 */
export function bearerGuard(options: BearerGuardOptions): BearerGuard {
  checkOptions(options);
  const { issuer, resource = issuer, scopes, bearerMethods = ['header'], name, onError } = options;
  const guard = createGuard({
    verify: createVerifier(options, resource),
    report: createReport({ onError }),
    issuer,
    realm: new URL(resource).host,
    bearerMethods,
    knownScopes: scopes,
    resource,
    knownResources: [resource],
  });
  return Object.assign(guard, {
    wellKnown: createProtectedResourceMetadata([{ resource, issuer, scopes, bearerMethods, name }]),
  });
}

function createVerifier(options: BearerGuardOptions, resource: string): VerifyAccessToken {
  const {
    issuer,
    clientId,
    clientSecret,
    timeout = 5000,
    keysCooldown = 30,
    cacheTtl = 30,
    cacheSize = 10_000,
  } = options;
  const discover = createDiscovery({ issuer, timeout, keysCooldown });
  // a key that the issuer takes away is believed as long as the set of keys is
  const verifyJwt = rememberVerified(createJwtVerifier({ issuer, resource, discover }), {
    size: cacheSize,
    life: MAX_AGE,
  });
  const verifyOpaque =
    clientId === undefined || clientSecret === undefined
      ? undefined
      : rememberVerified(
          createIntrospectionVerifier({ issuer, resource, discover, clientId, clientSecret, timeout }),
          { size: cacheSize, life: cacheTtl },
        );
  const verifyNone = () =>
    Promise.reject(
      invalidToken('an opaque token, and bearerGuard has no clientId and clientSecret to ask about it with'),
    );
  // what looks like a JWT is never asked about: a forged one would get a second chance
  return (token) => (isJwt(token) ? verifyJwt : (verifyOpaque ?? verifyNone))(token);
}

function checkOptions(options: BearerGuardOptions): void {
  const [issue] = optionsShape.safeParse(options ?? {}).error?.issues ?? [];
  if (issue?.code === 'unrecognized_keys')
    throw new TypeError(
      `bearerGuard: there is no option '${issue.keys[0]}'; there are ${Object.keys(optionsShape.shape).join(', ')}`,
    );
  if (issue !== undefined)
    throw new TypeError(`bearerGuard: the option ${issue.path.join('.')}: ${issue.message}`);
  if ((options.clientId === undefined) !== (options.clientSecret === undefined))
    throw new TypeError('bearerGuard: write both clientId and clientSecret, or neither');
  checkTransport(options);
}

function checkTransport({ issuer, dangerouslyAllowInsecureHttp }: BearerGuardOptions): void {
  const { protocol, hostname } = new URL(issuer);
  if (protocol !== 'https:' && !isLoopbackHost(hostname) && dangerouslyAllowInsecureHttp !== true) {
    throw new TypeError(
      `bearerGuard: the option issuer: '${issuer}' is asked for its keys without TLS; write https:, or dangerouslyAllowInsecureHttp: true if you must`,
    );
  }
}
