import { isLoopbackHost } from '../shared/protocol/redirect-uri.js';
import type { ResolvedOptions } from './options.js';

type MountSettings = Pick<ResolvedOptions, 'basePath' | 'advanced'>;

/** The options that determine the addresses of endpoints. */
interface UrlSettings extends MountSettings, Pick<ResolvedOptions, 'issuer'> {
  readonly issuerPath: string;
}

/** The path of the endpoints below the issuer, `''` for the root. */
export function basePathOf({ basePath }: MountSettings): string {
  return basePath === '/' ? '' : basePath;
}

/** The path of an endpoint below the issuer, where the router is mounted: `/oauth/token`. */
export function mountOf(settings: MountSettings, name: string): string {
  return settings.advanced.paths[name] ?? `${basePathOf(settings)}/${name}`;
}

/** The path of an endpoint on its host, for forms, links and redirects of the pages. */
export function pathOf(settings: UrlSettings, name: string): string {
  return `${settings.issuerPath}${mountOf(settings, name)}`;
}

/** All public URLs of a client endpoint: the default one, and the one for clients with a certificate. */
export function urlsOf(settings: UrlSettings & ResolvedOptions, name: string): readonly string[] {
  const url = urlOf(settings, name);
  return [url, aliasOf(settings, url) ?? []].flat();
}

/** RFC 8705 §5: the address for clients with a certificate, if another origin serves it. */
export function aliasOf({ mutualTls }: ResolvedOptions, url: string): string | undefined {
  if (!mutualTls || mutualTls.endpointAliases === undefined) return undefined;
  return `${mutualTls.endpointAliases}${url.slice(new URL(url).origin.length)}`;
}

/** The public URL of an endpoint, from the options, never from a request. */
export function urlOf(settings: UrlSettings, name: string): string {
  return `${settings.issuer}${mountOf(settings, name)}`;
}

/** Whether the site runs on a developer's machine. */
export function isLoopbackIssuer({ issuer }: UrlSettings): boolean {
  return isLoopbackHost(new URL(issuer).hostname);
}
