import type { RowsOf } from '../../settings/options.js';
import { option } from '../../settings/table/option.js';
import { serverOptionError } from '../../settings/table/parse-options.js';
import type { Problems } from '../../settings/table/problems.js';
import { flag } from '../../settings/table/shapes.js';
import { withDefault } from '../../settings/table/with-default.js';

/** The options that `agents` presets, unless the site sets them. */
const PRESET = {
  'security.pkce': 'all',
  'security.requireResource': true,
  clientIdMetadataDocuments: true,
  registration: { open: true, allScopes: true },
  'tokens.reuseGrace': 10,
} as const;

/** Agents, such as those of the Model Context Protocol. */
export const agentOptions = {
  /**
   * Lets agents connect that know nothing but a URL, such as those of the Model Context Protocol. It sets
   * `security.pkce` (`'all'`), `security.requireResource`, `clientIdMetadataDocuments`, `registration` (`open` and
   * `allScopes`) and, unless there is a `profile`, `tokens.reuseGrace` (`10`), unless you set them. The metadata is then
   * also at the places of OpenID Connect Discovery, and `/authorize`, `/token` and `/register` at the root, for clients
   * that read no metadata. Default: `false`. (MCP 2026-07-28, Authorization)
   */
  agents: option({ shape: flag, default: false }),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof agentOptions> {}
}

/** The unchecked options that agents depend on. */
interface Given {
  readonly agents?: boolean;
  readonly profile?: unknown;
  readonly grantTypes?: unknown;
  readonly security?: { readonly pkce?: unknown } | null;
  readonly pushedRequests?: unknown;
  readonly signedRequests?: unknown;
}

/** Adds the presets of `agents` to the options, and refuses options that would exclude all agents. */
export function prepareForAgents<Options extends object>(options: Options, problems: Problems): Options {
  const given: Given = options ?? {};
  const { agents, profile, grantTypes, security } = given;
  if (!agents) return options;
  const refuse = (name: string, text: string) =>
    problems.add(serverOptionError(name, `with agents, ${text}`));
  if (Array.isArray(grantTypes) && !grantTypes.includes('authorization_code'))
    refuse('grantTypes', "agents ask people by codes; name 'authorization_code', and 'refresh_token'");
  if (security?.pkce === 'optional')
    refuse(
      'security.pkce',
      "a stolen code of an agent would be good for its thief; write 'all', or 'public'",
    );
  // requirements that no agent meets today
  for (const [name, deed] of [
    ['pushedRequests', 'push'],
    ['signedRequests', 'sign'],
  ] as const)
    if ((given[name] as { readonly required?: unknown } | null | undefined)?.required === true)
      refuse(
        `${name}.required`,
        `agents do not ${deed} their requests, so none could connect; take it out and require it of single clients`,
      );
  return (
    Object.entries(PRESET)
      // FAPI 2.0 Security Profile §5.3.2.2-9: a code works once
      .filter(([path]) => path !== 'tokens.reuseGrace' || profile === undefined)
      .reduce((all, [path, value]) => withDefault(all, path, value), options)
  );
}
