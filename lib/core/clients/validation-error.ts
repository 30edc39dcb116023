import type { MessageKey } from '../../messages/index.js';
import { OAuthError } from '../../shared/errors.js';

export interface ClientProblem {
  /** The name of the field, as in `ClientMetadata`. */
  readonly field: string;
  readonly problem: string;
  /** For pages in another language; absent if no form of this server can cause the problem. */
  readonly reason?: ProblemReason;
  readonly values?: Readonly<Record<string, string | number>>;
  /** The index of the redirect URI with the problem. */
  readonly index?: number;
}

/** The result of a field's `findProblems`: a text, or a problem with more members, by default of that field. */
export type ProblemResult = string | (Omit<ClientProblem, 'field'> & { readonly field?: string });

/** The problems that the pages have a text for: `problem.…` in `lib/messages/en.ts`. */
export type ProblemReason = ReasonIn<MessageKey>;
type ReasonIn<Key> = Key extends `problem.${infer Reason}` ? Reason : never;

/** RFC 7591 §3.2.2 */
export function invalidMetadata(description: string, detail?: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description, {
    reason: 'client_metadata_invalid',
    detail,
  });
}
