import { objectOf, option, type OptionsOf } from '../table/option.js';
import type { OptionContext } from '../table/option-context.js';
import { serverOptionError } from '../table/parse-options.js';
import { flag, recordOf, scopeList, seconds, text } from '../table/shapes.js';
import { accessTokenFormat } from './token-options.js';

const oneResource = {
  /** The scopes of the resource server; tokens for it have no others. Default: all. */
  scopes: option({ shape: scopeList }),
  /** `opaque` or `jwt`. Default: `tokens.accessTokenFormat`. */
  accessTokenFormat: option({ shape: accessTokenFormat }),
  /**
   * Whether tokens by `client_credentials` for it are not stored, which saves a database command each. They need
   * `accessTokenFormat: 'jwt'`. Nobody can revoke one, so they are valid for 300 seconds unless `accessTokenTtl` says
   * otherwise. Default: `false`. (RFC 9068)
   */
  stateless: option({ shape: flag, default: false }),
  /**
   * Seconds that an access token for it is valid, unless the client's `accessTokenTtl` is shorter. Default:
   * `lifetimes.accessToken`.
   */
  accessTokenTtl: option({ shape: () => seconds({ example: 600 }) }),
  /** Its name in the metadata and on the consent page. Default: none. (`resource_name` of RFC 9728) */
  name: option({ shape: () => text("text that is not empty, such as 'Albums'") }),
};

/** A resource server behind this authorization server (RFC 8707). */
export type ResourceOptions = OptionsOf<typeof oneResource>;

/** Default lifetime in seconds of a token that cannot be revoked. */
export const STATELESS_TTL = 300;
/** A longer lifetime causes a warning. */
const LONG_STATELESS_TTL = 3600;

/** Resource servers behind this authorization server (RFC 8707). */
export const resourceOptions = {
  /**
   * The resource servers that tokens can be for, by URL: `{ 'https://api.photos.example': { accessTokenFormat: 'jwt' }
   * }`. A token for one is refused at another. The site's API is always one, with the issuer as its URL. Default:
   * none, the parameter `resource` is ignored. (RFC 8707, RFC 9728)
   */
  resources: option({
    shape: () =>
      recordOf(
        objectOf(oneResource, 'an object of the options of a resource, such as {}'),
        "an object of resource and its options, such as { 'https://api.photos.example': {} }",
      ),
    default: {},
    resolve: resolveResources,
  }),
};

/**
 * Validates the resources.
 *
 * @throws TypeError
 * @see RFC 8707 §2, RFC 9728 §1.2
 */
function resolveResources(
  resources: Readonly<Record<string, ResourceOptions>>,
  { issuer, describedScopes, accessTokenFormat }: OptionContext,
): ReadonlyMap<string, ResourceOptions> {
  const hrefs = new Set<string>();
  for (const [resource, options] of Object.entries(resources)) {
    const wrong = (text: string) => serverOptionError('resources', `'${resource}' ${text}`);
    if (!URL.canParse(resource))
      throw wrong('must be an absolute URL, such as https://api.photos.example (RFC 8707 §2)');
    const { protocol, hash, href } = new URL(resource);
    if (protocol !== 'https:' && protocol !== 'http:') throw wrong('must be an https: URL');
    // RFC 8707 §2: MUST NOT include a fragment component
    if (hash !== '' || /[\s#"\\]/.test(resource))
      throw wrong('must have no fragment, space, quote or backslash');
    if (hrefs.has(href)) throw wrong('is there twice');
    hrefs.add(href);
    const unknown = options.scopes?.find((scope) => !describedScopes.includes(scope));
    if (unknown !== undefined) throw wrong(`its scope '${unknown}' is not among scopes`);
    if (options.stateless !== true) continue;
    if ((options.accessTokenFormat ?? accessTokenFormat) !== 'jwt')
      throw wrong("is stateless, so its tokens say all themselves; write accessTokenFormat: 'jwt'");
    const { accessTokenTtl = STATELESS_TTL } = options;
    if (accessTokenTtl > LONG_STATELESS_TTL)
      process.emitWarning(
        `authorizationServer: resources: '${resource}' is stateless: what clients get in their own name is good for ${accessTokenTtl} seconds, and nobody can take it back; give it a shorter accessTokenTtl`,
        { code: 'EAS_LONG_STATELESS_TOKENS' },
      );
  }
  const all = Object.entries(resources);
  // clients that read the metadata of the site's API request it by its identifier
  if (all.length > 0 && !hrefs.has(issuer.href)) all.push([issuer.href.replace(/\/$/, ''), {}]);
  return new Map(all);
}

/** All resources, including the site itself. */
export function ownResourcesOf(settings: {
  readonly issuer: string;
  readonly resources: ReadonlyMap<string, unknown>;
}): string[] {
  return [...new Set([settings.issuer, ...settings.resources.keys()])];
}
