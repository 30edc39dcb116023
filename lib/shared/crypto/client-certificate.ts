import { createHash, X509Certificate } from 'node:crypto';

/** The client certificate of a connection; TLS has proven that the sender holds its key. @see RFC 8705 */
export interface ClientCertificate {
  readonly x509: X509Certificate;
  /** SHA-256 of its DER (RFC 8705 §3.1, `x5t#S256`). */
  readonly thumbprint: string;
  /** Whether the chain was validated, by TLS itself or by the proxy that terminates TLS. */
  readonly isTrusted: boolean;
}

export function clientCertificateOf(x509: X509Certificate, isTrusted: boolean): ClientCertificate {
  return { x509, thumbprint: thumbprintOf(x509.raw), isTrusted };
}

/** RFC 8705 §3.1: base64url without padding. */
export function thumbprintOf(der: Buffer): string {
  return createHash('sha256').update(der).digest('base64url');
}

/** Parses a certificate (DER in base64, or PEM); undefined if the text is none. */
export function parseCertificate(text: string | Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(text);
  } catch {
    return undefined;
  }
}

export function isInTime({ validFrom, validTo }: X509Certificate, now: Date): boolean {
  return Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo);
}
