import type { GrantType, TokenContext } from '../../core/grant-types/grant-type.js';
import type { Authorization } from '../../core/grants/grant.js';
import { issueGrant } from '../../core/grants/issue-grant.js';
import type { AssertionClaims, TrustSettings } from '../../settings/features/assertion-options.js';
import { switchedOn } from '../../settings/table/switched-on.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import { countingFailures, createFailureLimit, failureKey } from '../../shared/limits/failure-limit.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { parseAssertion } from './assertion.js';
import { checkBinding } from './check-binding.js';
import { createGrantedBy } from './granted-by.js';
import { findTrust, findWorkload, isOfWorkload, JWT_BEARER, notTrusted, workloadClient } from './trust.js';
import { createGrantVerifier } from './verify-grant.js';

/** With any of these a client authenticates. */
const CREDENTIALS = ['client_id', 'client_secret', 'client_assertion'];

/**
 * An access token for the assertion of somebody whom the site trusts. What is checked of the assertion itself comes
 * first, then who presents it and for whom; last it is used up.
 *
 * @see RFC 7521 §4.1, RFC 7523 §2.1, §3
 */
export const jwtBearer: GrantType<typeof JWT_BEARER> = {
  name: JWT_BEARER,
  switchedOnBy: 'assertions',
  takesDetails: true,
  parameters: ['assertion', 'scope'],
  redeemsGrant: true,
  createIdentify(settings) {
    const options = switchedOn(settings.assertions, 'assertions');
    return ({ authorization, parameters }) => {
      const { assertion } = parameters;
      const isSilent =
        authorization === undefined && CREDENTIALS.every((name) => parameters[name] === undefined);
      if (!isSilent || assertion === undefined) return undefined;
      const entry = findWorkload(options, parseAssertion(assertion));
      return entry && workloadClient(entry);
    };
  },
  create(dependencies) {
    const { settings, failures, assertionIds } = dependencies;
    const { issuer, clockTolerance } = settings;
    const options = switchedOn(settings.assertions, 'assertions');
    const verifiers = new Map(
      options.trust.map((entry) => [
        entry,
        createGrantVerifier(entry, { issuer, clockTolerance, assertionIds }),
      ]),
    );
    const grantedBy = createGrantedBy(dependencies);
    const limit = createFailureLimit(
      settings.rateLimits && {
        failures: settings.rateLimits.token,
        window: 60,
        shared: { name: 'assertions', store: failures },
      },
    );

    const redeem = async (request: TokenContext) => {
      const { client, parameters, proof, now } = request;
      const assertion = parseAssertion(requireParameter(parameters, 'assertion'));
      const entry = findTrust(options, assertion, client);
      const verifier = verifiers.get(entry)!;
      const claims = await verifier.verify(assertion, now);
      checkPresenter(entry, claims, request);
      checkBinding(claims, proof);
      const authorization = await grantedBy(entry, claims, request);
      await verifier.use(claims);
      return respond(
        await issueGrant(
          dependencies,
          { ...request, resources: authorization.resources },
          {
            grantType: JWT_BEARER,
            // RFC 7521 §4.1: it does not outlive the assertion by much
            authorization: { ...authorization, endsAt: addSeconds(now, entry.accessTokenTtl) },
            withRefreshToken: false,
          },
        ),
        authorization,
      );
    };
    return (request) =>
      countingFailures(
        { limit, key: failureKey(request.origin, request.client.clientId), code: 'invalid_grant' },
        () => redeem(request),
      );
  },
};

/** Who may present it: the programs that are meant, or the client that it names. */
function checkPresenter(entry: TrustSettings, claims: AssertionClaims, { client }: TokenContext): void {
  if (entry.kind === 'workload') {
    if (!isOfWorkload(entry, claims)) throw notTrusted(claims);
    return;
  }
  // ID-JAG §8.1: a public client sends the person to this server instead
  if (client.type === 'public')
    throw new OAuthError('unauthorized_client', 'a public client cannot use this grant type', {
      reason: 'public_client',
    });
  // ID-JAG §4.4.1: the client that authenticates is the one that the assertion was made for
  if (claims.client_id !== undefined && claims.client_id !== client.clientId)
    throw new OAuthError('invalid_grant', 'the assertion was made for another client', {
      reason: 'token_of_other_client',
    });
}

/** ID-JAG §4.4.1: the response says for which resource the token is. */
function respond<Response extends object>(
  response: Response,
  { resources }: Pick<Authorization, 'resources'>,
) {
  return { ...response, ...(resources.length === 1 && { resource: resources[0] }) };
}
