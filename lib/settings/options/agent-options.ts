import { option } from '../table/option.js';
import { serverOptionError } from '../table/parse-options.js';
import type { Problems } from '../table/problems.js';
import { flag } from '../table/shapes.js';
import { withDefault } from '../table/with-default.js';

/** What the option `agents` sets. What the site has set itself stays. */
const PRESET = {
  'security.pkce': 'all',
  'security.requireResource': true,
  clientIdMetadataDocuments: true,
  registration: { open: true, allScopes: true },
  'advanced.rootAliases': true,
  'tokens.reuseGrace': 10,
} as const;

/** Agents, such as those of the Model Context Protocol. */
export const agentOptions = {
  /**
   * Lets agents connect that know nothing but a URL, such as those of the Model Context Protocol. It sets
   * `security.pkce` (`'all'`), `security.requireResource`, `clientIdMetadataDocuments`, `registration` (`open` and
   * `allScopes`), `advanced.rootAliases` and, unless there is a `profile`, `tokens.reuseGrace` (`10`), unless you set
   * them. Default: `false`. (MCP 2026-07-28, Authorization)
   */
  agents: option({ shape: flag, default: false }),
};

interface Given {
  readonly agents?: boolean;
  readonly profile?: unknown;
}

/** The options, with what `agents` sets for those that the site has not set. It is decided here and nowhere else. */
export function withAgents<Options extends Given>(options: Options): Options {
  const agents = (options as Given | null | undefined)?.agents;
  if (agents === undefined || agents === false) return options;
  return (
    Object.entries(PRESET)
      // FAPI 2.0 Security Profile §5.3.2.2-9: no code is good twice
      .filter(([path]) => path !== 'tokens.reuseGrace' || options.profile === undefined)
      .reduce((all, [path, value]) => withDefault(all, path, value), options)
  );
}

/** What may have been given, unchecked. */
interface Conflicting {
  readonly grantTypes?: unknown;
  readonly security?: { readonly pkce?: unknown } | null;
  readonly pushedRequests?: unknown;
  readonly signedRequests?: unknown;
}

/** What no agent can do today, and so must not have to. */
const REQUIRED_OF_CLIENTS = {
  pushedRequests: 'push their requests',
  signedRequests: 'sign their requests',
} as const;

/** Finds what would keep all agents out. */
export function checkAgentOptions(problems: Problems, options: Given & Conflicting): void {
  const { agents, grantTypes, security } = (options as (Given & Conflicting) | null | undefined) ?? {};
  if (agents === undefined || agents === false) return;
  const refuse = (name: string, text: string) =>
    problems.add(serverOptionError(name, `with agents, ${text}`));
  if (Array.isArray(grantTypes) && !grantTypes.includes('authorization_code'))
    refuse('grantTypes', "agents ask people by codes; name 'authorization_code', and 'refresh_token'");
  if (security?.pkce === 'optional')
    refuse(
      'security.pkce',
      "a stolen code of an agent would be good for its thief; write 'all', or 'public'",
    );
  for (const [name, deed] of Object.entries(REQUIRED_OF_CLIENTS)) {
    const value = options[name as keyof typeof REQUIRED_OF_CLIENTS];
    if ((value as { readonly required?: unknown } | null | undefined)?.required === true)
      refuse(
        `${name}.required`,
        `agents do not ${deed}, so none could connect; take it out and require it of single clients`,
      );
  }
}
