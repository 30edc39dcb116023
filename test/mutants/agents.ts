import { type Mutant, mutantsOf } from './mutant.js';

/** Agents: what lets them in, and how they ask for more (Model Context Protocol). */
export const AGENTS: readonly Mutant[] = [
  ...mutantsOf(
    'core/http/cross-origin.ts',
    ['http/cross-origin.test.ts'],
    [
      {
        breaks: 'what a preflight is answered with has a bound',
        from: 'names.length > MAX_NAMES ? limited : givingBack',
        to: 'names.length < 0 ? limited : givingBack',
      },
      {
        breaks: 'pages of other origins call without credentials (RFC 9700 §2.6)',
        from: 'const givingBack = cors({ ...options, maxAge: MAX_AGE });',
        to: 'const givingBack = cors({ ...options, credentials: true, maxAge: MAX_AGE });',
      },
    ],
  ),
  ...mutantsOf(
    'settings/features/agent-options.ts',
    ['settings/agents.test.ts'],
    [
      {
        breaks: 'agents without PKCE are refused (OAuth 2.1 §4.1.1)',
        from: "if (security?.pkce === 'optional')",
        to: "if (security?.pkce === 'none')",
      },
    ],
  ),
  ...mutantsOf(
    'settings/table/with-default.ts',
    ['settings/agents.test.ts'],
    [
      {
        breaks: 'what the host has set itself stays, also if a preset has other members of its group',
        from: 'given === undefined ? { ...options, [name]: value } : options;',
        to: '({ ...options, [name]: value });',
      },
      {
        breaks: 'other members of a group stay',
        from: 'withDefault(given ?? {}, ',
        to: 'withDefault({}, ',
      },
    ],
  ),
  ...mutantsOf(
    'shared/protocol/resource.ts',
    ['rfc/rfc8707/required-resource.test.ts'],
    [
      {
        breaks: 'a resource has to be named where the host says so (RFC 8707 §2)',
        from: 'if (isRequired && resources.size > 0 && requested.length === 0)',
        to: 'if (isRequired && resources.size > 0 && requested.length > 20)',
      },
    ],
  ),
  ...mutantsOf(
    'core/guard/challenge.ts',
    ['guard/step-up.test.ts'],
    [
      {
        breaks: 'what another server says of a token does not break out of the challenge (RFC 6750 §3)',
        from: 'isScopeToken(scope) && knownScopes',
        to: 'knownScopes',
      },
      {
        breaks: 'a client loses nothing by what the challenge says',
        from: 'const all = [...new Set([...scopes, ...error.granted])];',
        to: 'const all = [...new Set([...scopes])];',
      },
    ],
  ),
  ...mutantsOf(
    'shared/protocol/redirect-uri.ts',
    ['shared/protocol/redirect-uri.test.ts', 'clients/redirect-uri-rules.test.ts'],
    [
      {
        breaks: 'a scheme without a dot is that of an editor that is known, or nobody’s (RFC 8252 §7.1)',
        from: 'return EDITOR_SCHEMES.has(protocol) || /',
        to: 'return /^[a-z]+:$/.test(protocol) || /',
      },
      {
        breaks: 'http: leads to another machine only if the host says so (RFC 6749 §3.1.2.1)',
        from: 'if (allowsInsecureHttp || isLoopbackHost(hostname)) return undefined;',
        to: 'if (!allowsInsecureHttp || isLoopbackHost(hostname)) return undefined;',
        seenBy: ['clients/redirect-uri-rules.test.ts'],
      },
    ],
  ),
  ...mutantsOf(
    'core/guard/mcp-messages.ts',
    ['guard/mcp.test.ts'],
    [
      {
        breaks: 'a server behind the endpoint is given nothing but JSON that was looked at',
        from: "if (req.is('application/json') === false)",
        to: "if (req.is('application/json') === undefined)",
      },
      {
        breaks: 'a tool cannot be called in a list of messages without its scopes',
        from: 'return [body].flat().flatMap((message)',
        to: 'return [body].flatMap((message)',
      },
      {
        breaks: 'a list in a list calls no tool unseen',
        from: 'value === null || Array.isArray(value)) return false;',
        to: 'value === null) return false;\n  if (Array.isArray(value)) return true;',
      },
      {
        breaks: 'a tool is not called by a name that becomes a text only as it is looked up',
        from: "typeof method === 'string' && (method !== CALL || typeof params?.name === 'string')",
        to: "typeof method === 'string'",
      },
      {
        breaks: 'a Buffer is not passed on unread',
        from: 'if (Buffer.isBuffer(body))',
        to: 'if (Buffer.isBuffer(body)) return next();\n  if (body instanceof DataView)',
      },
      {
        breaks: 'a body that was read elsewhere is not passed on unseen',
        from: "if (isWithoutBody(req) && req.method !== 'POST') return next();",
        to: "if (isWithoutBody(req) || typeof body !== 'string') return next();",
      },
      {
        breaks: 'a list of messages is none unless the host allows lists (MCP, Streamable HTTP)',
        from: 'if (!Array.isArray(req.body)) return next();',
        to: "if (typeof req.body !== 'string') return next();",
      },
    ],
  ),
  ...mutantsOf(
    'core/guard/mcp.ts',
    ['guard/mcp.test.ts'],
    [
      {
        breaks: 'a tool is not called without its scopes',
        from: 'if (called.length > 0 && req.auth !== undefined)',
        to: 'if (called.length > 9 && req.auth !== undefined)',
      },
      {
        breaks: 'a client that acts for nobody is kept out where the host says so',
        from: '      requireUser,\n',
        to: '',
      },
      {
        breaks: 'pages of other origins are kept out where the host says so',
        from: 'origin === undefined || origins.includes(origin)',
        to: 'origin === undefined || origins.length > 0',
      },
    ],
  ),
];
