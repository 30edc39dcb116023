import { isLoopbackHost } from '../shared/protocol/redirect-uri.js';
import type { ResolvedOptions } from './options.js';

type MountSettings = Pick<ResolvedOptions, 'basePath' | 'advanced'>;

/** What the options say about where the endpoints are. */
interface UrlSettings extends MountSettings, Pick<ResolvedOptions, 'issuer'> {
  readonly issuerPath: string;
}

/** Where the endpoints lie below the issuer, `''` for its root. */
export function basePathOf({ basePath }: MountSettings): string {
  return basePath === '/' ? '' : basePath;
}

/** Where an endpoint lies below the issuer, which is where the router is mounted: `/oauth/token`. */
export function mountOf(settings: MountSettings, name: string): string {
  return settings.advanced.paths[name] ?? `${basePathOf(settings)}/${name}`;
}

/** The path of an endpoint on its host, for forms, links and redirects of our own pages. */
export function pathOf(settings: UrlSettings, name: string): string {
  return `${settings.issuerPath}${mountOf(settings, name)}`;
}

/** All public URLs of an endpoint that clients call: the usual one, and the one for clients with a certificate. */
export function urlsOf(settings: UrlSettings & ResolvedOptions, name: string): readonly string[] {
  const url = urlOf(settings, name);
  return [url, aliasOf(settings, url) ?? []].flat();
}

/** RFC 8705 §5: where clients bring certificates, if that is another origin. */
export function aliasOf({ mutualTls }: ResolvedOptions, url: string): string | undefined {
  if (!mutualTls || mutualTls.endpointAliases === undefined) return undefined;
  return `${mutualTls.endpointAliases}${url.slice(new URL(url).origin.length)}`;
}

/** The public URL of an endpoint: declared by the options, never taken from where Express found it. */
export function urlOf(settings: UrlSettings, name: string): string {
  return `${settings.issuer}${mountOf(settings, name)}`;
}

/** Whether the site runs on the machine of its developer. */
export function isLoopbackIssuer({ issuer }: UrlSettings): boolean {
  return isLoopbackHost(new URL(issuer).hostname);
}
