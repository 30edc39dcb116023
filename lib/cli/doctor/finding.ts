import type { Client } from '../../core/clients/client.js';

/** How bad it is: `serious` ends the command with exit code 1. */
export type Severity = 'serious' | 'warning' | 'note';

/** Something about a deployment that is unsafe, or could not be seen. */
export interface Finding extends FindingText {
  readonly severity: Severity;
  /** A stable name, for scripts that know a finding and accept it. */
  readonly check: string;
  /** The client that it is about, and what is said about it: once, if the same is true of several clients. */
  readonly client?: { readonly clientId: string; readonly name: string };
  readonly about?: string;
}

interface FindingText {
  /** What was found, and where. */
  readonly what: string;
  /** What may happen because of it. */
  readonly why: string;
  /** What to do. */
  readonly cure: string;
}

export function finding(severity: Severity, check: string, text: FindingText): Finding {
  return { severity, check, ...text };
}

/** A finding about a client: `about` continues the sentence after its name. */
export function ofClient(
  { clientId, name }: Client,
  severity: Severity,
  check: string,
  { about, why, cure }: { readonly about: string; readonly why: string; readonly cure: string },
): Finding {
  const what = `client ${clientId} (${name}) ${about}`;
  return { severity, check, what, why, cure, client: { clientId, name }, about };
}
