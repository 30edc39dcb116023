import type { ClientSecret } from '../../core/clients/client.js';
import {
  importSecret,
  isMarkedHash,
  takeOverBcryptHash,
  takeOverSha256,
} from '../../core/clients/secrets/imported-secret-hashes.js';
import { findGuessableSecret } from '../../core/clients/secrets/issue-client-secret.js';
import { type Difference, LeftOut } from './report.js';
import type { Migration } from './source.js';

/** What is stored of a client's secret; nothing if it has none. @throws LeftOut */
export async function decideSecret(
  value: unknown,
  client: { readonly clientId: string; readonly name: string },
  { options: { secretsAre, shortSecrets }, now }: Migration,
): Promise<{ readonly secrets: readonly ClientSecret[]; readonly differences: readonly Difference[] }> {
  if (value === undefined || value === '') return { secrets: [], differences: [] };
  if (typeof value !== 'string') throw new LeftOut('its secret is no text (clients.secret)');
  const isHash = secretsAre === 'sha256' || isMarkedHash(value);
  const differences: Difference[] = [];
  const guessable = isHash ? undefined : findGuessableSecret(value, client);
  if (guessable !== undefined) {
    const reason = `its secret can be guessed: ${guessable}`;
    if (shortSecrets === 'refuse') throw new LeftOut(reason, '--short-secrets');
    differences.push({ reason: `taken: ${reason}`, option: '--short-secrets' });
  }
  const stored =
    secretsAre === 'sha256'
      ? takeOverSha256(value, now)
      : isHash
        ? takeOverBcryptHash(value, now)
        : await importSecret(value, now);
  if ('problem' in stored) throw new LeftOut(stored.problem);
  // HTTP Basic has + and % form-urlencoded (RFC 6749 §2.3.1, Appendix B), and the old server may have read it as it is;
  // of a hash nobody can tell whether that would matter
  const isEncoded = !isHash && /[+%]/.test(value);
  if (isEncoded)
    differences.push({
      reason:
        'its secret has + or %, which HTTP Basic has form-urlencoded (RFC 6749 §2.3.1): as it is, it works until it has come so once',
    });
  const secret = isHash || isEncoded ? { ...stored.stored, isRawInBasic: true } : stored.stored;
  return { secrets: [secret], differences };
}
