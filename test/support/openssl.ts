import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe } from '@jest/globals';

export const hasOpenssl = spawnSync('openssl', ['version']).error === undefined;
export const describeWithOpenssl = hasOpenssl ? describe : describe.skip;

/** A certificate with its key, and what the client sends: it and those of the authorities between. */
export interface Issued {
  readonly cert: string;
  readonly key: string;
  readonly chain: string;
}

export interface CertificateRequest {
  /** Without one it signs itself. */
  readonly by?: Issued;
  /** As `openssl req -addext` has them. */
  readonly extensions: readonly string[];
  readonly name?: string;
  readonly days?: number;
  /** Of `openssl req`. Default: a new key of P-256, signed with SHA-256. */
  readonly options?: readonly string[];
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

/** Made by openssl, as authorities make them. */
export function issue({
  by,
  extensions,
  name = 'Test',
  days = 30,
  options = EC,
}: CertificateRequest): Issued {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const at = (file: string) => join(folder, file);
  try {
    if (by !== undefined) {
      writeFileSync(at('by.pem'), by.cert);
      writeFileSync(at('by.key'), by.key);
    }
    const signer = by === undefined ? [] : ['-CA', at('by.pem'), '-CAkey', at('by.key')];
    // what the configuration of the machine would add has no place here
    writeFileSync(at('empty.cnf'), '[req]\ndistinguished_name = name\n[name]\n');
    const files = ['-config', at('empty.cnf'), '-keyout', at('key'), '-out', at('cert')];
    const added = extensions.flatMap((extension) => ['-addext', extension]);
    const subject = ['-subj', `/CN=${name}`, '-days', String(days), '-nodes'];
    execFileSync('openssl', ['req', '-x509', ...files, ...signer, ...options, ...subject, ...added], {
      stdio: 'pipe',
    });
    const cert = readFileSync(at('cert'), 'utf8');
    // one that has signed itself stands in the bundle, and is not sent
    return { cert, key: readFileSync(at('key'), 'utf8'), chain: by === undefined ? '' : cert + by.chain };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The base64 of the DER, as `x5c` has it. */
export function derOf({ cert }: Pick<Issued, 'cert'>): string {
  return cert.replace(/-----[^-]+-----|\s/g, '');
}
