import {
  CONTENT_ENCRYPTION_ALGORITHMS,
  KEY_ENCRYPTION_ALGORITHMS,
} from '../../../shared/crypto/encryption-algorithms.js';
import type { ClientMetadata } from '../client.js';
import { type FieldRow, valueOf } from '../client-field.js';
import type { ClientProblem } from '../validation-error.js';
import { textSchema } from './schemas.js';

/** One kind of JWT that can be encrypted. */
export interface EncryptedKind {
  /** The fields of its `alg` and its `enc`. */
  readonly alg: string;
  readonly enc: string;
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

/**
 * The field by which a client says how the keys of one kind of JWT are encrypted (OpenID Connect Registration §2, JARM
 * §3).
 */
export function encryptionAlg({
  alg,
  wire,
  flag,
  what,
  isToClient,
  algorithms = KEY_ENCRYPTION_ALGORITHMS,
}: EncryptedKind): FieldRow<string> {
  return {
    shape: textSchema,
    stored: { type: String },
    findProblems(client) {
      const named = textIn(client, alg);
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
  };
}

/** The field by which it says how their content is. */
export function encryptionEnc({ alg, enc, wire, flag, what }: EncryptedKind): FieldRow<string> {
  return {
    shape: textSchema,
    stored: { type: String },
    findProblems(client) {
      const named = textIn(client, enc);
      if (named === undefined) return [];
      if (!CONTENT_ENCRYPTION_ALGORITHMS.includes(named))
        return problem(
          enc,
          `The content of ${what} can be encrypted by ${CONTENT_ENCRYPTION_ALGORITHMS.join(', ')}, not by ${short(named)}.`,
        );
      return textIn(client, alg) === undefined ? problem(enc, `${enc} says nothing without ${alg}.`) : [];
    },
    wire: { name: wire.enc },
    flag: {
      flags: `${flag}-enc <algorithm>`,
      description: `by which the content of its ${what} is encrypted`,
    },
    printed: { label: `content of ${what} by` },
  };
}

const textIn = (client: ClientMetadata, name: string) => valueOf(client, { name }) as string | undefined;
const problem = (field: string, text: string): ClientProblem[] => [{ field, problem: text }];
const short = (text: string) => text.slice(0, 80);
