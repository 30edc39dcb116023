import { SIGNING_ALGORITHMS } from '../../../shared/crypto/key-material.js';
import { type ClientField, type FieldRow, type RegistrationLimits, valueOf } from '../client-field.js';
import type { ClientProblem } from '../validation-error.js';
import { textSchema } from './schemas.js';

interface SigningFieldOptions {
  readonly name: string;
  readonly wire: string;
  readonly flag: NonNullable<ClientField['flag']>;
  readonly label: string;
  /** What is signed, as a sentence begins with it. */
  readonly what: string;
}

/** The algorithm by which this server signs something for a client: one that it has a key for. */
export function signingField({ name, wire, flag, label, what }: SigningFieldOptions): FieldRow<string> {
  return {
    shape: textSchema,
    stored: { type: String },
    findProblems: (
      client,
      { signingAlgorithms = SIGNING_ALGORITHMS }: RegistrationLimits,
    ): readonly ClientProblem[] => {
      const algorithm = valueOf(client, { name }) as string | undefined;
      if (algorithm === undefined || signingAlgorithms.includes(algorithm)) return [];
      const known = signingAlgorithms.join(' or ');
      return [{ field: name, problem: `${what} are signed by ${known}, not by ${algorithm.slice(0, 80)}.` }];
    },
    wire: { name: wire },
    flag,
    printed: { label },
  };
}
