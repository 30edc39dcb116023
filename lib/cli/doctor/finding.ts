import type { Client } from '../../core/clients/client.js';

/** `serious` ends the command with exit code 1. */
export type Severity = 'serious' | 'warning' | 'note';

interface FindingText {
  /** The problem and its place. */
  readonly what: string;
  /** The possible consequences. */
  readonly why: string;
  /** The remedy. */
  readonly cure: string;
}

/** A problem of a deployment, or a check that was impossible. */
export interface Finding extends FindingText {
  readonly severity: Severity;
  /** A stable name, by which scripts accept a known finding. */
  readonly check: string;
  /** The client of the finding, and its part of the text, which several clients may share. */
  readonly client?: { readonly clientId: string; readonly name: string };
  readonly about?: string;
}

/**
 * Adds a finding, unless the severity is false. For a finding about a client, `what` continues the sentence after the
 * client's name.
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
