import type { Client } from '../../core/clients/client.js';

/** How bad it is: `serious` ends the command with exit code 1. */
export type Severity = 'serious' | 'warning' | 'note';

/** Something about a deployment that is unsafe, or could not be seen. */
export interface Finding {
  readonly severity: Severity;
  /** A stable name, for scripts that know a finding and accept it. */
  readonly check: string;
  /** What was found, and where. */
  readonly what: string;
  /** The client that it is about, and what is said about it: once, if the same is true of several clients. */
  readonly client?: Pick<Client, 'clientId' | 'name'>;
  readonly about?: string;
  /** What may happen because of it. */
  readonly why: string;
  /** What to do. */
  readonly cure: string;
}

export function finding(
  severity: Severity,
  check: string,
  text: Omit<Finding, 'severity' | 'check'>,
): Finding {
  return { severity, check, ...text };
}
