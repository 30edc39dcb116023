import { isLoopbackHost } from '../shared/protocol/redirect-uri.js';
import type { ResolvedOptions } from './options.js';
import type { Profile } from './options/profile-options.js';
import { defaultAlgorithmOf, signingAlgorithmsOf } from './options/signing-key-options.js';
import { serverOptionError } from './table/parse-options.js';
import type { Problems } from './table/problems.js';
import { withDefault } from './table/with-default.js';

/** The JWT algorithms of a profile; `Ed25519` is EdDSA with that curve. (FAPI 2.0 Security Profile §5.4.1) */
export const PROFILE_ALGORITHMS: readonly string[] = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];
/** Authentication methods of a profile's clients. (FAPI 2.0 Security Profile §5.3.2.1-6) */
export const PROFILE_METHODS: readonly string[] = [
  'private_key_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
];
/** Maximum lifetime of an authorization code in seconds. (FAPI 2.0 Security Profile §5.3.2.1-11) */
export const PROFILE_CODE_TTL = 60;
/** Seconds by which the clock of a client may be ahead. (FAPI 2.0 Security Profile §5.3.2.1-13) */
const CLOCKS_AHEAD = 10;
/** A `request_uri` must live for less than this many seconds. (FAPI 2.0 Security Profile §5.3.2.2-12) */
const REQUEST_URI_TTL = 600;

interface Requirement {
  /** The option that breaks the requirement. */
  readonly option: string;
  readonly isBroken: (
    settings: ResolvedOptions,
    signingAlgorithms: () => readonly string[],
  ) => boolean | undefined;
  /** The requirement, and what to write. */
  readonly asks: string;
  /** The section of the requirement. */
  readonly section: string;
  /** Whether the requests and registration of a single client are checked, whatever the option says. */
  readonly isCheckedPerClient?: true;
}

const SECURITY: readonly Requirement[] = [
  {
    option: 'security.dangerouslyAllowInsecureHttp',
    isBroken: ({ security }) => security.dangerouslyAllowInsecureHttp,
    asks: 'TLS everywhere; leave it out',
    section: '5.2.1-1',
  },
  {
    option: 'issuer',
    // loopback traffic stays on the machine, so that a profile can be tried there
    isBroken: ({ issuer }) =>
      URL.canParse(issuer) && !issuer.startsWith('https:') && !isLoopbackHost(new URL(issuer).hostname),
    asks: 'TLS everywhere; write an https: URL',
    section: '5.2.1-1',
  },
  {
    option: 'grantTypes',
    isBroken: ({ grantTypes }) => grantTypes.includes('password'),
    asks: "no passwords of users at clients; take 'password' out",
    section: '5.3.2.1-2',
    isCheckedPerClient: true,
  },
  {
    option: 'grantTypes',
    isBroken: ({ grantTypes }) => grantTypes.includes('implicit'),
    asks: "no response type but code; take 'implicit' out",
    section: '5.3.2.2-1',
    isCheckedPerClient: true,
  },
  {
    option: 'dpop',
    isBroken: ({ dpop, mutualTls }) => !dpop && !mutualTls,
    asks: 'tokens that are bound to their client; write dpop: true or mutualTls: true',
    section: '5.3.2.1-4',
  },
  {
    option: 'clientAuthentication.assertions.audience',
    isBroken: ({ clientAuthentication: { assertions } }) => (assertions.audience ?? 'issuer') !== 'issuer',
    asks: "assertions for the issuer alone; leave it out, or write 'issuer'",
    section: '5.3.2.1-8',
    isCheckedPerClient: true,
  },
  {
    option: 'lifetimes.authorizationCode',
    isBroken: ({ lifetimes }) => lifetimes.authorizationCode > PROFILE_CODE_TTL,
    asks: `codes of ${PROFILE_CODE_TTL} seconds at most`,
    section: '5.3.2.1-11',
    isCheckedPerClient: true,
  },
  {
    option: 'security.clockTolerance',
    isBroken: ({ security }) => security.clockTolerance < CLOCKS_AHEAD,
    asks: `JWTs of clocks that are up to ${CLOCKS_AHEAD} seconds ahead; leave it out, or write ${CLOCKS_AHEAD} or more`,
    section: '5.3.2.1-13',
  },
  {
    option: 'pushedRequests',
    isBroken: ({ pushedRequests }) => !pushedRequests,
    asks: 'pushed requests; leave it out, or write { required: true }',
    section: '5.3.2.2-2',
  },
  {
    option: 'pushedRequests',
    isBroken: ({ pushedRequests }) => pushedRequests && !pushedRequests.required,
    asks: 'no requests but pushed ones; leave it out, or write { required: true }',
    section: '5.3.2.2-3',
    isCheckedPerClient: true,
  },
  {
    option: 'pushedRequests.ttl',
    isBroken: ({ pushedRequests }) => pushedRequests && pushedRequests.ttl >= REQUEST_URI_TTL,
    asks: `request_uris that live less than ${REQUEST_URI_TTL} seconds`,
    section: '5.3.2.2-12',
  },
  {
    option: 'security.pkce',
    isBroken: ({ security }) => security.pkce !== 'all',
    asks: "PKCE of all clients; leave it out, or write 'all'",
    section: '5.3.2.2-5',
    isCheckedPerClient: true,
  },
  {
    option: 'tokens.reuseGrace',
    isBroken: ({ tokens }) => tokens.reuseGrace !== 0,
    asks: 'codes that are good once; leave it out',
    section: '5.3.2.2-9',
    isCheckedPerClient: true,
  },
  {
    option: 'guard.bearerMethods',
    isBroken: ({ guard }) => guard.bearerMethods.includes('query'),
    asks: "no tokens in addresses; take 'query' out",
    section: '5.3.4-2',
  },
  {
    option: 'signingKeys',
    isBroken: (_settings, algorithms) => algorithms().some((name) => !PROFILE_ALGORITHMS.includes(name)),
    asks: 'signatures by PS256, ES256 or EdDSA',
    section: '5.4.1-1',
  },
];

const MESSAGE_SIGNING: readonly Requirement[] = [
  {
    option: 'signedRequests',
    isBroken: ({ signedRequests }) => !signedRequests,
    asks: 'signed requests; leave it out, or write { required: true }',
    section: '5.3.1-1',
  },
  {
    option: 'signedRequests',
    isBroken: ({ signedRequests }) => signedRequests && !signedRequests.required,
    asks: 'no requests but signed ones; leave it out, or write { required: true }',
    section: '5.3.1-1',
    isCheckedPerClient: true,
  },
  {
    option: 'signedResponses',
    isBroken: ({ signedResponses }) => !signedResponses,
    asks: 'signed answers; leave it out, or write true',
    section: '5.4.1-1',
  },
];

/** Adds the presets of a profile to the options; the profile's name is checked later. */
export function withProfile<Options extends object>(options: Options): Options {
  const { profile, mutualTls } = (options ?? {}) as {
    readonly profile?: unknown;
    readonly mutualTls?: unknown;
  };
  if (profile === undefined) return options;
  const preset = {
    pushedRequests: { required: true },
    'security.pkce': 'all',
    dpop: mutualTls ? undefined : true,
    signedRequests: profile === 'fapi2-message-signing' ? { required: true } : undefined,
    signedResponses: profile === 'fapi2-message-signing' ? true : undefined,
  };
  return Object.entries(preset).reduce(
    (all, [path, value]) => (value === undefined ? all : withDefault(all, path, value)),
    options,
  );
}

/** Finds each requirement that the options break. */
export function checkProfileOptions(
  problems: Problems,
  profile: Profile | undefined,
  settings: ResolvedOptions,
): void {
  if (profile === undefined) return;
  for (const { option: name, isBroken, text } of requirementsOf(profile))
    problems.attempt(() => {
      if (isBroken(settings, () => signingAlgorithmsOf(settings))) throw serverOptionError(name, text);
    });
}

/** Why no client of a site can meet a profile; undefined if clients can. */
export function findProfileLack(profile: Profile, settings: ResolvedOptions): string | undefined {
  // the default algorithm signs for clients of a profile, whatever other algorithms exist
  const algorithms = () => [defaultAlgorithmOf(settings)];
  const lack = requirementsOf(profile).find(
    ({ isBroken, isCheckedPerClient }) => isCheckedPerClient !== true && isBroken(settings, algorithms),
  );
  return lack && `the option ${lack.option}: ${lack.text}`;
}

function requirementsOf(profile: Profile): readonly (Requirement & { readonly text: string })[] {
  const withText = (from: string) => (requirement: Requirement) => ({
    ...requirement,
    text: `the profile '${profile}' asks for ${requirement.asks} (${from} §${requirement.section})`,
  });
  const signing = profile === 'fapi2' ? [] : MESSAGE_SIGNING;
  return [
    ...SECURITY.map(withText('FAPI 2.0 Security Profile')),
    ...signing.map(withText('FAPI 2.0 Message Signing')),
  ];
}
