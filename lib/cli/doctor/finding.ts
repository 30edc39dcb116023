import type { Client } from '../../core/clients/client.js';

/** How bad it is: `serious` ends the command with exit code 1. */
export type Severity = 'serious' | 'warning' | 'note';

interface FindingText {
  /** What was found, and where. */
  readonly what: string;
  /** What may happen because of it. */
  readonly why: string;
  /** What to do. */
  readonly cure: string;
}

/** Something about a deployment that is unsafe, or could not be seen. */
export interface Finding extends FindingText {
  readonly severity: Severity;
  /** A stable name, for scripts that know a finding and accept it. */
  readonly check: string;
  /** The client that it is about, and what is said about it: once, if the same is true of several clients. */
  readonly client?: { readonly clientId: string; readonly name: string };
  readonly about?: string;
}

/**
 * Adds a finding, unless nothing is wrong: then the severity is false. If it is about a client, `what` continues the
 * sentence after the name of the client.
 */
export type ReportFinding = (
  severity: Severity | false,
  check: string,
  text: FindingText & { readonly client?: Client },
) => void;

export function reportTo(findings: Finding[]): ReportFinding {
  return (severity, check, { client, what, why, cure }) => {
    if (severity === false) return;
    if (client === undefined) return void findings.push({ severity, check, what, why, cure });
    const { clientId, name } = client;
    const sentence = `client ${clientId} (${name}) ${what}`;
    findings.push({ severity, check, what: sentence, why, cure, client: { clientId, name }, about: what });
  };
}
