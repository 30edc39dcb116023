import { findNear } from '../settings/parse-options.js';

/** What was probably meant by a name that is none of these, to be put behind a sentence; empty if nothing is near. */
export function didYouMean(name: string, names: readonly string[]): string {
  const near = findNear(name, names);
  return near === undefined ? '' : `; did you mean '${near}'?`;
}
