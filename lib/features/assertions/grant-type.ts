import type { GrantType, TokenContext } from '../../core/grant-types/grant-type.js';
import { issueGrant } from '../../core/grants/issue-grant.js';
import { matchesConfirmation } from '../../core/proof-of-possession/binding.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import { countingFailures, createFailureLimit, failureKey } from '../../shared/limits/failure-limit.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { invalidAssertion, parseAssertion } from './assertion.js';
import { authorizeAssertion } from './authorize-assertion.js';
import type { WorkloadSettings } from './options.js';
import { findTrust, findWorkloads, isOfWorkload, JWT_BEARER, notTrusted, workloadClient } from './trust.js';
import { createGrantVerifier } from './verify-grant.js';

/** Maximum lifetime of an access token in seconds: instead of a refresh token, the client has another assertion. */
const ACCESS_TOKEN_TTL = 600;
/** A request with any of these parameters authenticates its client. */
const CREDENTIALS = ['client_id', 'client_secret', 'client_assertion'];

/**
 * Issues an access token for an assertion of a trusted issuer. The checks: the assertion, then the client that presents
 * it, then the user; at last the assertion is marked as used.
 *
 * @see RFC 7521 §4.1, RFC 7523 §2.1, §3
 */
export const jwtBearer: GrantType<typeof JWT_BEARER> = {
  name: JWT_BEARER,
  switchedOnBy: 'assertions',
  takesDetails: true,
  parameters: ['assertion', 'scope'],
  mayOmitResource: true,
  createIdentifyUnauthenticated(settings) {
    const trust = requireEnabled(settings.assertions, 'assertions');
    const verifiers = new Map(trust.map((entry) => [entry, createGrantVerifier(entry, settings)]));
    return async ({ authorization, parameters, now }) => {
      const { assertion } = parameters;
      const hasNoCredentials =
        authorization === undefined && CREDENTIALS.every((name) => parameters[name] === undefined);
      if (!hasNoCredentials || assertion === undefined) return undefined;
      const parsed = parseAssertion(assertion);
      const entries = findWorkloads(trust, parsed);
      // If several entries match, their keys decide: two clusters of Kubernetes may have the same issuer. If no key
      // matches, the handler reports the problem of one entry.
      let silent: WorkloadSettings | undefined;
      for (const entry of entries.length > 1 ? entries : []) {
        try {
          await verifiers.get(entry)!(parsed, now);
          return workloadClient(entry);
        } catch (error) {
          if (!(error instanceof OAuthError)) throw error;
          if (error.error === 'temporarily_unavailable') silent ??= entry;
        }
      }
      const entry = silent ?? entries[0];
      return entry && workloadClient(entry);
    };
  },
  create(dependencies) {
    const { settings, failures, assertionIds } = dependencies;
    const { clockTolerance, rateLimits } = settings.security;
    const trust = requireEnabled(settings.assertions, 'assertions');
    const verifiers = new Map(trust.map((entry) => [entry, createGrantVerifier(entry, settings)]));
    const limit = createFailureLimit(
      rateLimits && {
        failures: rateLimits.token,
        window: 60,
        shared: { name: 'assertions', store: failures },
      },
    );

    const redeem = async (request: TokenContext) => {
      const { client, parameters, proof, now } = request;
      const assertion = parseAssertion(requireParameter(parameters, 'assertion'));
      const entry = findTrust(trust, assertion, client);
      const claims = await verifiers.get(entry)!(assertion, now);
      // only the workloads of the entry, or the client that `client_id` names, may present the assertion
      if (entry.kind === 'workload') {
        if (!isOfWorkload(entry, claims)) throw notTrusted(claims);
      } else if (client.type === 'public')
        // ID-JAG §8.1: a public client sends the user to this server instead
        throw new OAuthError('unauthorized_client', 'a public client cannot use this grant type', {
          reason: 'public_client',
        });
      else if (claims.client_id !== undefined && claims.client_id !== client.clientId)
        // ID-JAG §4.4.1: `client_id` must be the client that authenticates
        throw new OAuthError('invalid_grant', 'the assertion was made for another client', {
          reason: 'token_of_other_client',
        });
      // ID-JAG §8.6.1.2, RFC 7800 §3.1: an assertion that is bound to a key needs a proof of that key
      if (!matchesConfirmation(claims.cnf, proof))
        throw invalidAssertion('bound to a key of which no proof was shown', {
          reason: 'key_mismatch',
          description: 'proof of possession is required for this assertion',
        });
      const authorization = await authorizeAssertion(dependencies, request, entry, claims);
      if (entry.singleUse) {
        // both clock tolerances: the id is stored until every process rejects the assertion
        const expiresAt = new Date((Number(claims.exp) + 2 * clockTolerance) * 1000);
        // the space prevents a collision with client ids
        if (!(await assertionIds.use(`grant of ${claims.iss}`, String(claims.jti), expiresAt)))
          throw invalidAssertion('used before', {
            reason: 'assertion_used',
            description: 'the assertion was used before',
          });
      }
      const { resources } = authorization;
      const response = await issueGrant(
        dependencies,
        { ...request, resources },
        {
          grantType: JWT_BEARER,
          // RFC 7521 §4.1: the token must not outlive the assertion by much
          authorization: { ...authorization, endsAt: addSeconds(now, ACCESS_TOKEN_TTL) },
          withRefreshToken: false,
        },
      );
      // ID-JAG §4.4.1: the response says for which resource the token is
      return { ...response, resource: resources.length === 1 ? resources[0] : undefined };
    };
    return (request) =>
      countingFailures(
        { limit, key: failureKey(request.origin, request.client.clientId), code: 'invalid_grant' },
        () => redeem(request),
      );
  },
};
