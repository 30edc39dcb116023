import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { exportJWK, generateKeyPair, type JWK } from 'jose';

import { CLIENT_NAMES, type Credentials } from './profile.js';

/** The credentials other than certificates, which openssl makes (main.ts). */
export type Secrets = Pick<Credentials, 'secrets' | 'keys'>;

/** Those of an earlier start, or new ones. */
export async function keepSecrets(folder: string): Promise<Secrets> {
  const file = join(folder, 'clients.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text) as Secrets;
  const made = await makeSecrets();
  await mkdir(folder, { recursive: true });
  await writeFile(file, JSON.stringify(made, null, 2), { mode: 0o600 });
  return made;
}

export async function makeSecrets(): Promise<Secrets> {
  const secrets = Object.fromEntries(
    CLIENT_NAMES.map((name) => [name, randomBytes(32).toString('base64url')]),
  ) as Secrets['secrets'];
  return { secrets, keys: { client: await makeKey('client'), client2: await makeKey('client2') } };
}

/** RSA, as some modules sign by RS256 on purpose, and are skipped with a key that cannot. */
async function makeKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('PS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: 'PS256', use: 'sig' };
}
