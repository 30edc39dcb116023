import type { RedirectUriProblem } from '../../shared/protocol/redirect-uri.js';
import type { PageUriProblem } from './page-uri.js';
import type { KeySetProblem } from './public-jwks.js';

/** What is wrong with one field of a registration, in words for the user who registers. */
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

export type ProblemReason =
  | RedirectUriProblem['reason']
  | KeySetProblem['reason']
  | PageUriProblem['reason']
  | 'descriptionTooLong'
  | 'descriptionInvisible'
  | 'nameMissing'
  | 'nameTooLong'
  | 'nameInvisible'
  | 'nameMarks'
  | 'namePicture'
  | 'nameSentence'
  | 'nameScripts'
  | 'nameReserved'
  | 'nameBadge'
  | 'typeUnknown'
  | 'publicCredentials'
  | 'redirectUriMissing'
  | 'redirectUriUnused'
  | 'redirectUriTooMany'
  | 'scopeUnknown'
  | 'grantTypeUnknown'
  | 'grantTypeMissing'
  | 'grantTypeOnlyRefresh'
  | 'jwksUriNotUrl'
  | 'jwksUriParts'
  | 'jwksUriScheme';
