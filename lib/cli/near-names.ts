import { findNear } from '../settings/parse-options.js';

/** What was probably meant by a name that is not one of these, to be added to a sentence; empty if nothing is near. */
export function didYouMean(name: string, names: readonly string[]): string {
  const near = findNear(name, names);
  return near === undefined ? '' : `; did you mean '${near}'?`;
}
