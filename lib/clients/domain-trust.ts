import type { DomainCaps, DomainTrustSettings } from '../settings/client-document-options.js';

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

/** What clients of a host may have at most: by its own name, by the longest pattern that fits, or by `*`. */
export function capsOfDomain(host: string, { caps }: DomainTrustSettings): DomainCaps | undefined {
  const [closest] = Object.keys(caps)
    .filter((pattern) => pattern === '*' || isAmong(host, [pattern]))
    // its own name is longer than what stands for it; of patterns the longer is the closer one
    .sort((one, other) => Number(other === host) - Number(one === host) || other.length - one.length);
  return closest === undefined ? undefined : caps[closest];
}
