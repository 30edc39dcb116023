import { isLoopbackHost } from '../shared/protocol/redirect-uri.js';
import type { ResolvedOptions } from './options.js';

/** What the options say about where the endpoints are. */
interface UrlSettings {
  readonly issuer: string;
  readonly issuerPath: string;
  readonly basePath: string;
  readonly advanced: { readonly paths: Readonly<Record<string, string>> };
}

interface WithMutualTls {
  readonly mutualTls: ResolvedOptions['mutualTls'];
}

/** Where the endpoints lie below the issuer, `''` for its root. */
export function basePathOf({ basePath }: Pick<UrlSettings, 'basePath'>): string {
  return basePath === '/' ? '' : basePath;
}

/** Where an endpoint lies below the issuer, which is where the router is mounted: `/oauth/token`. */
export function mountOf(settings: Pick<UrlSettings, 'basePath' | 'advanced'>, name: string): string {
  return settings.advanced.paths[name] ?? `${basePathOf(settings)}/${name}`;
}

/** The path of an endpoint on its host, for forms, links and redirects of our own pages. */
export function pathOf(settings: Omit<UrlSettings, 'issuer'>, name: string): string {
  return `${settings.issuerPath}${mountOf(settings, name)}`;
}

/** All public URLs of an endpoint that clients call: the usual one, and the one for clients with a certificate. */
export function urlsOf(
  settings: Omit<UrlSettings, 'issuerPath'> & WithMutualTls,
  name: string,
): readonly string[] {
  const alias = aliasOf(settings, urlOf(settings, name));
  return [urlOf(settings, name), alias ?? []].flat();
}

/** RFC 8705 §5: where clients bring certificates, if that is another origin. */
export function aliasOf({ mutualTls }: WithMutualTls, url: string): string | undefined {
  if (!mutualTls || mutualTls.endpointAliases === undefined) return undefined;
  return `${mutualTls.endpointAliases}${url.slice(new URL(url).origin.length)}`;
}

/** The public URL of an endpoint: declared by the options, never taken from where Express found it. */
export function urlOf(settings: Omit<UrlSettings, 'issuerPath'>, name: string): string {
  return `${settings.issuer}${mountOf(settings, name)}`;
}

/** Where clients with certificates come (RFC 8705 §5), and APIs of the same process. */
export function otherAddressesOf({
  mutualTls,
  resources,
}: WithMutualTls & { readonly resources: ReadonlyMap<string, unknown> }): readonly string[] {
  const aliases = !mutualTls ? [] : [mutualTls.endpointAliases ?? []].flat();
  return [...aliases, ...resources.keys()];
}

/** Whether the site runs on the machine of its developer. */
export function isLoopbackIssuer({ issuer }: Pick<UrlSettings, 'issuer'>): boolean {
  return isLoopbackHost(new URL(issuer).hostname);
}
