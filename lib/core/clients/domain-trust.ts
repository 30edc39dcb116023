import type { Settings } from '../../settings/settings.js';

type DomainTrustSettings = Exclude<NonNullable<Settings['clientIdMetadataDocuments']>, false>['trust'];

/** Whether a host matches one of the patterns; `*.example.com` matches each host below example.com. */
function isAmong(hostname: string, patterns: readonly string[]): boolean {
  // DNS ignores a dot at the end
  const host = hostname.replace(/\.$/, '');
  return patterns.some((pattern) =>
    pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern,
  );
}

export function isLetIn(host: string, { allow, block }: DomainTrustSettings): boolean {
  return !isAmong(host, block) && (allow === undefined || isAmong(host, allow));
}

/** Whether the host of a client is blocked, whatever the client was granted before. */
export function blockedDomains({ clientIdMetadataDocuments: documents }: Settings) {
  const { block } = documents ? documents.trust : { block: [] };
  return (clientId: string) =>
    block.length > 0 &&
    /^https?:/.test(clientId) &&
    URL.canParse(clientId) &&
    isAmong(new URL(clientId).hostname, block);
}

/**
 * Whether the site's options verify a client: by its domain, or by its client id alone. The id is compared as text
 * (Client ID Metadata Document §3) and vouches for no other document of its domain.
 */
export function isVerifiedByOptions(clientId: string, { verified }: DomainTrustSettings): boolean {
  return verified.includes(clientId) || isAmong(new URL(clientId).hostname, verified);
}
