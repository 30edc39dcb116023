import type { FindAssertedUser } from '../../core/grants/asserted-user.js';
import { bearerGuardOptions } from '../../settings/bearer-guard-options.js';
import type { ResolvedOptions, RowsOf } from '../../settings/options.js';
import { secureUrl } from '../../settings/options/key-source-options.js';
import {
  objectOf,
  option,
  type OptionsOf,
  required,
  type SettingsOf,
  switchable,
} from '../../settings/table/option.js';
import type { OptionContext } from '../../settings/table/option-context.js';
import { serverOptionError } from '../../settings/table/parse-options.js';
import { callback, listOf, recordOf, text } from '../../settings/table/shapes.js';
import { isSameResource } from '../../shared/protocol/resource.js';

const trustRows = {
  /** The issuer of the tokens; its metadata names its keys. (RFC 8414) */
  issuer: required({ shape: secureUrl }),
  /** The `aud` of its tokens: the issuer of this site, or one of `resources`. Default: the issuer of this site. */
  resource: option({ shape: secureUrl }),
  /**
   * The client as which this server asks the issuer about its tokens. If several entries have a `clientId`, opaque
   * tokens are refused. Default: none, JWTs are accepted until they expire, and opaque tokens are refused. (RFC 7662)
   */
  clientId: bearerGuardOptions.clientId,
  clientSecret: bearerGuardOptions.clientSecret,
  clientKey: bearerGuardOptions.clientKey,
  introspectionEndpoint: bearerGuardOptions.introspectionEndpoint,
  /** `(claims, { clientId }) => userId` or null: the user, by `iss` and `sub` together. */
  findUser: required({
    shape: () => callback<FindAssertedUser>('async ({ iss, sub }) => (await User.findOne({ iss, sub }))?.id'),
  }),
  /** The scopes that can be granted, if the token has them by the same name. */
  scopes: required({
    shape: () =>
      listOf(text("a scope, such as 'photos:read'"), "a list of scopes, such as ['photos:read']", {
        isNeeded: true,
      }),
  }),
};

const rows = {
  /**
   * For each resource, the others at which its server may act for users, who are not asked about that: `{
   * 'https://photos.example/mcp': ['https://photos.example'] }`. The issuer stands for this site's API. Default:
   * none.
   */
  targets: option({
    shape: () =>
      recordOf(
        listOf(text('a resource'), "a list of resources, such as ['https://photos.example']", {
          isNeeded: true,
        }),
        "an object of resources and their targets, such as { 'https://photos.example/mcp': ['https://photos.example'] }",
      ),
    default: {},
  }),
  /** Other authorization servers whose access tokens can be exchanged. Default: `[]`. */
  trust: option({
    shape: () =>
      listOf(objectOf(trustRows, 'an object'), 'a list of issuers, such as [{ issuer, findUser, scopes }]'),
    default: [],
  }),
};

/** What tokens can be exchanged for. */
export type TokenExchangeOptions = OptionsOf<typeof rows>;

export type ExchangeTrust = SettingsOf<typeof trustRows>;

/** A client that acts for a user through another client (RFC 8693). */
export const tokenExchangeOptions = {
  /**
   * Lets clients with `mayExchange` exchange an access token of this server, or of one in `trust`, for one of their
   * own: for the same user, with no more scopes, and no longer-lived. It names the client that acts (`act`), and ends
   * with the grant of the exchanged token. `true`, or an object. Default: `false`. (RFC 8693)
   */
  tokenExchange: switchable(rows, '{ trust: [{ issuer, findUser, scopes }] }', {
    terms: ' of targets and trust,',
  }),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof tokenExchangeOptions> {}
}

/** @throws TypeError with what to write instead */
export function checkTokenExchange(site: ResolvedOptions, { scopes }: OptionContext): void {
  const { tokenExchange } = site;
  if (!tokenExchange) return;
  for (const [resource, others] of Object.entries(tokenExchange.targets)) {
    const wrong = (problem: string) => serverOptionError('tokenExchange.targets', problem);
    const unknown = [resource, ...others].find((name) => !isOfSite(name, site));
    if (unknown !== undefined)
      throw wrong(`names '${unknown}', which is neither the issuer nor among resources`);
    if (others.some((other) => isSameResource(other, resource)))
      throw wrong(`has '${resource}' as its own target; leave it out, since its server may use it anyway`);
  }
  for (const [index, entry] of tokenExchange.trust.entries()) {
    const wrong = (problem: string) => serverOptionError(`tokenExchange.trust.${index}`, problem);
    if (entry.issuer === site.issuer) throw wrong('is this server itself; trust other issuers only');
    if (tokenExchange.trust.slice(0, index).some(({ issuer }) => issuer === entry.issuer))
      throw wrong('is never used: an earlier one has the same issuer');
    const unknown = entry.scopes.find((scope) => !Object.hasOwn(scopes, scope));
    if (unknown !== undefined) throw wrong(`names the scope '${unknown}', which is not among scopes`);
    const { resource = site.issuer } = entry;
    if (!isOfSite(resource, site))
      throw wrong(`has the resource ${resource}, which is neither the issuer nor among resources`);
    const hasCredentials = entry.clientSecret !== undefined || entry.clientKey !== undefined;
    if (hasCredentials !== (entry.clientId !== undefined))
      throw wrong(
        'asks the issuer as a client: give clientId with clientSecret or clientKey, or none of them',
      );
  }
}

function isOfSite(resource: string, { issuer, resources }: ResolvedOptions): boolean {
  return [issuer, ...resources.keys()].some((siteResource) => isSameResource(siteResource, resource));
}
