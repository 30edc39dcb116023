import type { Client } from '../../core/clients/client.js';
import { profileProblems } from '../../core/clients/client-checks.js';
import { protectedResourceMetadataUrl } from '../../core/guard/protected-resource.js';
import type { Profile } from '../../settings/options/profile-options.js';
import { PROFILE_ALGORITHMS, PROFILE_METHODS } from '../../settings/profile.js';
import type { Io } from '../io.js';
import { fetchMetadata, fetchOnce } from '../metadata.js';
import { type Finding, finding } from './finding.js';

/** A client with a profile of its own. */
export type ProfiledClient = Pick<Client, 'clientId' | 'name'> & { readonly profile: Profile };

type Metadata = Readonly<Record<string, unknown>>;

/** A requirement whose fulfilment the metadata shows. */
interface Requirement {
  readonly section: string;
  /** What is present but must not be, or is missing; undefined if the requirement is met. */
  readonly lack: (metadata: Metadata) => string | undefined;
  /** The option of authorizationServer that is concerned. */
  readonly option: string;
}

const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** Names the values in a list of the metadata that are not allowed. */
function onlyOf(name: string, allowed: readonly string[]) {
  return (metadata: Metadata): string | undefined => {
    const others = listOf(metadata[name]).filter((value) => !allowed.includes(value));
    return others.length === 0 ? undefined : `${name} has ${others.join(', ')}`;
  };
}

function isTrue(name: string) {
  return (metadata: Metadata): string | undefined =>
    metadata[name] === true ? undefined : `${name} is not true`;
}

function isThere(name: string) {
  return (metadata: Metadata): string | undefined =>
    metadata[name] === undefined ? `${name} is not there` : undefined;
}

function isSigned(name: string): Requirement {
  return { section: '5.4.1-1', lack: onlyOf(name, PROFILE_ALGORITHMS), option: 'profile' };
}

const SECURITY: readonly Requirement[] = [
  {
    section: '5.3.2.1-2, §5.3.2.2-1',
    option: 'grantTypes',
    lack: ({ grant_types_supported: given }) => {
      const refused = listOf(given).filter((name) => name === 'password' || name === 'implicit');
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
      listOf(modes).includes('jwt') ? undefined : 'response_modes_supported has no jwt',
  },
];

/** What a running site lacks for a profile, going by its metadata. */
export async function checkSiteForProfile(io: Io, issuer: string, profile: Profile): Promise<Finding[]> {
  const { metadata: ofServer } = await fetchMetadata(io, issuer);
  const metadata = { ...(await metadataOfApi(issuer)), ...ofServer };
  const lacking = (requirements: readonly Requirement[], from: string) =>
    requirements.flatMap(({ section, lack, option }) => {
      const what = lack(metadata);
      return what === undefined ? [] : [ofSite({ what, option, profile, from: `${from} §${section}` })];
    });
  return [
    ...lacking(SECURITY, 'FAPI 2.0 Security Profile'),
    ...(profile === 'fapi2' ? [] : lacking(MESSAGE_SIGNING, 'FAPI 2.0 Message Signing')),
  ];
}

/** The metadata of the site as an API (RFC 9728); empty if it is not one, or has none. */
async function metadataOfApi(issuer: string): Promise<Metadata> {
  try {
    const answer = await fetchOnce(protectedResourceMetadataUrl(issuer));
    return answer.ok ? ((await answer.json()) as Metadata) : {};
  } catch {
    return {};
  }
}

/** What single clients need at any site that holds them to a profile. */
const NEEDED: readonly (Requirement & { readonly of: readonly Profile[] })[] = [
  {
    of: ['fapi2', 'fapi2-message-signing'],
    section: '5.3.2.2-3',
    option: 'pushedRequests',
    lack: isThere('pushed_authorization_request_endpoint'),
  },
  {
    of: ['fapi2-message-signing'],
    section: '5.3.1-1',
    option: 'signedRequests',
    lack: isTrue('request_parameter_supported'),
  },
];

/** Which clients with a profile of their own get nothing at the site, because it has lost an option. */
export async function checkProfiledClients(
  io: Io,
  issuer: string,
  profiled: readonly ProfiledClient[],
): Promise<Finding[]> {
  if (profiled.length === 0) return [];
  const { metadata } = await fetchMetadata(io, issuer);
  return profiled.flatMap(({ clientId, name, profile }) =>
    NEEDED.flatMap(({ of, lack, option }) => {
      const what = of.includes(profile) ? lack(metadata) : undefined;
      if (what === undefined) return [];
      const about = `is held to ${profile}, and the site cannot: ${what}`;
      const found = finding('serious', 'profile.held-client', {
        what: `client ${clientId} (${name}) ${about}`,
        why: 'All its authorization requests are refused.',
        cure: `Set the option ${option}, or take the profile from the client: clients.update('${clientId}', { profile: undefined }).`,
      });
      return [{ ...found, client: { clientId, name }, about }];
    }),
  );
}

interface Lack {
  readonly what: string;
  readonly option: string;
  readonly profile: Profile;
  readonly from: string;
}

function ofSite({ what, option, profile, from }: Lack): Finding {
  return finding('serious', `profile.${option.split(' ')[0]}`, {
    what: `the site is not one of ${profile}: ${what}`,
    why: `${from} asks for something else.`,
    cure: `Write profile: '${profile}' among the options of authorizationServer: it sets what is left out, and names what contradicts (${option}).`,
  });
}

/** Why a stored client gets nothing at a site with a profile. */
export function checkClientForProfile(client: Client, profile: Profile): Finding[] {
  const { clientId, name } = client;
  return profileProblems({ ...client, profile }, {}).map(({ problem }) => ({
    ...finding('serious', 'profile.client', {
      what: `client ${clientId} (${name}) breaks the profile: ${problem}`,
      why: 'A site of the profile gives it nothing.',
      cure: `Register it with its keys: oauth.clients.update('${clientId}', { jwks: … }), and without what the profile refuses.`,
    }),
    client: { clientId, name },
    about: `breaks the profile: ${problem}`,
  }));
}
