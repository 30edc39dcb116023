import * as z from '../../shared/schema.js';
import { objectOf, option, type OptionsOf } from '../table/option.js';
import { serverOptionError } from '../table/parse-options.js';
import type { Problems } from '../table/problems.js';
import { flag } from '../table/shapes.js';
import { withDefault } from '../table/with-default.js';

/** What each part of the option `agents` sets, and where. What the site has set itself stays. */
const PRESET = {
  pkce: ['security.pkce', 'all'],
  requireResource: ['security.requireResource', true],
  clientIdMetadataDocuments: ['clientIdMetadataDocuments', true],
  registration: ['registration', { open: true, allScopes: true }],
  rootAliases: ['advanced.rootAliases', true],
  reuseGrace: ['tokens.reuseGrace', 10],
} as const;

const partOptions = {
  /** Sets `security: { pkce: 'all' }`. Default: `true`. */
  pkce: option({ shape: flag, default: true }),
  /** Sets `security: { requireResource: true }`. Default: `true`. */
  requireResource: option({ shape: flag, default: true }),
  /** Sets `clientIdMetadataDocuments: true`. Default: `true`. */
  clientIdMetadataDocuments: option({ shape: flag, default: true }),
  /** Sets `registration: { open: true, allScopes: true }`. Default: `true`. */
  registration: option({ shape: flag, default: true }),
  /** Sets `advanced: { rootAliases: true }`. Default: `true`. */
  rootAliases: option({ shape: flag, default: true }),
  /** Sets `tokens: { reuseGrace: 10 }`, unless there is a `profile`. Default: `true`. */
  reuseGrace: option({ shape: flag, default: true }),
};

const names = Object.keys(partOptions).join(', ');

/** Which parts of `agents` are on. */
export type AgentsOptions = OptionsOf<typeof partOptions>;

/** Agents, such as those of the Model Context Protocol. */
export const agentOptions = {
  /**
   * Lets agents connect that know nothing but a URL, such as those of the Model Context Protocol. Its members name the
   * options that it sets unless you set them. `true`, or an object that switches parts off: `{ rootAliases: false }`.
   * Default: `false`. (MCP 2026-07-28, Authorization)
   */
  agents: option({
    members: partOptions,
    shape: () =>
      z.anyOf(
        [z.boolean(''), objectOf(partOptions, 'an object')],
        `true, false or an object of ${names}, such as { rootAliases: false }`,
      ),
    default: false,
  }),
};

interface Given {
  readonly agents?: boolean | AgentsOptions;
  readonly profile?: unknown;
}

/** The options, with what `agents` sets for those that the site has not set. It is decided here and nowhere else. */
export function withAgents<Options extends Given>(options: Options): Options {
  const agents = (options as Given | null | undefined)?.agents;
  if (agents === undefined || agents === false) return options;
  // FAPI 2.0 Security Profile §5.3.2.2-9: no code is good twice
  const isAllowed = (part: string) => part !== 'reuseGrace' || options.profile === undefined;
  // a part that is no boolean is refused with the other options
  const isDesired = (part: string) => (agents as Readonly<Record<string, unknown>> | null)?.[part] !== false;
  return Object.entries(PRESET)
    .filter(([part]) => isDesired(part) && isAllowed(part))
    .reduce((all, [, [path, value]]) => withDefault(all, path, value), options);
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
