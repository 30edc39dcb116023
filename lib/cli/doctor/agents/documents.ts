import { type Finding, finding } from '../finding.js';
import { describeAnswer, requestAsAgent, stringsOf } from './agent-requests.js';
import type { KnownClient } from './known-clients.js';
import type { AgentClient } from './registration.js';

/** Agents from their documents, as the server will read them. */
export interface Described {
  readonly findings: readonly Finding[];
  readonly clients: readonly AgentClient[];
}

/** @see OAuth Client ID Metadata Document §4 */
export async function describedAs(known: readonly KnownClient[]): Promise<Described> {
  const findings: Finding[] = [];
  const clients: AgentClient[] = [];
  for (const { name, document } of known) {
    if (document === undefined) continue;
    const response = await requestAsAgent(document, { headers: { Accept: 'application/json' } });
    const [redirectUri] = response instanceof Error ? [] : stringsOf(response.json?.redirect_uris);
    if (redirectUri !== undefined)
      clients.push({ name: `${name} by its document`, clientId: document, redirectUri });
    else
      findings.push(
        finding('note', 'agents.document-unread', {
          what: `the document of ${name} could not be read from here: ${document} gives ${describeAnswer(response)}`,
          why: 'Whether the site lets it in was not tried. The site itself has to reach it as well.',
          cure: 'Try again where the internet is reached; or name another, by --client-document.',
        }),
      );
  }
  return { findings, clients };
}
