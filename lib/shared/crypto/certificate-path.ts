import type { KeyObject, X509Certificate } from 'node:crypto';

import { readCertificateProfile } from './certificate-profile.js';
import { isInTime } from './client-certificate.js';

/** Certificates between that of the client and the authority; each is tried at each place. */
export const MAX_INTERMEDIATES = 4;

const CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];
const RSA_BITS = { min: 2048, max: 8192 };

export interface PathOptions {
  /** What the client has sent with its certificate. */
  readonly intermediates: readonly X509Certificate[];
  /** Those that are trusted, and no others: not those of the system, nor those of TLS. */
  readonly authorities: readonly X509Certificate[];
  readonly now: Date;
}

/**
 * Whether a certificate comes from one of these authorities. Node validates paths within TLS alone, and there against
 * all authorities together. This is the path validation of RFC 5280 §6.1 without policies and constraints on names: a
 * path that needs them is refused, so that nothing is passed over. OpenSSL compares the names and verifies the
 * signatures.
 */
export function hasPath(
  certificate: X509Certificate,
  { intermediates, authorities, now }: PathOptions,
): boolean {
  const leadsUp = (from: X509Certificate, below: number, left: readonly X509Certificate[]): boolean => {
    const isIssuer = (issuer: X509Certificate) => hasIssued(issuer, from, { below, now });
    if (authorities.some(isIssuer)) return true;
    return left.some(
      (issuer) =>
        isIssuer(issuer) &&
        leadsUp(
          issuer,
          below + 1,
          left.filter((other) => other !== issuer),
        ),
    );
  };
  return hasGoodKey(certificate) && leadsUp(certificate, 0, intermediates.slice(0, MAX_INTERMEDIATES));
}

/** Whether one certificate has issued the other, and may (RFC 5280 §6.1.3, §6.1.4). */
function hasIssued(
  issuer: X509Certificate,
  certificate: X509Certificate,
  { below, now }: { readonly below: number; readonly now: Date },
): boolean {
  // by their names, first of all: that costs the least
  return (
    certificate.checkIssued(issuer) &&
    mayIssue(issuer, below) &&
    isInTime(issuer, now) &&
    hasGoodKey(issuer) &&
    readCertificateProfile(certificate.raw)?.hasGoodSignature === true &&
    verifies(certificate, issuer.publicKey)
  );
}

/** @param below how many authorities stand between it and the last certificate */
function mayIssue({ raw }: X509Certificate, below: number): boolean {
  const profile = readCertificateProfile(raw);
  return (
    profile?.isAuthority === true &&
    profile.keyUsage?.signsCertificates === true &&
    profile.isForClients &&
    (profile.pathLength ?? below) >= below
  );
}

/** OpenSSL throws if the key is of another kind than the signature. */
function verifies(certificate: X509Certificate, key: KeyObject): boolean {
  try {
    return certificate.verify(key);
  } catch {
    return false;
  }
}

function hasGoodKey({
  publicKey: { asymmetricKeyType: type, asymmetricKeyDetails },
}: X509Certificate): boolean {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails ?? {};
  if (type === 'rsa') return modulusLength >= RSA_BITS.min && modulusLength <= RSA_BITS.max;
  return type === 'ec' ? CURVES.includes(namedCurve) : type === 'ed25519';
}
