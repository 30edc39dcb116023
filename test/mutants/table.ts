import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { AGENTS } from './agents.js';
import { APPLICATIONS } from './applications.js';
import { ASSERTIONS } from './assertions.js';
import { BOUND_TOKENS } from './bound-tokens.js';
import { CHANGED_CHOICES } from './changed-choices.js';
import { CLIENT_ASSERTIONS } from './client-assertions.js';
import { CLIENT_DOCUMENTS } from './client-documents.js';
import { CLIENTS } from './clients.js';
import { CONSENT } from './consent.js';
import { DETAILS } from './details.js';
import { DEVICE_GRANTS } from './devices.js';
import { ENCRYPTION } from './encryption.js';
import { GATHERED } from './gathered.js';
import { GRANTS } from './grants.js';
import { INTROSPECTION_AND_REVOCATION } from './introspection.js';
import { ISSUERS } from './issuers.js';
import { LOGOUT } from './logout.js';
import { MIGRATION } from './migration.js';
import type { Mutant } from './mutant.js';
import { MUTUAL_TLS } from './mutual-tls.js';
import { NEW_CLIENTS } from './new-clients.js';
import { OPEN_CONNECTIONS } from './open-connections.js';
import { OPENID } from './openid.js';
import { OWNERS } from './owners.js';
import { PERSONAL_ACCESS_TOKENS } from './personal-access-tokens.js';
import { POLICY } from './policy.js';
import { PROFILES } from './profiles.js';
import { PUSHED_REQUESTS } from './pushed-requests.js';
import { CACHED } from './remembered.js';
import { REQUESTS } from './requests.js';
import { SCOPES } from './scopes.js';
import { SHARED_SIGNALS } from './shared-signals.js';
import { SIGNED_REQUESTS } from './signed-requests.js';
import { SILENT_REQUESTS } from './silent-requests.js';
import { STANDING } from './standing.js';
import { STATELESS_TOKENS } from './stateless-tokens.js';
import { STEP_UP } from './step-up.js';
import { SURROUNDINGS } from './surroundings.js';
import { TOKEN_EXCHANGE } from './token-exchange.js';
import { TOKENS } from './tokens.js';
import { WEBHOOKS } from './webhooks.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** All of them, in the order in which they are tried. */
export const MUTANTS: readonly Mutant[] = [
  ...REQUESTS,
  ...PUSHED_REQUESTS,
  ...SCOPES,
  ...ENCRYPTION,
  ...LOGOUT,
  ...ISSUERS,
  ...OPENID,
  ...SILENT_REQUESTS,
  ...SIGNED_REQUESTS,
  ...BOUND_TOKENS,
  ...MUTUAL_TLS,
  ...POLICY,
  ...SHARED_SIGNALS,
  ...TOKEN_EXCHANGE,
  ...ASSERTIONS,
  ...WEBHOOKS,
  ...PROFILES,
  ...CHANGED_CHOICES,
  ...CONSENT,
  ...DETAILS,
  ...GATHERED,
  ...GRANTS,
  ...DEVICE_GRANTS,
  ...CLIENTS,
  ...CLIENT_DOCUMENTS,
  ...APPLICATIONS,
  ...NEW_CLIENTS,
  ...STANDING,
  ...OWNERS,
  ...PERSONAL_ACCESS_TOKENS,
  ...TOKENS,
  ...INTROSPECTION_AND_REVOCATION,
  ...CLIENT_ASSERTIONS,
  ...STATELESS_TOKENS,
  ...STEP_UP,
  ...OPEN_CONNECTIONS,
  ...CACHED,
  ...MIGRATION,
  ...AGENTS,
  ...SURROUNDINGS,
];

/** Why this is no longer a mutant of the current tree. */
export function findProblem({ file, from, to, seenBy, breaks }: Mutant): string[] {
  const path = `${ROOT}lib/${file}`;
  if (!existsSync(path)) return [`- lib/${file} is not there: ${breaks}`];
  const times = readFileSync(path, 'utf8').split(from).length - 1;
  const missing = seenBy.filter((suite) => !existsSync(`${ROOT}test/${suite}`));
  return [
    ...(times === 1 && from !== to ? [] : [`- ${times} times in lib/${file}: ${from}`]),
    ...missing.map((suite) => `- test/${suite} is not there`),
  ];
}
