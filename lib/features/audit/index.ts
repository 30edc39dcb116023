import type { Feature } from '../../server/server.js';
import { auditOptions } from './options.js';

/** A record of what happened, for those who have to answer for it. */
export const audit = {
  name: 'audit',
  isOn: (settings) => settings.audit !== undefined,
  options: auditOptions,
  collections: () => ['AuditEntry'],
} satisfies Feature;
