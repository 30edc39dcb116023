import type { Feature } from '../../server/feature.js';

/** A record of what happened, for those who have to answer for it. */
export const audit = {
  name: 'audit',
  isOn: (settings) => settings.audit !== undefined,
  collections: () => ['AuditEntry'],
} satisfies Feature;
