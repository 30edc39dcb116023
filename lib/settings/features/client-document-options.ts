import { z } from 'zod';

import { findClientIdUrlProblem, isClientIdUrl } from '../../shared/protocol/client-id-url.js';
import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import { resolveOwnerChoices } from '../pages/applications-options.js';
import { defaultsOf, objectOf, option, type OptionsOf, type SettingsOf } from '../table/option.js';
import type { OptionContext } from '../table/option-context.js';
import { optionError } from '../table/parse-options.js';
import { bytes, count, flag, listOf, milliseconds, recordOf, seconds, textLike } from '../table/shapes.js';

const DOMAIN = /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
const domains = () =>
  listOf(
    textLike(DOMAIN, "a host in lower case, such as 'claude.ai' or '*.example.com'"),
    "a list of hosts, such as ['claude.ai', '*.example.com']",
  );

/** A client id whole, for hosts on which strangers publish documents as well. */
const isClientId = (text: string): boolean =>
  isClientIdUrl(text, { allowLoopback: true }) && findClientIdUrlProblem(text) === undefined;
const DOMAIN_OR_CLIENT_ID =
  "a host in lower case, such as 'claude.ai' or '*.example.com', or a whole client id, such as 'https://shared.example/app1/client.json'";
const domainsAndClientIds = () =>
  listOf(
    z
      .string(DOMAIN_OR_CLIENT_ID)
      .refine((text) => DOMAIN.test(text) || isClientId(text), DOMAIN_OR_CLIENT_ID),
    "a list of hosts and client ids, such as ['claude.ai', 'https://shared.example/app1/client.json']",
  );

const capOptions = {
  /** Access tokens in an hour, for all clients of the host together; beyond that the answer is 429. Default: no cap. */
  tokensPerHour: option({ shape: () => count({ example: 1000 }) }),
  /** Grants that are live at once, of all clients of the host together. Default: no cap. */
  maxGrants: option({ shape: () => count({ example: 500 }) }),
  /** Seconds that their access tokens are valid at most. Default: `lifetimes.accessToken`. */
  accessTokenTtl: option({ shape: () => seconds({ example: 600 }) }),
  /** Seconds that their refresh tokens can stay unused at most. Default: `lifetimes.refreshToken`. */
  refreshTokenTtl: option({ shape: () => seconds({ example: 86_400 }) }),
};

/** What clients of a host may have at most. */
export type DomainCaps = SettingsOf<typeof capOptions>;

const trustOptions = {
  /** The only hosts whose clients are let in. Default: all that are not blocked. */
  allow: option({ shape: domains }),
  /** Hosts whose clients get nothing, whatever else is set for them. Default: none. */
  block: option({ shape: domains, default: [] }),
  /**
   * Hosts that you have checked, and client ids if others publish documents at the same host: users see the name that
   * such a client gives itself, and that the site has verified it. A client id is compared exactly. Default: none,
   * users see the host instead of a name. (Client ID Metadata Document §3, §8.5)
   */
  verified: option({ shape: domainsAndClientIds, default: [] }),
  /**
   * What clients of a host may have at most, by the host:
   * `{ 'claude.ai': { tokensPerHour: 1000 }, '*': { maxGrants: 50 } }`. If several fit, the closest one counts; `*`
   * gives each host that no other fits a cap of its own. Default: none.
   */
  caps: option({
    shape: () =>
      recordOf(
        objectOf(capOptions, 'an object of tokensPerHour, maxGrants, accessTokenTtl, refreshTokenTtl'),
        "an object by hosts, such as { 'claude.ai': { tokensPerHour: 1000 } }",
      ),
    default: {},
  }),
};

/** How far the hosts in client ids are trusted; `*.example.com` is each host below example.com. */
export type DomainTrust = OptionsOf<typeof trustOptions>;
/** The options with their defaults. */
export type DomainTrustSettings = SettingsOf<typeof trustOptions>;

const rows = {
  /** Which hosts are let in, and which of them you have checked. Default: all hosts are let in, and none is checked. */
  trust: option({
    shape: () =>
      objectOf(
        trustOptions,
        "an object of allow, block, verified, caps, such as { verified: ['claude.ai'] }",
      ),
    default: defaultsOf(trustOptions),
  }),
  /**
   * The grant types such a client can have. Default: authorization_code and refresh_token, as far as they are on. With
   * `client_credentials` anybody with a web page gets access without asking a user.
   */
  grantTypes: option({
    shape: () => listOf(textLike(/./, 'a name'), "a list of grant types, such as ['authorization_code']"),
  }),
  /** The scopes such a client can have. Default: all. */
  scopes: option({
    shape: () => listOf(textLike(/./, 'a scope'), "a list of scopes, such as ['photos:read']"),
  }),
  /**
   * Accepts redirect URIs at other hosts than the document's; otherwise they are ignored. Apps on a device do not need
   * it: their loopback and private-use URIs are accepted anyway. Default: `false`. (Client ID Metadata Document §8.1)
   */
  anyRedirectHost: option({ shape: flag, default: false }),
  /** Seconds that a document is used without asking for it again, whatever its headers say. Default: `300`. */
  minCacheTtl: option({ shape: () => seconds({ min: 0, example: 300 }), default: 300 }),
  /**
   * Seconds after which a document is asked for again, whatever its headers say. While its server cannot be reached, a
   * client that users have allowed before can go on with a document up to that old. Default: `86400` (a day).
   */
  maxCacheTtl: option({ shape: () => seconds({ example: 86_400 }), default: 86_400 }),
  /** Milliseconds for the whole of a fetch, name look-up included. Default: `3000`. */
  timeout: option({ shape: () => milliseconds({ max: 60_000, example: 3000 }), default: 3000 }),
  /** How many bytes a document may have. Default: `5120`. (Client ID Metadata Document §8.7) */
  maxBytes: option({ shape: () => bytes({ max: 65_536, example: 5120 }), default: 5120 }),
  /**
   * Lets a client id be an `http:` or `https:` URL on loopback. It is for development, and so needs an issuer on
   * loopback. Default: `false`. (Client ID Metadata Document §8.6)
   */
  allowLoopback: option({ shape: flag, default: false }),
};

const names = Object.keys(rows).join(', ');

/** How clients that describe themselves by a document are let in. */
export type ClientDocumentOptions = OptionsOf<typeof rows>;
type Parsed = SettingsOf<typeof rows>;

/** Clients that describe themselves by a document at their client id. */
export const clientDocumentOptions = {
  /**
   * Lets in clients that nobody has registered. Their client id is an https: URL; the document there says who they are,
   * and is fetched when somebody comes with that id. `true`, or an object such as
   * `{ trust: { verified: ['claude.ai'] } }`. Default: `false`. (OAuth Client ID Metadata Document, draft 02)
   */
  clientIdMetadataDocuments: option({
    shape: () =>
      z
        .union(
          [z.boolean(), objectOf(rows, 'an object')],
          `true, false or an object of ${names}, such as { trust: { verified: ['claude.ai'] } }`,
        )
        .transform((given): Parsed | false => (given === true ? defaultsOf(rows) : given)),
    default: false,
    members: rows,
    resolve: resolveClientDocuments,
  }),
};

/** The options with their defaults. */
export interface ClientDocumentSettings extends Omit<Parsed, 'grantTypes' | 'scopes'> {
  readonly grantTypes: readonly string[];
  readonly scopes: readonly string[];
}

/**
 * Fills in the defaults that follow from other options.
 *
 * @throws TypeError if a grant type or scope is not one of the server, or loopback is let in on a public site
 */
function resolveClientDocuments(
  options: Parsed | false,
  context: Pick<OptionContext, 'issuer' | 'scopes' | 'grantTypes'>,
): ClientDocumentSettings | false {
  if (options === false) return false;
  if (options.allowLoopback && !isLoopbackHost(context.issuer.hostname))
    throw optionError(
      'authorizationServer',
      'clientIdMetadataDocuments.allowLoopback',
      'lets anybody have this server ask itself, so it is for an issuer on loopback alone; leave it out',
    );
  checkCaps(options.trust.caps);
  return { ...options, ...resolveOwnerChoices('clientIdMetadataDocuments', options, context) };
}

function checkCaps(caps: Readonly<Record<string, DomainCaps>>): void {
  const wrong = Object.keys(caps).find((host) => host !== '*' && !DOMAIN.test(host));
  if (wrong !== undefined)
    throw optionError(
      'authorizationServer',
      'clientIdMetadataDocuments.trust.caps',
      `'${wrong}' is no host in lower case, such as 'claude.ai' or '*.example.com', and not '*'`,
    );
}
