import type { Settings } from '../../settings/settings.js';

type DomainTrustSettings = Exclude<NonNullable<Settings['clientIdMetadataDocuments']>, false>['trust'];

/** Whether a host is among some; `*.example.com` stands for each one below example.com. */
function isAmong(named: string, patterns: readonly string[]): boolean {
  // with a dot at its end it is the same to DNS
  const host = named.replace(/\.$/, '');
  return patterns.some((pattern) =>
    pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern,
  );
}

export function isLetIn(host: string, { allow, block }: DomainTrustSettings): boolean {
  return !isAmong(host, block) && (allow === undefined || isAmong(host, allow));
}

/** Whether a client is of a host that gets nothing, whatever it was granted before. */
export function blockedDomains({ clientIdMetadataDocuments: documents }: Settings) {
  const { block } = documents ? documents.trust : { block: [] };
  return (clientId: string) =>
    block.length > 0 &&
    /^https?:/.test(clientId) &&
    URL.canParse(clientId) &&
    isAmong(new URL(clientId).hostname, block);
}

/**
 * Whether the site's options verify a client: by its domain, or by its client id alone, which is compared as text
 * (Client ID Metadata Document §3) and vouches for no other document of its domain.
 */
export function isVerifiedByOptions(clientId: string, { verified }: DomainTrustSettings): boolean {
  return verified.includes(clientId) || isAmong(new URL(clientId).hostname, verified);
}
