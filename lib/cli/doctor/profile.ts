import type { Client } from '../../core/clients/client.js';
import { profileProblems } from '../../core/clients/client-checks.js';
import { protectedResourceMetadataUrl } from '../../core/guard/protected-resource.js';
import type { Profile } from '../../settings/options/profile-options.js';
import { PROFILE_ALGORITHMS, PROFILE_METHODS } from '../../settings/profile.js';
import type { Io } from '../io.js';
import { fetchMetadata, type Metadata, send, stringsIn } from '../metadata.js';
import { type Finding, finding, ofClient } from './finding.js';

/** A requirement whose fulfilment the metadata shows. */
interface Requirement {
  readonly section: string;
  /** What is present but must not be, or is missing; undefined if the requirement is met. */
  readonly lack: (metadata: Metadata) => string | undefined;
  /** The option of authorizationServer that is concerned. */
  readonly option: string;
}

/** Names the values in a list of the metadata that are not allowed. */
function onlyOf(name: string, allowed: readonly string[]) {
  return (metadata: Metadata): string | undefined => {
    const others = stringsIn(metadata[name]).filter((value) => !allowed.includes(value));
    return others.length === 0 ? undefined : `${name} has ${others.join(', ')}`;
  };
}

function isTrue(name: string) {
  return (metadata: Metadata): string | undefined =>
    metadata[name] === true ? undefined : `${name} is not true`;
}

function isSigned(name: string): Requirement {
  return { section: '5.4.1-1', lack: onlyOf(name, PROFILE_ALGORITHMS), option: 'profile' };
}

const SECURITY: readonly Requirement[] = [
  {
    section: '5.3.2.1-2, §5.3.2.2-1',
    option: 'grantTypes',
    lack: ({ grant_types_supported: given }) => {
      const refused = stringsIn(given).filter((name) => name === 'password' || name === 'implicit');
      return refused.length === 0 ? undefined : `grant_types_supported has ${refused.join(', ')}`;
    },
  },
  {
    section: '5.3.2.1-4',
    option: 'dpop or mutualTls',
    lack: (metadata) =>
      metadata.dpop_signing_alg_values_supported !== undefined ||
      metadata.tls_client_certificate_bound_access_tokens === true
        ? undefined
        : 'neither dpop_signing_alg_values_supported nor tls_client_certificate_bound_access_tokens is there',
  },
  {
    section: '5.3.2.1-6',
    option: 'profile',
    lack: onlyOf('token_endpoint_auth_methods_supported', PROFILE_METHODS),
  },
  { section: '5.3.2.2-1', option: 'grantTypes', lack: onlyOf('response_types_supported', ['code']) },
  {
    section: '5.3.2.2-3',
    option: 'pushedRequests',
    lack: isTrue('require_pushed_authorization_requests'),
  },
  {
    section: '5.3.2.2-7',
    option: 'profile',
    lack: isTrue('authorization_response_iss_parameter_supported'),
  },
  {
    section: '5.3.4-2',
    option: 'bearerMethods',
    lack: onlyOf('bearer_methods_supported', ['header', 'body']),
  },
  isSigned('token_endpoint_auth_signing_alg_values_supported'),
  isSigned('dpop_signing_alg_values_supported'),
  isSigned('request_object_signing_alg_values_supported'),
  isSigned('authorization_signing_alg_values_supported'),
  isSigned('introspection_signing_alg_values_supported'),
];

const MESSAGE_SIGNING: readonly Requirement[] = [
  { section: '5.3.1-1', option: 'signedRequests', lack: isTrue('require_signed_request_object') },
  {
    section: '5.4.1-1',
    option: 'signedResponses',
    lack: ({ response_modes_supported: modes }) =>
      stringsIn(modes).includes('jwt') ? undefined : 'response_modes_supported has no jwt',
  },
];

/** What a running site lacks for a profile, going by its metadata. */
export async function checkSiteForProfile(io: Io, issuer: string, profile: Profile): Promise<Finding[]> {
  const { metadata: ofServer } = await fetchMetadata(io, issuer);
  // RFC 9728: the metadata of the site as an API, if it is one
  const { document } = await send(protectedResourceMetadataUrl(issuer));
  const metadata = { ...document, ...ofServer };
  const lacking = (requirements: readonly Requirement[], from: string) =>
    requirements.flatMap(({ section, lack, option }) => {
      const what = lack(metadata);
      if (what === undefined) return [];
      return [
        finding('serious', `profile.${option.split(' ')[0]}`, {
          what: `the site is not one of ${profile}: ${what}`,
          why: `${from} §${section} asks for something else.`,
          cure: `Write profile: '${profile}' among the options of authorizationServer: it sets what is left out, and names what contradicts (${option}).`,
        }),
      ];
    });
  return [
    ...lacking(SECURITY, 'FAPI 2.0 Security Profile'),
    ...(profile === 'fapi2' ? [] : lacking(MESSAGE_SIGNING, 'FAPI 2.0 Message Signing')),
  ];
}

/** Which clients with a profile of their own get nothing at the site, because it has lost an option. */
export async function checkProfiledClients(
  io: Io,
  issuer: string,
  profiled: readonly Client[],
): Promise<Finding[]> {
  if (profiled.length === 0) return [];
  const { metadata } = await fetchMetadata(io, issuer);
  return profiled.flatMap((client) => {
    const { clientId, profile } = client;
    const lacks: [option: string, lack: string][] = [];
    // FAPI 2.0 Security Profile §5.3.2.2-3
    if (metadata.pushed_authorization_request_endpoint === undefined)
      lacks.push(['pushedRequests', 'pushed_authorization_request_endpoint is not there']);
    // FAPI 2.0 Message Signing §5.3.1-1
    if (profile !== 'fapi2' && metadata.request_parameter_supported !== true)
      lacks.push(['signedRequests', 'request_parameter_supported is not true']);
    return lacks.map(([option, lack]) =>
      ofClient(client, 'serious', 'profile.held-client', {
        about: `is held to ${profile}, and the site cannot: ${lack}`,
        why: 'All its authorization requests are refused.',
        cure: `Set the option ${option}, or take the profile from the client: clients.update('${clientId}', { profile: undefined }).`,
      }),
    );
  });
}

/** Why a stored client gets nothing at a site with a profile. */
export function checkClientForProfile(client: Client, profile: Profile): Finding[] {
  return profileProblems({ ...client, profile }, {}).map(({ problem }) =>
    ofClient(client, 'serious', 'profile.client', {
      about: `breaks the profile: ${problem}`,
      why: 'A site of the profile gives it nothing.',
      cure: `Register it with its keys: oauth.clients.update('${client.clientId}', { jwks: … }), and without what the profile refuses.`,
    }),
  );
}
