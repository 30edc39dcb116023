import type { X509Certificate } from 'node:crypto';

import { invalidClient } from '../../core/client-authentication/invalid-client.js';
import { createSvidAuthorities } from '../../core/keys/svid-authorities.js';
import type { SpiffeSettings } from '../../settings/features/spiffe-options.js';
import { hasPath } from '../../shared/crypto/certificate-path.js';
import { type CertificateProfile, readCertificateProfile } from '../../shared/crypto/certificate-profile.js';
import type { ClientCertificate } from '../../shared/crypto/client-certificate.js';
import type { OAuthError } from '../../shared/errors.js';
import { createCache } from '../../shared/lru-cache.js';
import { parseSpiffeId } from '../../shared/protocol/spiffe-id.js';

/**
 * Verifies an X.509-SVID by the authorities of its trust domain, and gives its SPIFFE ID.
 *
 * @throws OAuthError invalid_client
 */
export type VerifyX509Svid = (certificate: ClientCertificate, now: Date) => Promise<string>;

/** Programs whose intermediate certificates are cached. */
const MAX_CACHED = 10_000;

/**
 * A TLS session that is resumed brings the certificate of the client, and no longer those of the authorities between.
 * Therefore those that were right are cached: they prove nothing without a path to an authority of the bundle.
 *
 * @see X509-SVID §5, OAuth SPIFFE Client Authentication (draft 02) §3.2, §6
 */
export function createX509SvidVerifier({ trustDomains }: SpiffeSettings): VerifyX509Svid {
  // §6: keyed by the trust domain, so that no authorities are mixed up
  const byTrustDomain = new Map(
    Object.entries(trustDomains).map(([name, source]) => [name, createSvidAuthorities(source)]),
  );
  const cached = createCache<readonly X509Certificate[]>({ size: MAX_CACHED });
  return async ({ x509, thumbprint, intermediates: sent }, now) => {
    const spiffeId = readSpiffeId(x509);
    const authorities = byTrustDomain.get(parseSpiffeId(spiffeId)?.trustDomain ?? '');
    if (authorities === undefined)
      throw untrusted(`${spiffeId} is no SPIFFE ID of a trust domain of the options`);
    const intermediates = sent.length > 0 ? sent : (cached.get(thumbprint) ?? []);
    const isBelow = (trusted: readonly X509Certificate[]) =>
      hasPath(x509, { intermediates, authorities: trusted, now });
    if (!isBelow(await authorities.find()) && !isBelow(await authorities.findNewer()))
      throw untrusted('no path leads from the certificate to an authority of its trust domain');
    if (sent.length > 0) cached.set(thumbprint, sent);
    return spiffeId;
  };
}

/** @throws OAuthError invalid_client if the certificate is not that of a program */
function readSpiffeId({ raw }: X509Certificate): string {
  const profile = readCertificateProfile(raw);
  const problem = profile === undefined ? 'it cannot be read' : findProblem(profile);
  if (profile === undefined || problem !== undefined) throw untrusted(`no X.509-SVID: ${problem}`);
  return String(profile.uris[0]);
}

/** X509-SVID §2, §4, §5.2 */
function findProblem({ isAuthority, keyUsage, isForClients, uris }: CertificateProfile): string | undefined {
  if (isAuthority || keyUsage?.signsCertificates === true || keyUsage?.signsLists === true)
    return 'it is the certificate of an authority';
  if (keyUsage?.signsData !== true) return 'its key usage is not digitalSignature';
  if (!isForClients) return 'its extended key usage is not that of clients';
  if (uris.length !== 1) return `it has ${uris.length} URIs`;
  return undefined;
}

function untrusted(detail: string): OAuthError {
  return invalidClient(detail, { reason: 'client_certificate_untrusted' });
}
