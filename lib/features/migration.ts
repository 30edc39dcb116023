import type { Feature } from '../server/feature.js';

/** Tokens of the server that this one has taken the place of. */
export const migration = {
  name: 'migration',
  isOn: ({ migratedTokens }) => migratedTokens,
  collections: () => ['Migrated'],
} satisfies Feature;
