import type { Router } from 'express';

import type { Confirmation } from './core/guard/admission.js';
import { OAUTH2_SCHEME } from './core/guard/openapi-operation.js';
import {
  BOUND_TO_CERTIFICATES,
  createProtectedResourceMetadata,
  describeBoundToKeys,
} from './core/guard/protected-resource.js';
import { createRemoteVerifier } from './core/guard/remote-verifier.js';
import { createTokenWatch } from './core/guard/token-watch.js';
import { createCertificateReader } from './core/http/client-certificate.js';
import { createReport } from './core/observability/report.js';
import {
  createNonces,
  createProofVerifier,
  rememberUsedProofs,
} from './core/proof-of-possession/dpop-proof.js';
import { createGuardWithMcp, type Guard } from './features/mcp/mcp.js';
import {
  type BearerGuardOptions,
  bearerGuardOptions,
  type BearerGuardSettings,
} from './settings/bearer-guard-options.js';
import type { NoInfer } from './settings/table/option.js';
import { optionError, parseWith, withoutUser } from './settings/table/parse-options.js';
import { collectProblems, type Problems } from './settings/table/problems.js';
import { SIGNATURE_ALGORITHMS } from './shared/crypto/jwa.js';
import { findImpliedProblem, resolveImplied } from './shared/protocol/implied-scopes.js';
import { isLoopbackHost } from './shared/protocol/redirect-uri.js';

export type { AccessToken } from './core/guard/access-token.js';
export { authOf } from './core/guard/access-token.js';
export { answerGuardError as errorHandler } from './core/guard/answer-guard-error.js';
export type { RouteGuard, Verify } from './core/guard/guard.js';
export type { OpenApiOperation } from './core/guard/openapi-operation.js';
export type { PassportStrategy } from './core/guard/passport-strategy.js';
export type { OnUpgrade } from './core/guard/upgrade.js';
export type { Guard, Mcp } from './features/mcp/mcp.js';
export type {
  McpOptions,
  McpServerLike,
  McpTransportLike,
  RequireBearerAuthOptions,
} from './features/mcp/mcp-options.js';
export type { BearerGuardOptions } from './settings/bearer-guard-options.js';
export type {
  FindUser,
  GuardOptions,
  NeededDetails,
  StrategyOptions,
  UpgradeOptions,
} from './settings/options/guard-options.js';
export { OAuthError, type OAuthErrorCode, type OAuthErrorOptions } from './shared/errors.js';
export type { FailureReason } from './shared/failure-reasons.js';
export type { BearerMethod } from './shared/protocol/token-kind.js';

/** A guard, with the metadata of its resource: `app.use(guard.wellKnown)` at the site's root. (RFC 9728) */
export interface BearerGuard<Scopes extends string = string> extends Guard<Scopes> {
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
export function bearerGuard<const Scopes extends string = string>(
  input: BearerGuardOptions & {
    readonly scopes?: readonly Scopes[] | Readonly<Record<Scopes, readonly NoInfer<Scopes>[]>> | undefined;
  },
): BearerGuard<Scopes> {
  const options = collectProblems((problems) => {
    const parsed = parseWith(problems, 'bearerGuard', bearerGuardOptions, input);
    checkTogether(problems, parsed);
    return parsed;
  });
  const { issuer, resource = issuer, bearerMethods, dpop, mutualTls, name, clockTolerance } = options;
  const scopes = options.scopes?.names;
  const isKeyRequired = dpop !== false && dpop.required;
  const requiredConfirmations: Confirmation[] = [];
  if (isKeyRequired || (options.senderConstrained && dpop !== false)) requiredConfirmations.push('jkt');
  if (!isKeyRequired && options.senderConstrained && mutualTls !== false)
    requiredConfirmations.push('x5t#S256');
  const { verify, recheck } = createRemoteVerifier(options, resource);
  const guard = createGuardWithMcp({
    verify,
    watch: createTokenWatch({ recheck, interval: options.recheck }),
    report: createReport({ onError: options.onError }),
    issuer,
    realm: new URL(resource).host,
    bearerMethods,
    proofs:
      dpop === false
        ? undefined
        : createProofVerifier({
            // without a database, only this process knows which proofs were used
            usedProofs: rememberUsedProofs(),
            nonces: dpop.nonceSecret === undefined ? undefined : createNonces(dpop.nonceSecret),
            clockTolerance,
          }),
    readCertificate: mutualTls === false ? undefined : createCertificateReader(mutualTls),
    requiredConfirmations,
    clockTolerance,
    publicPath: '',
    knownScopes: scopes,
    authorizationDetails: new Map(
      Object.entries(options.authorizationDetails).map(([type, compare]) => [
        type,
        { compare, singleUse: false, choices: new Map() },
      ]),
    ),
    knownDetailTypes: undefined,
    // only the authorization server has the grant that records their use
    useDetails: () => Promise.resolve(false),
    impliedScopes: resolveImplied(options.scopes?.implied ?? {}),
    resource,
    knownResources: [resource],
    findUser: options.people.find,
    securitySchemes: [OAUTH2_SCHEME],
    // this process's login: a user in req.user has completed it
    isLoggedIn: () => true,
  });
  const more = {
    ...(dpop !== false && describeBoundToKeys(dpop.required, SIGNATURE_ALGORITHMS)),
    ...(mutualTls !== false && BOUND_TO_CERTIFICATES),
  };
  return Object.assign(guard, {
    wellKnown: createProtectedResourceMetadata(
      [{ resource, issuer, scopes, bearerMethods, name, more }],
      new URL(resource).origin,
    ),
  });
}

function checkTogether(problems: Problems, options: BearerGuardSettings): void {
  const refuseIf = (option: string, isWrong: () => boolean, text: string) =>
    problems.attempt(() => {
      if (isWrong()) throw optionError('bearerGuard', option, text);
    });
  problems.attempt(() => {
    const { names, implied = {} } = options.scopes ?? {};
    const problem = findImpliedProblem(implied, names);
    if (problem !== undefined) throw optionError('bearerGuard', `scopes.${problem.scope}`, problem.problem);
  });
  refuseIf(
    'senderConstrained',
    () => options.senderConstrained && options.dpop === false && options.mutualTls === false,
    'lets in tokens that are bound, and none could come: write dpop: true or mutualTls: true as well',
  );
  refuseIf(
    'clientKey',
    () => options.clientSecret !== undefined && options.clientKey !== undefined,
    'is in the place of a clientSecret; write one of them',
  );
  refuseIf(
    'clientId',
    () => (options.clientId === undefined) !== ((options.clientSecret ?? options.clientKey) === undefined),
    'write both clientId and clientSecret (or clientKey), or neither',
  );
  refuseIf(
    'introspectionEndpoint',
    () => options.introspectionEndpoint !== undefined && options.clientId === undefined,
    'is asked with a clientId and clientSecret (or clientKey)',
  );
  for (const [option, what] of [
    ['issuer', 'is asked for its keys'],
    ['introspectionEndpoint', 'is sent secrets'],
  ] as const)
    problems.attempt(() => {
      const url = options[option];
      if (url === undefined || options.dangerouslyAllowInsecureHttp) return;
      const { protocol, hostname } = new URL(url);
      if (protocol !== 'https:' && !isLoopbackHost(hostname))
        throw optionError(
          'bearerGuard',
          option,
          `'${withoutUser(url)}' ${what} without TLS; write https:, or dangerouslyAllowInsecureHttp: true if you must`,
        );
    });
}
