import type { MessageKey } from '../../messages/index.js';
import type { Translator } from '../rendering/translator.js';
import type { ApplicationFormProblem } from './application-form.js';

/** A problem of the form in the language of the page. */
export interface ProblemView {
  readonly field: string;
  readonly problem: string;
  /** The line of the redirect URIs that is refused, and what it says. */
  readonly line?: number;
  readonly uri?: string;
}

const MAX_DISPLAYED = 200;

/** A problem that we have no text for (our forms cause none) is shown as the registry says it, in English. */
export function showProblems(
  problems: readonly ApplicationFormProblem[],
  { text }: Translator,
): readonly ProblemView[] {
  return problems.map((problem) => {
    const { field, reason } = problem;
    const values = 'values' in problem ? problem.values : undefined;
    const displayed =
      reason === undefined ? problem.problem : text(`problem.${reason}` satisfies MessageKey, values);
    const { line, uri } = 'line' in problem ? problem : {};
    return {
      field,
      problem: displayed,
      ...(line !== undefined && { line, uri: (uri ?? '').slice(0, MAX_DISPLAYED) }),
    };
  });
}
