import { FIRST_LISTED } from '../grants/grant-store.js';

/**
 * The last stages of a list (`IdsAndFirst`), in one document: a thousand of them on their way cost more than finding
 * them.
 */
export const idsAndFirst = (id: string, since?: string): readonly object[] => [
  {
    $group: {
      _id: null,
      ids: { $push: id },
      first: { $push: '$$ROOT' },
      ...(since !== undefined && { since: { $push: since } }),
    },
  },
  {
    $project: {
      ids: 1,
      first: { $slice: ['$first', FIRST_LISTED] },
      ...(since !== undefined && { since: 1 }),
    },
  },
];
