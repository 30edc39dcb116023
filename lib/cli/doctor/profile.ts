import type { Client } from '../../core/clients/client.js';
import { profileProblems } from '../../core/clients/client-checks.js';
import { protectedResourceMetadataUrl } from '../../core/guard/protected-resource.js';
import type { Profile } from '../../settings/options/profile-options.js';
import { PROFILE_ALGORITHMS, PROFILE_METHODS } from '../../settings/profile.js';
import type { Io } from '../io.js';
import { fetchMetadata, type Metadata, send, stringsIn } from '../metadata.js';
import type { ReportFinding } from './finding.js';

/**
 * A requirement that the metadata show: its section, the responsible row of `authorizationServer`, and a function that
 * returns the violation; undefined if the requirement is met.
 */
type Requirement = readonly [
  section: string,
  option: string,
  lack: (metadata: Metadata) => string | undefined,
];

/** Reports values in a list of the metadata that are not allowed. */
function onlyOf(name: string, allowed: readonly string[]) {
  return (metadata: Metadata): string | undefined => {
    const others = stringsIn(metadata[name]).filter((value) => !allowed.includes(value));
    return others.length === 0 ? undefined : `${name} has ${others.join(', ')}`;
  };
}

function isTrue(name: string) {
  return (metadata: Metadata) => (metadata[name] === true ? undefined : `${name} is not true`);
}

const SECURITY: readonly Requirement[] = [
  [
    '5.3.2.1-2, §5.3.2.2-1',
    'grantTypes',
    ({ grant_types_supported: grantTypes }) => {
      const refused = stringsIn(grantTypes).filter((name) => name === 'password' || name === 'implicit');
      return refused.length === 0 ? undefined : `grant_types_supported has ${refused.join(', ')}`;
    },
  ],
  [
    '5.3.2.1-4',
    'dpop or mutualTls',
    (metadata) =>
      metadata.dpop_signing_alg_values_supported !== undefined ||
      metadata.tls_client_certificate_bound_access_tokens === true
        ? undefined
        : 'neither dpop_signing_alg_values_supported nor tls_client_certificate_bound_access_tokens is there',
  ],
  ['5.3.2.1-6', 'profile', onlyOf('token_endpoint_auth_methods_supported', PROFILE_METHODS)],
  ['5.3.2.2-1', 'grantTypes', onlyOf('response_types_supported', ['code'])],
  ['5.3.2.2-3', 'pushedRequests', isTrue('require_pushed_authorization_requests')],
  ['5.3.2.2-7', 'profile', isTrue('authorization_response_iss_parameter_supported')],
  ['5.3.4-2', 'bearerMethods', onlyOf('bearer_methods_supported', ['header', 'body'])],
  ...[
    'token_endpoint_auth_signing_alg_values_supported',
    'dpop_signing_alg_values_supported',
    'request_object_signing_alg_values_supported',
    'authorization_signing_alg_values_supported',
    'introspection_signing_alg_values_supported',
  ].map((name): Requirement => ['5.4.1-1', 'profile', onlyOf(name, PROFILE_ALGORITHMS)]),
];

const MESSAGE_SIGNING: readonly Requirement[] = [
  ['5.3.1-1', 'signedRequests', isTrue('require_signed_request_object')],
  [
    '5.4.1-1',
    'signedResponses',
    ({ response_modes_supported: modes }) =>
      stringsIn(modes).includes('jwt') ? undefined : 'response_modes_supported has no jwt',
  ],
];

/** Reports requirements of a profile that a running site does not meet, by its metadata. */
export async function checkSiteForProfile(report: ReportFinding, io: Io, issuer: string, profile: Profile) {
  const { metadata: ofServer } = await fetchMetadata(io, issuer);
  // RFC 9728: the metadata of the site as an API, if any
  const { document } = await send(protectedResourceMetadataUrl(issuer));
  const metadata = { ...document, ...ofServer };
  const requirements = [
    ...SECURITY.map((requirement) => ['FAPI 2.0 Security Profile', ...requirement] as const),
    ...MESSAGE_SIGNING.map((requirement) => ['FAPI 2.0 Message Signing', ...requirement] as const),
  ].slice(0, profile === 'fapi2' ? SECURITY.length : undefined);
  for (const [from, section, option, lack] of requirements) {
    const what = lack(metadata);
    report(what !== undefined && 'serious', `profile.${option.split(' ')[0]}`, {
      what: `the site is not one of ${profile}: ${what}`,
      why: `${from} §${section} asks for something else.`,
      cure: `Write profile: '${profile}' among the options of authorizationServer: it sets what is left out, and names what contradicts (${option}).`,
    });
  }
}

/** Reports clients with a profile of their own that the site can no longer serve, because it lacks an option. */
export async function checkProfiledClients(
  report: ReportFinding,
  io: Io,
  issuer: string,
  profiled: readonly Client[],
): Promise<void> {
  if (profiled.length === 0) return;
  const { metadata } = await fetchMetadata(io, issuer);
  for (const client of profiled) {
    const { clientId, profile } = client;
    const lacks: [option: string, lack: string][] = [];
    // FAPI 2.0 Security Profile §5.3.2.2-3
    if (metadata.pushed_authorization_request_endpoint === undefined)
      lacks.push(['pushedRequests', 'pushed_authorization_request_endpoint is not there']);
    // FAPI 2.0 Message Signing §5.3.1-1
    if (profile !== 'fapi2' && metadata.request_parameter_supported !== true)
      lacks.push(['signedRequests', 'request_parameter_supported is not true']);
    for (const [option, lack] of lacks)
      report('serious', 'profile.held-client', {
        client,
        what: `is held to ${profile}, and the site cannot: ${lack}`,
        why: 'All its authorization requests are refused.',
        cure: `Set the option ${option}, or take the profile from the client: clients.update('${clientId}', { profile: undefined }).`,
      });
  }
}

/** Reports why a site with a profile refuses a stored client. */
export function checkClientForProfile(report: ReportFinding, client: Client, profile: Profile): void {
  for (const problem of profileProblems({ ...client, profile }, {}))
    report('serious', 'profile.client', {
      client,
      what: `breaks the profile: ${problem}`,
      why: 'A site of the profile gives it nothing.',
      cure: `Register it with its keys: oauth.clients.update('${client.clientId}', { jwks: … }), and without what the profile refuses.`,
    });
}
