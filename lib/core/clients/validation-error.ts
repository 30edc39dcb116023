import type { MessageKey } from '../../messages/index.js';

export interface ClientProblem {
  /** The name of the field, as in `ClientMetadata`. */
  readonly field: string;
  readonly problem: string;
  /** For pages in another language; absent if no form of ours can cause it. */
  readonly reason?: ProblemReason;
  readonly values?: Readonly<Record<string, string | number>>;
  /** Which one of the redirect URIs it is about. */
  readonly index?: number;
}

/** One problem, as `findProblems` of a field returns it. */
export function problem(field: string, text: string, more: Partial<ClientProblem> = {}): ClientProblem[] {
  return [{ field, problem: text, ...more }];
}

/** What the pages have a text for: `problem.…` in `lib/messages/en.ts`. */
export type ProblemReason = ReasonIn<MessageKey>;
type ReasonIn<Key> = Key extends `problem.${infer Reason}` ? Reason : never;
