import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { StartError } from './settings.js';

const run = promisify(execFile);
const DAY = 86_400_000;
/** The maximum that browsers accept. */
const VALID_DAYS = '397';
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** The certificate's name of the client with a certificate. */
export const certifiedHost = 'shop.example';

/** The contents of the folder, for Node's TLS. */
export interface TlsFiles {
  readonly key: string;
  readonly cert: string;
  /** The authority of clients' certificates. */
  readonly ca: string;
}

/** An authority, and the certificates that it signs. */
export interface CertificatePlan {
  readonly authority: string;
  /** By the names of their files; `names` in openssl's syntax: `DNS:localhost,IP:127.0.0.1`. */
  readonly certificates: Readonly<Record<string, { readonly commonName: string; readonly names: string }>>;
}

const EXAMPLE: CertificatePlan = {
  authority: 'Lantern Photos example',
  certificates: {
    site: { commonName: 'localhost', names: 'DNS:localhost,IP:127.0.0.1,IP:::1' },
    client: { commonName: 'Inkwell Printing Shop', names: `DNS:${certifiedHost}` },
  },
};

/**
 * A folder with certificates of their own authority, which signs no others; by default `site` for localhost, `client`
 * for a client. Made at the first start with TLS, and again before they expire.
 *
 * @throws StartError if there is no openssl
 */
export async function keepTlsFiles(dataFolder: string, plan = EXAMPLE): Promise<string> {
  const folder = join(dataFolder, 'tls');
  const isCurrent = () => isGood(folder, Object.keys(plan.certificates));
  if (await isCurrent()) return folder;
  await mkdir(dataFolder, { recursive: true });
  const made = await mkdtemp(`${folder}-`);
  try {
    await makeFiles(made, plan);
    await rm(folder, { recursive: true, force: true });
    // whole or not at all; if another start was faster, its files are as good
    await rename(made, folder).catch(async (error: unknown) => {
      if (!(await isCurrent())) throw error;
    });
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return folder;
}

export async function readTlsFiles(folder: string): Promise<TlsFiles> {
  const [key, cert, ca] = await Promise.all(
    ['site.key', 'site.pem', 'authority.pem'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  return { key: key!, cert: cert!, ca: ca! };
}

async function isGood(folder: string, names: readonly string[]): Promise<boolean> {
  const texts = await Promise.all(
    names.map((name) => readFile(join(folder, `${name}.pem`)).catch(() => undefined)),
  );
  return texts.every(
    (text) => text !== undefined && Date.parse(new X509Certificate(text).validTo) > Date.now() + 7 * DAY,
  );
}

async function makeFiles(folder: string, { authority, certificates }: CertificatePlan): Promise<void> {
  const at = (name: string) => join(folder, name);
  await openssl(
    ...['req', '-x509', ...NEW_KEY, '-days', VALID_DAYS, '-subj', `/CN=${authority}`],
    ...['-keyout', at('authority.key'), '-out', at('authority.pem')],
  );
  for (const [name, { commonName, names }] of Object.entries(certificates)) {
    await writeFile(at('names'), `subjectAltName=${names}`);
    await openssl(
      'req',
      '-new',
      ...NEW_KEY,
      '-subj',
      `/CN=${commonName}`,
      '-keyout',
      at(`${name}.key`),
      '-out',
      at('request'),
    );
    await openssl(
      ...['x509', '-req', '-in', at('request'), '-days', VALID_DAYS, '-extfile', at('names')],
      ...[
        '-CA',
        at('authority.pem'),
        '-CAkey',
        at('authority.key'),
        '-CAcreateserial',
        '-out',
        at(`${name}.pem`),
      ],
    );
  }
  // deletes the authority's key, so that nobody can sign more: this machine may come to trust it
  for (const name of ['authority.key', 'authority.srl', 'names', 'request'])
    await rm(at(name), { force: true });
}

async function openssl(...parameters: readonly string[]): Promise<void> {
  await run('openssl', [...parameters]).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(
      error.code === 'ENOENT'
        ? '--tls makes certificates by openssl, which is not found: install it, or start without --tls.'
        : `--tls makes certificates by openssl, which has failed: ${error.message}`,
    );
  });
}
