import type { RowsOf } from '../../settings/options.js';
import { resolveOwnerChoices } from '../../settings/pages/applications-options.js';
import {
  defaultsOf,
  objectOf,
  option,
  type OptionsOf,
  type SettingsOf,
  switchable,
} from '../../settings/table/option.js';
import type { OptionContext } from '../../settings/table/option-context.js';
import { serverOptionError } from '../../settings/table/parse-options.js';
import { flag, listOf, textLike } from '../../settings/table/shapes.js';
import { findClientIdUrlProblem, isClientIdUrl } from '../../shared/protocol/client-id-url.js';
import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import * as z from '../../shared/schema.js';

const DOMAIN = /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
const domains = () =>
  listOf(
    textLike(DOMAIN, "a host in lower case, such as 'claude.ai' or '*.example.com'"),
    "a list of hosts, such as ['claude.ai', '*.example.com']",
  );

const DOMAIN_OR_CLIENT_ID =
  "a host in lower case, such as 'claude.ai' or '*.example.com', or a whole client id, such as 'https://shared.example/app1/client.json'";

const trustOptions = {
  /** The only hosts whose clients are let in. Default: all that are not blocked. */
  allow: option({ shape: domains }),
  /** Hosts whose clients are refused in any case. Default: none. */
  block: option({ shape: domains, default: [] }),
  /**
   * Hosts that you have checked, or exact client ids if others publish documents there: users see the name of the
   * client. Default: none, users see the host instead of a name.
   */
  verified: option({
    shape: () =>
      listOf(
        z
          .string(DOMAIN_OR_CLIENT_ID)
          .refine(
            (text) =>
              DOMAIN.test(text) ||
              (isClientIdUrl(text, { allowLoopback: true }) && findClientIdUrlProblem(text) === undefined),
            DOMAIN_OR_CLIENT_ID,
          ),
        "a list of hosts and client ids, such as ['claude.ai', 'https://shared.example/app1/client.json']",
      ),
    default: [],
  }),
};

const rows = {
  /** Which hosts are let in, and which you have checked. Default: all are let in, and none is checked. */
  trust: option({
    shape: () =>
      objectOf(trustOptions, "an object of allow, block, verified, such as { verified: ['claude.ai'] }"),
    default: defaultsOf(trustOptions),
  }),
  /**
   * The grant types of such a client. With `client_credentials`, anybody with a web page gets access without a user.
   * Default: `authorization_code` and `refresh_token`.
   */
  grantTypes: option({
    shape: () => listOf(textLike(/./, 'a name'), "a list of grant types, such as ['authorization_code']"),
  }),
  /** The scopes of such a client. Default: all. */
  scopes: option({
    shape: () => listOf(textLike(/./, 'a scope'), "a list of scopes, such as ['photos:read']"),
  }),
  /**
   * Accepts redirect URIs at other hosts than the document's, which are otherwise ignored unless they are on the
   * device. Default: `false`.
   */
  anyRedirectHost: option({ shape: flag, default: false }),
  /** Lets a client id be a URL on loopback, if the issuer is on loopback. Default: `false`. */
  allowLoopback: option({ shape: flag, default: false }),
};

/** Which clients with a metadata document are let in, and what they may do. */
export type ClientDocumentOptions = OptionsOf<typeof rows>;

/** Clients that describe themselves by a document at their client id. */
export const clientDocumentOptions = {
  /**
   * Lets in clients that nobody has registered: their client id is the https: URL of a document that describes them.
   * `true`, or an object. Default: `false`. (OAuth Client ID Metadata Document, draft 02)
   */
  clientIdMetadataDocuments: switchable(rows, "{ trust: { verified: ['claude.ai'] } }", {
    resolve: resolveClientDocuments,
  }),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof clientDocumentOptions> {}
}

/** @throws TypeError if a grant type or scope is unknown, or `allowLoopback` is set on a public site */
function resolveClientDocuments(options: SettingsOf<typeof rows> | false, context: OptionContext) {
  if (options === false) return false;
  if (options.allowLoopback && !isLoopbackHost(context.issuer.hostname))
    throw serverOptionError(
      'clientIdMetadataDocuments.allowLoopback',
      'lets anybody have this server ask itself, so it is for an issuer on loopback alone; leave it out',
    );
  return { ...options, ...resolveOwnerChoices('clientIdMetadataDocuments', options, context) };
}
