import { isLoopbackHost } from '../protocol/redirect-uri.js';
import type { DpopSettings } from './dpop-options.js';
import { option } from './option.js';
import { mistake, parseOptions } from './parse-options.js';
import type { PushedRequestSettings } from './pushed-request-options.js';
import { oneOf } from './shapes.js';
import type { SignedRequestSettings } from './signed-request-options.js';

/** Named sets of requirements of the FAPI working group, the second with all of the first. */
export const PROFILES = ['fapi2', 'fapi2-message-signing'] as const;
export type Profile = (typeof PROFILES)[number];

export const profileOptions = {
  /**
   * Holds the whole site to a profile of FAPI 2.0: `'fapi2'` (Security Profile) or `'fapi2-message-signing'`, which
   * adds signed requests and answers. It sets what they ask for where nothing is set (`pushedRequests`, `pkce`, `dpop`
   * unless there is `mutualTls`, `signedRequests`, `signedResponses`), refuses options that contradict it, and requests
   * and clients that break it. A single client is held to one by its `profile`. Default: none. (FAPI 2.0 Security
   * Profile, FAPI 2.0 Message Signing)
   */
  profile: option({ shape: () => oneOf(PROFILES) }),
};

/** Of the JWTs of a profile; `Ed25519` is EdDSA with that curve by its own name. (FAPI 2.0 Security Profile §5.4.1) */
export const PROFILE_ALGORITHMS: readonly string[] = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];
/** By which clients of a profile authenticate. (FAPI 2.0 Security Profile §5.3.2.1-6) */
export const PROFILE_METHODS: readonly string[] = [
  'private_key_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
];
/** Seconds that an authorization code may live. (FAPI 2.0 Security Profile §5.3.2.1-11) */
const CODE_TTL = 60;
/** Seconds that a `request_uri` lives less than. (FAPI 2.0 Security Profile §5.3.2.2-12) */
const REQUEST_URI_TTL = 600;

/** What is looked at of the options. */
export interface ProfiledSettings {
  readonly issuer: string;
  readonly grantTypes: readonly string[];
  readonly pkce: string;
  readonly pushedRequests: PushedRequestSettings | false;
  readonly signedRequests: SignedRequestSettings | false;
  readonly signedResponses: boolean;
  readonly dpop: DpopSettings | false;
  readonly mutualTls: object | false;
  readonly authorizationCodeTtl: number;
  readonly reuseGrace: number;
  readonly clientAssertions: { readonly audience?: string };
  readonly bearerMethods: readonly string[];
  readonly dangerouslyAllowInsecureHttp: boolean;
  /** By which the server signs. */
  readonly signingAlgorithms: readonly string[];
}

interface Requirement {
  /** The option that has to be another one. */
  readonly option: string;
  readonly isBroken: (settings: ProfiledSettings) => boolean;
  /** What is asked for, and what to write. */
  readonly asks: string;
  /** Where it is asked for. */
  readonly section: string;
  /** Whether single clients are held to it by what they ask and are registered with, whatever the option says. */
  readonly isHeldPerClient?: true;
}

const SECURITY: readonly Requirement[] = [
  {
    option: 'dangerouslyAllowInsecureHttp',
    isBroken: ({ dangerouslyAllowInsecureHttp }) => dangerouslyAllowInsecureHttp,
    asks: 'TLS everywhere; leave it out',
    section: '5.2.1-1',
  },
  {
    option: 'issuer',
    // on loopback nothing leaves the machine: a profile can be tried out there
    isBroken: ({ issuer }) => !issuer.startsWith('https:') && !isLoopbackHost(new URL(issuer).hostname),
    asks: 'TLS everywhere; write an https: URL',
    section: '5.2.1-1',
  },
  {
    option: 'grantTypes',
    isBroken: ({ grantTypes }) => grantTypes.includes('password'),
    asks: "no passwords of people at clients; take 'password' out",
    section: '5.3.2.1-2',
    isHeldPerClient: true,
  },
  {
    option: 'grantTypes',
    isBroken: ({ grantTypes }) => grantTypes.includes('implicit'),
    asks: "no response type but code; take 'implicit' out",
    section: '5.3.2.2-1',
    isHeldPerClient: true,
  },
  {
    option: 'dpop',
    isBroken: ({ dpop, mutualTls }) => dpop === false && mutualTls === false,
    asks: 'tokens that are bound to their client; write dpop: true or mutualTls: true',
    section: '5.3.2.1-4',
  },
  {
    option: 'clientAssertions.audience',
    isBroken: ({ clientAssertions: { audience = 'issuer' } }) => audience !== 'issuer',
    asks: "assertions for the issuer alone; leave it out, or write 'issuer'",
    section: '5.3.2.1-8',
    isHeldPerClient: true,
  },
  {
    option: 'authorizationCodeTtl',
    isBroken: ({ authorizationCodeTtl }) => authorizationCodeTtl > CODE_TTL,
    asks: `codes of ${CODE_TTL} seconds at most`,
    section: '5.3.2.1-11',
    isHeldPerClient: true,
  },
  {
    option: 'pushedRequests',
    isBroken: ({ pushedRequests }) => pushedRequests === false,
    asks: 'pushed requests; leave it out, or write { required: true }',
    section: '5.3.2.2-2',
  },
  {
    option: 'pushedRequests',
    isBroken: ({ pushedRequests }) => pushedRequests !== false && !pushedRequests.required,
    asks: 'no requests but pushed ones; leave it out, or write { required: true }',
    section: '5.3.2.2-3',
    isHeldPerClient: true,
  },
  {
    option: 'pushedRequests.expiresIn',
    isBroken: ({ pushedRequests }) => pushedRequests !== false && pushedRequests.expiresIn >= REQUEST_URI_TTL,
    asks: `request_uris that live less than ${REQUEST_URI_TTL} seconds`,
    section: '5.3.2.2-12',
  },
  {
    option: 'pkce',
    isBroken: ({ pkce }) => pkce !== 'all',
    asks: "PKCE of all clients; leave it out, or write 'all'",
    section: '5.3.2.2-5',
    isHeldPerClient: true,
  },
  {
    option: 'reuseGrace',
    isBroken: ({ reuseGrace }) => reuseGrace > 0,
    asks: 'codes that are good once; leave it out',
    section: '5.3.2.2-9',
    isHeldPerClient: true,
  },
  {
    option: 'bearerMethods',
    isBroken: ({ bearerMethods }) => bearerMethods.includes('query'),
    asks: "no tokens in addresses; take 'query' out",
    section: '5.3.4-2',
  },
  {
    option: 'signingKeys',
    isBroken: ({ signingAlgorithms }) => signingAlgorithms.some((name) => !PROFILE_ALGORITHMS.includes(name)),
    asks: 'signatures by PS256, ES256 or EdDSA',
    section: '5.4.1-1',
  },
];

const MESSAGE_SIGNING: readonly Requirement[] = [
  {
    option: 'signedRequests',
    isBroken: ({ signedRequests }) => signedRequests === false,
    asks: 'signed requests; leave it out, or write { required: true }',
    section: '5.3.1-1',
  },
  {
    option: 'signedRequests',
    isBroken: ({ signedRequests }) => signedRequests !== false && !signedRequests.required,
    asks: 'no requests but signed ones; leave it out, or write { required: true }',
    section: '5.3.1-1',
    isHeldPerClient: true,
  },
  {
    option: 'signedResponses',
    isBroken: ({ signedResponses }) => !signedResponses,
    asks: 'signed answers; leave it out, or write true',
    section: '5.4.1-1',
  },
];

interface Given {
  readonly profile?: unknown;
  readonly mutualTls?: unknown;
}

/**
 * The options with what a profile sets where the host has set nothing. @throws TypeError if there is no such profile
 */
export function withProfile<Options extends object>(options: Options): Options {
  const { profile, mutualTls } = (options ?? {}) as Given;
  if (profile === undefined) return options;
  const checked = parseOptions('authorizationServer', profileOptions, { profile }).profile;
  const preset = {
    pushedRequests: { required: true },
    pkce: 'all',
    ...((mutualTls === undefined || mutualTls === false) && { dpop: true }),
    ...(checked === 'fapi2-message-signing' && { signedRequests: { required: true }, signedResponses: true }),
  };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...preset, ...Object.fromEntries(given) } as unknown as Options;
}

/** @throws TypeError with the first requirement that the options break */
export function checkProfile(profile: Profile | undefined, settings: ProfiledSettings): void {
  if (profile === undefined) return;
  const [broken] = brokenRequirements(profile, settings);
  if (broken !== undefined) throw mistake('authorizationServer', broken.option, broken.text);
}

/** Why no client of a site can be held to a profile, undefined if clients can. */
export function findProfileLack(profile: Profile, settings: ProfiledSettings): string | undefined {
  const [lack] = brokenRequirements(profile, settings).filter(({ isHeldPerClient }) => !isHeldPerClient);
  return lack && `the option ${lack.option}: ${lack.text}`;
}

function brokenRequirements(profile: Profile, settings: ProfiledSettings) {
  const all = [
    ...SECURITY.map((each) => ({ ...each, from: 'FAPI 2.0 Security Profile' })),
    ...(profile === 'fapi2' ? [] : MESSAGE_SIGNING).map((each) => ({
      ...each,
      from: 'FAPI 2.0 Message Signing',
    })),
  ];
  return all
    .filter(({ isBroken }) => isBroken(settings))
    .map(({ option: name, asks, section, from, isHeldPerClient = false }) => ({
      option: name,
      text: `the profile '${profile}' asks for ${asks} (${from} §${section})`,
      isHeldPerClient,
    }));
}

/** What single clients are held to, too, whatever the options say. */
export const PROFILE_LIMITS = { codeTtl: CODE_TTL } as const;
