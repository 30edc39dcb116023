import type { X509Certificate } from 'node:crypto';

import type { JSONWebKeySet } from 'jose';

import type { TrustedKeySource } from '../../settings/features/key-source-options.js';
import { parseCertificate } from '../../shared/crypto/client-certificate.js';
import { unableForTheMoment } from '../../shared/errors.js';
import { createRemoteKeySet } from './remote-key-set.js';

/** More than any trust domain has: each may be tried for each certificate of a path. */
const MAX_AUTHORITIES = 100;

/** The authorities of a trust domain, whose certificates its bundle has. */
export interface SvidAuthorities {
  /** @throws OAuthError temporarily_unavailable if the bundle cannot be had */
  readonly find: () => Promise<readonly X509Certificate[]>;
  /**
   * Those of a bundle that is fetched again, because none of the known ones has issued a certificate; none if it was
   * fetched a moment ago, since anybody can show such a certificate.
   *
   * @throws as `find`
   */
  readonly findNewer: () => Promise<readonly X509Certificate[]>;
}

/** @see X509-SVID §6.2 */
export function createSvidAuthorities({ jwks, jwksUri = '' }: TrustedKeySource): SvidAuthorities {
  if (jwks !== undefined) {
    const authorities = authoritiesIn(jwks);
    return { find: () => Promise.resolve(authorities), findNewer: () => Promise.resolve([]) };
  }
  const authoritiesOf = lastAuthorities();
  const loadKeySet = createRemoteKeySet(jwksUri, { read: (bundle) => ({ keys: entriesIn(bundle) }) });
  const reload = async (isDue: (keySet: Awaited<ReturnType<typeof loadKeySet>>) => boolean) => {
    const keySet = await loadKeySet();
    if (!isDue(keySet)) return undefined;
    await keySet.reload().catch((error: unknown) => {
      throw unableForTheMoment('the bundle of a trust domain could not be read', error);
    });
    return keySet;
  };
  return {
    async find() {
      await reload(({ fresh }) => !fresh);
      return authoritiesOf((await loadKeySet()).jwks());
    },
    async findNewer() {
      const keySet = await reload(({ coolingDown }) => !coolingDown);
      return keySet === undefined ? [] : authoritiesOf(keySet.jwks());
    },
  };
}

function authoritiesIn(bundle: Bundle): readonly X509Certificate[] {
  return entriesIn(bundle).flatMap(({ x5c: [der] }) => {
    const found = parseCertificate(Buffer.from(der, 'base64'));
    return found === undefined ? [] : [found];
  });
}

/** Parses certificates only if they are others than the last time: jose gives a copy of its key set at each call. */
function lastAuthorities(): typeof authoritiesIn {
  let last: { readonly text: string; readonly authorities: readonly X509Certificate[] } | undefined;
  return (bundle) => {
    const text = JSON.stringify(entriesIn(bundle).map(({ x5c: [der] }) => der));
    if (last?.text !== text) last = { text, authorities: authoritiesIn(bundle) };
    return last.authorities;
  };
}

type Bundle = JSONWebKeySet | NonNullable<TrustedKeySource['jwks']> | undefined;

interface AuthorityEntry {
  readonly x5c: readonly [string, ...string[]];
}

/** @throws Error if it is no bundle, or one of thousands */
function entriesIn(bundle: unknown): readonly AuthorityEntry[] {
  const { keys } = (bundle ?? {}) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('it is no SPIFFE bundle: { "keys": [ … ] }');
  const entries = keys.filter(isAuthorityEntry);
  if (entries.length > MAX_AUTHORITIES) throw new Error(`it has more than ${MAX_AUTHORITIES} authorities`);
  return entries;
}

function isAuthorityEntry(entry: unknown): entry is AuthorityEntry {
  const { use, x5c } = (entry ?? {}) as { readonly use?: unknown; readonly x5c?: unknown };
  return use === 'x509-svid' && Array.isArray(x5c) && typeof x5c[0] === 'string';
}
