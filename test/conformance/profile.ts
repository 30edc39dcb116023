import type { JWK } from 'jose';

import type { AuthorizationServer, AuthorizationServerOptions, NewClient } from '../../lib/index.js';

/** A certification profile of the OpenID Foundation: its host, and the configuration of the suite. */
export interface Profile {
  /** Its line in the list of profiles. */
  readonly title: string;
  /** Parameters of its plans, by the names of the suite: their values, the default one first. */
  readonly variants?: Readonly<Record<string, readonly string[]>>;
  /** Its plans. */
  plans(variant: Variant): readonly Plan[];
  /** The options of the authorization server, beside those of every host. */
  options(context: HostContext): ProfileOptions;
  /** The clients that are registered before the suite comes. None: the suite registers its clients itself. */
  clients(context: HostContext): readonly StaticClient[];
  /** The additional members of the configuration. */
  configuration(context: HostContext): SuiteMembers;
  /** Whether the host requests certificates of clients. */
  takesCertificates?(variant: Variant): boolean;
  /** The command for the terminal of the host while a module waits for it. */
  readonly commands?: Readonly<Record<string, HostCommand>>;
  /** Modules whose pages are for a human eye, or with a special order of pages. */
  overrides?(context: HostContext): Readonly<Record<string, readonly BrowserEntry[]>>;
}

export interface HostCommand {
  /** Completes "Type 'NAME' …". */
  readonly title: string;
  /** Resolves to the output of the terminal. */
  run(oauth: AuthorizationServer, context: HostContext): Promise<string>;
}

type OpenidOptions = Exclude<NonNullable<AuthorizationServerOptions['openid']>, false>;
/** Every host is an OpenID Provider with the same claims, unless the profile says `false`. */
export type ProfileOptions = Omit<Partial<AuthorizationServerOptions>, 'openid'> & {
  readonly openid?: Partial<OpenidOptions> | false;
};

/** The chosen values of the plans' parameters, by their names. */
export type Variant = Readonly<Record<string, string>>;

export interface Plan {
  readonly name: string;
  readonly variant: Variant;
}

/** The parameters for a profile's part of the host. */
export interface HostContext {
  readonly variant: Variant;
  /** `https://localhost:9443` */
  readonly issuer: string;
  /** Whether it fetches from private addresses: nobody but this machine and its containers reaches the host. */
  readonly allowsPrivateAddresses: boolean;
  /** The address of the suite for this alias: `https://localhost:8443/test/a/basic`. */
  readonly suiteUrl: string;
  readonly credentials: Credentials;
}

export const CLIENT_NAMES = ['client', 'client2', 'client_secret_post'] as const;
/** The clients of the suite, by their names in its configuration. */
export type SuiteClientName = (typeof CLIENT_NAMES)[number];

export interface StaticClient extends NewClient {
  readonly clientId: string;
}

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Made once for a profile and stored, so that the configuration of the suite stays right. */
export interface Credentials {
  readonly secrets: Readonly<Record<SuiteClientName, string>>;
  /** Private keys of the clients, with which they sign assertions and requests (PS256). */
  readonly keys: Readonly<Record<'client' | 'client2', JWK>>;
  /** The certificates of the clients, and the authority that has signed them. */
  readonly certificates: Readonly<Record<'client' | 'client2', Certificate>> & { readonly authority: string };
}

/** The suite's data about a client, in the members of the suite. */
export interface SuiteClient {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly client_name?: string;
  readonly scope?: string;
  readonly jwks?: { readonly keys: readonly JWK[] };
  readonly dpop_signing_alg?: string;
}

/** Members of the suite's configuration that depend on the profile. */
export interface SuiteMembers extends Partial<Readonly<Record<SuiteClientName, SuiteClient>>> {
  readonly mtls?: Certificate & { readonly ca: string };
  readonly mtls2?: Certificate & { readonly ca: string };
  readonly resource?: { readonly resourceUrl: string };
  readonly ssf?: {
    readonly transmitter: { readonly issuer?: string; readonly access_token?: string };
    readonly stream?: { readonly audience: string };
    readonly subjects?: Readonly<
      Record<'valid' | 'invalid', { readonly format: 'opaque'; readonly id: string }>
    >;
  };
}

/** A whole configuration, to be pasted into the suite. */
export interface SuiteConfiguration extends SuiteMembers {
  readonly alias: string;
  readonly description: string;
  readonly server: { readonly discoveryUrl: string };
  readonly browser: readonly BrowserEntry[];
  readonly override?: Readonly<Record<string, { readonly browser: readonly BrowserEntry[] }>>;
}

/** The actions of the suite's browser at an address: the first matching entry is used. */
export interface BrowserEntry {
  /** `*` stands for any characters. */
  readonly match: string;
  /** The maximum number of uses within a module; afterwards the next match is used. */
  readonly 'match-limit'?: number;
  readonly tasks: readonly BrowserTask[];
}

export interface BrowserTask {
  readonly task: string;
  readonly match: string;
  /** Whether the task is skipped if the browser is elsewhere. */
  readonly optional?: boolean;
  readonly commands?: readonly BrowserCommand[];
}

export type BrowserCommand = readonly (string | number)[];
