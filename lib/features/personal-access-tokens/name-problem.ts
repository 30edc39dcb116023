import type { MessageKey } from '../../messages/index.js';
import {
  hasSomethingToRead,
  hasStackedMarks,
  hasUnseenCharacters,
} from '../../shared/protocol/visible-text.js';

export const MAX_NAME = 100;
export const MAX_PURPOSE = 500;

/** What is wrong with the name of a token; undefined if nothing is. Its maker reads it beside the site's own words. */
export function findNameProblem(name: string): MessageKey | undefined {
  if (name === '') return 'tokens.nameMissing';
  if (name.length > MAX_NAME) return 'tokens.nameLong';
  if (hasUnseenCharacters(name) || hasStackedMarks(name) || !hasSomethingToRead(name))
    return 'tokens.nameUnseen';
  return undefined;
}

/** The same for what a token is for, which may be left out and may have several lines. */
export function findPurposeProblem(purpose: string): MessageKey | undefined {
  if (purpose.length > MAX_PURPOSE) return 'tokens.purposeLong';
  return hasUnseenCharacters(purpose.replaceAll('\n', ' ')) || hasStackedMarks(purpose)
    ? 'tokens.purposeUnseen'
    : undefined;
}
