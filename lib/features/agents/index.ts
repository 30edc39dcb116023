import type { Request } from 'express';

import { hasField } from '../../core/http/form-fields.js';
import { queryOf } from '../../core/http/query.js';
import type { Feature } from '../../server/server.js';
import { OPENID_CONFIGURATION } from '../../shared/protocol/well-known.js';
import { agentOptions, prepareForAgents } from './options.js';

function isCall(req: Request, type: string): boolean {
  if (req.method === 'OPTIONS') return req.get('Access-Control-Request-Method') === 'POST';
  return req.method === 'POST' && req.is(type) !== false;
}

/**
 * Agents: presets of other options, and paths for clients that read no metadata, or look for it at OpenID Connect's
 * path. These paths do not make this server an OpenID provider (RFC 8414 §5).
 *
 * @see Model Context Protocol 2025-03-26, Fallbacks for Servers without Metadata Discovery
 */
export const agents = {
  name: 'agents',
  isOn: (settings) => settings.agents === true,
  options: agentOptions,
  prepareOptions: prepareForAgents,
  metadataPaths: [OPENID_CONFIGURATION],
  rootAliases: {
    authorize: (req) => req.method === 'GET' && hasField(queryOf(req), 'client_id'),
    token: (req) => isCall(req, 'application/x-www-form-urlencoded'),
    register: (req) => isCall(req, 'application/json'),
  },
} satisfies Feature;
