import type { JWK } from 'jose';

import type { AuthorizationServer, AuthorizationServerOptions, NewClient } from '../../lib/index.js';

/** A certification profile of the OpenID Foundation: which host it is run against, and what the suite is told. */
export interface Profile {
  /** What the list of profiles says about it. */
  readonly title: string;
  /** Parameters of its plans that one can choose, by the names of the suite: their values, the default one first. */
  readonly variants?: Readonly<Record<string, readonly string[]>>;
  /** The plans that the host is made for. */
  plans(variant: Variant): readonly Plan[];
  /** The options of the authorization server, beside those of every host. */
  options(context: HostContext): ProfileOptions;
  /** What is registered before the suite comes. None: the suite registers its clients itself. */
  clients(context: HostContext): readonly StaticClient[];
  /** The members of the configuration that are the profile's own. */
  configuration(context: HostContext): SuiteMembers;
  /** Whether the host asks for certificates of clients. */
  takesCertificates?(variant: Variant): boolean;
  /** What one types into the terminal of the host while a module waits for it. */
  readonly commands?: Readonly<Record<string, HostCommand>>;
  /** Modules whose pages are for a human eye, or go another way than all others. */
  overrides?(context: HostContext): Readonly<Record<string, readonly BrowserEntry[]>>;
}

export interface HostCommand {
  /** Completes "Type 'NAME' …". */
  readonly title: string;
  /** Resolves to what the terminal says. */
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

/** What a profile makes its part of the host of. */
export interface HostContext {
  readonly variant: Variant;
  /** `https://localhost:9443` */
  readonly issuer: string;
  /** Whether it fetches from private addresses: nobody but this machine and its containers reaches the host. */
  readonly allowsPrivateAddresses: boolean;
  /** Where the suite listens for this alias: `https://localhost:8443/test/a/basic`. */
  readonly suiteUrl: string;
  readonly credentials: Credentials;
}

export const CLIENT_NAMES = ['client', 'client2', 'client_secret_post'] as const;
/** The clients of the suite, by the names that its configuration has for them. */
export type SuiteClientName = (typeof CLIENT_NAMES)[number];

export interface StaticClient extends NewClient {
  readonly clientId: string;
}

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Made once for a profile and kept, so that the configuration of the suite stays right. */
export interface Credentials {
  readonly secrets: Readonly<Record<SuiteClientName, string>>;
  /** Private keys of the clients, with which they sign assertions and requests (PS256). */
  readonly keys: Readonly<Record<'client' | 'client2', JWK>>;
  /** The certificates of the clients, and the authority that has signed them. */
  readonly certificates: Readonly<Record<'client' | 'client2', Certificate>> & { readonly authority: string };
}

/** What the suite is told about a client; the members are the suite's own. */
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

/** A whole configuration: what one pastes into the suite. */
export interface SuiteConfiguration extends SuiteMembers {
  readonly alias: string;
  readonly description: string;
  readonly server: { readonly discoveryUrl: string };
  readonly browser: readonly BrowserEntry[];
  readonly override?: Readonly<Record<string, { readonly browser: readonly BrowserEntry[] }>>;
}

/** What the suite's browser does with an address: the first entry that matches it is taken. */
export interface BrowserEntry {
  /** `*` stands for any characters. */
  readonly match: string;
  /** How often it is taken within a module; afterwards the next one that matches is. */
  readonly 'match-limit'?: number;
  readonly tasks: readonly BrowserTask[];
}

export interface BrowserTask {
  readonly task: string;
  readonly match: string;
  /** Whether the task is passed over if the browser is elsewhere. */
  readonly optional?: boolean;
  readonly commands?: readonly BrowserCommand[];
}

export type BrowserCommand = readonly (string | number)[];
