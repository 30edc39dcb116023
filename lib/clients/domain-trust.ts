import type { DomainTrustSettings } from '../settings/client-document-options.js';

/** Whether a host is among some, of which `*.example.com` is each one below example.com. */
function isAmong(host: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern,
  );
}

/** Whether clients of a host are let in. */
export function isLetIn(host: string, { allow, block }: DomainTrustSettings): boolean {
  return !isAmong(host, block) && (allow === undefined || isAmong(host, allow));
}

export function isVerifiedDomain(host: string, { verified }: DomainTrustSettings): boolean {
  return isAmong(host, verified);
}
