import { CONTENT_ENCRYPTION_ALGORITHMS, KEY_ENCRYPTION_ALGORITHMS } from '../../../shared/crypto/jwa.js';
import { SIGNING_ALGORITHMS } from '../../../shared/crypto/key-material.js';
import type { ClientMetadata } from '../client.js';
import { type FieldRow, textClientField, valueOf } from '../client-field.js';

const wireNameOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const textIn = (client: ClientMetadata, name: string) => valueOf(client, { name }) as string | undefined;

/**
 * The algorithm by which this server signs something for a client: one that this server has a key for.
 *
 * @param options `what`: the signed content, as the subject of a sentence
 */
export function signingField(
  name: string,
  { label, what }: Record<'label' | 'what', string>,
): FieldRow<string> {
  return textClientField({
    findProblems(client, { signingAlgorithms = SIGNING_ALGORITHMS }) {
      const algorithm = textIn(client, name);
      if (algorithm === undefined || signingAlgorithms.includes(algorithm)) return undefined;
      return `${what} are signed by ${signingAlgorithms.join(' or ')}, not by ${algorithm.slice(0, 80)}.`;
    },
    wire: { name: wireNameOf(name) },
    printed: { label },
  });
}

interface EncryptedKind {
  /** The beginning of the names of the two fields, before `Alg` and `Enc`. */
  readonly name: string;
  /** The encrypted content, within a sentence: `signed answers`. */
  readonly what: string;
  /**
   * The algorithms of this server's keys, if the client encrypts to one of them. Default: this server encrypts to a key
   * of the client, by any supported algorithm.
   */
  readonly algorithms?: readonly string[];
}

/** The field with the key encryption algorithm of one kind of JWT (OpenID Connect Registration §2, JARM §3). */
export function encryptionAlg({ name, what, algorithms }: EncryptedKind): FieldRow<string> {
  const alg = `${name}Alg`;
  const possible = algorithms ?? KEY_ENCRYPTION_ALGORITHMS;
  return textClientField({
    findProblems(client) {
      const algorithm = textIn(client, alg);
      if (algorithm === undefined) return undefined;
      if (!possible.includes(algorithm))
        return `The ${what} can be encrypted by ${possible.join(', ')}, not by ${algorithm.slice(0, 80)}.`;
      return algorithms === undefined && client.jwks === undefined && client.jwksUri === undefined
        ? `The ${what} are encrypted to a key of the client: it needs jwks or jwksUri.`
        : undefined;
    },
    wire: { name: wireNameOf(alg) },
    printed: { label: `${what} encrypted by` },
  });
}

/** The field with the content encryption algorithm. */
export function encryptionEnc({ name, what }: EncryptedKind): FieldRow<string> {
  const [alg, enc] = [`${name}Alg`, `${name}Enc`];
  return textClientField({
    findProblems(client) {
      const algorithm = textIn(client, enc);
      if (algorithm === undefined) return undefined;
      if (!CONTENT_ENCRYPTION_ALGORITHMS.includes(algorithm))
        return `The content of ${what} can be encrypted by ${CONTENT_ENCRYPTION_ALGORITHMS.join(', ')}, not by ${algorithm.slice(0, 80)}.`;
      return textIn(client, alg) === undefined ? `${enc} says nothing without ${alg}.` : undefined;
    },
    wire: { name: wireNameOf(enc) },
    printed: { label: `content of ${what} by` },
  });
}
