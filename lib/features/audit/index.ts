import type { Feature } from '../../server/server.js';
import { auditOptions } from './options.js';

/** A record of events and of administrative commands. */
export const audit = {
  name: 'audit',
  isOn: (settings) => settings.audit !== undefined,
  options: auditOptions,
  collections: () => ['AuditEntry'],
} satisfies Feature;
