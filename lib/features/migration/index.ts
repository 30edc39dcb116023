import type { Feature } from '../../server/server.js';

/** Accepts tokens of the server that this one has replaced. */
export const migration = {
  name: 'migration',
  isOn: ({ tokens }) => tokens.migrated,
  collections: () => ['Migrated'],
} satisfies Feature;
