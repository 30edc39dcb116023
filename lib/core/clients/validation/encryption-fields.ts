import {
  CONTENT_ENCRYPTION_ALGORITHMS,
  KEY_ENCRYPTION_ALGORITHMS,
} from '../../../shared/crypto/encryption-algorithms.js';
import type { ClientMetadata } from '../client.js';
import type { ClientField } from '../client-field.js';
import type { ClientProblem } from '../validation-error.js';
import { textSchema } from './schemas.js';

/** One kind of JWT that can be encrypted. */
export interface EncryptedKind {
  /** The fields of its `alg` and its `enc`. */
  readonly alg: keyof ClientMetadata;
  readonly enc: keyof ClientMetadata;
  /** How registration names them. */
  readonly wire: { readonly alg: string; readonly enc: string };
  /** The flags of the command line: `--encrypted-response` has `-alg` and `-enc`. */
  readonly flag: string;
  /** What it is, within a sentence: `signed answers`. */
  readonly what: string;
  /** Whether this server encrypts it, to a key of the client. Default: the client does. */
  readonly isToClient?: true;
  /** The algorithms that can encrypt the key. Default: all that are known. */
  readonly algorithms?: readonly string[];
}

/** The two fields by which a client says how one kind of JWT is encrypted (OpenID Connect Registration §2, JARM §3). */
export function encryptionFields({
  alg,
  enc,
  wire,
  flag,
  what,
  isToClient,
  algorithms = KEY_ENCRYPTION_ALGORITHMS,
}: EncryptedKind): readonly ClientField[] {
  const valueIn = (client: ClientMetadata, name: keyof ClientMetadata) => client[name] as string | undefined;
  const problem = (field: string, text: string): ClientProblem[] => [{ field, problem: text }];
  return [
    {
      name: alg,
      shape: textSchema,
      stored: { type: String },
      findProblems(client) {
        const named = valueIn(client, alg);
        if (named === undefined) return [];
        if (!algorithms.includes(named))
          return problem(
            alg,
            `The ${what} can be encrypted by ${algorithms.join(', ')}, not by ${short(named)}.`,
          );
        if (isToClient && client.jwks === undefined && client.jwksUri === undefined)
          return problem(alg, `The ${what} are encrypted to a key of the client: it needs jwks or jwksUri.`);
        return [];
      },
      wire: { name: wire.alg },
      flag: {
        flags: `${flag}-alg <algorithm>`,
        description: `by which the keys of its ${what} are encrypted`,
      },
      printed: { label: `${what} encrypted by` },
    },
    {
      name: enc,
      shape: textSchema,
      stored: { type: String },
      findProblems(client) {
        const named = valueIn(client, enc);
        if (named === undefined) return [];
        if (!CONTENT_ENCRYPTION_ALGORITHMS.includes(named))
          return problem(
            enc,
            `The content of ${what} can be encrypted by ${CONTENT_ENCRYPTION_ALGORITHMS.join(', ')}, not by ${short(named)}.`,
          );
        return valueIn(client, alg) === undefined ? problem(enc, `${enc} says nothing without ${alg}.`) : [];
      },
      wire: { name: wire.enc },
      flag: {
        flags: `${flag}-enc <algorithm>`,
        description: `by which the content of its ${what} is encrypted`,
      },
      printed: { label: `content of ${what} by` },
    },
  ];
}

const short = (text: string) => text.slice(0, 80);
