import type { ClientMetadata } from '../../core/clients/client.js';
import {
  fieldsOf,
  flagClientField,
  listClientField,
  type MetadataOf,
} from '../../core/clients/client-field.js';
import type { Feature } from '../../server/server.js';
import { tokenExchangeGrant as grantType } from './grant-type.js';
import { checkTokenExchange, tokenExchangeOptions } from './options.js';
import { TOKEN_EXCHANGE } from './token-types.js';

/** The consent page looks up each of them. */
const MAX_MAY_ACT = 10;

const clientFieldRows = {
  /**
   * It may exchange its own access tokens, those for its `resources`, and those of clients that name it in `mayAct`.
   * Confidential clients only. Needs `tokenExchange` and the grant type
   * `urn:ietf:params:oauth:grant-type:token-exchange`. Default: `false`. (RFC 8693 §2.1)
   */
  mayExchange: flagClientField({
    grantsTrust: true,
    findProblems: exchangeProblem,
    flag: {
      flags: '--may-exchange',
      description: 'it may exchange access tokens of others for its own (RFC 8693)',
      negated: { flags: '--no-may-exchange', description: 'takes that back' },
    },
    printed: { label: 'may exchange' },
  }),
  /**
   * The ids of clients with `mayExchange` to which it may hand on access tokens; the consent page says so. Default:
   * none. (RFC 8693 §4.4)
   */
  mayAct: listClientField({
    requiresReapproval: 'if-extended',
    findProblems: mayActProblem,
    namesClients: true,
    flag: {
      flags: '--may-act <clients...>',
      description: 'the clients that it may hand its tokens on to',
      isList: true,
    },
    printed: { label: 'may hand on to' },
  }),
};

declare module '../../core/clients/client.js' {
  interface ClientMetadata extends MetadataOf<typeof clientFieldRows> {}
}

function exchangeProblem({ type, grantTypes, mayExchange }: ClientMetadata): string | undefined {
  if (mayExchange !== true) return undefined;
  // RFC 8693 §5: otherwise a thief of a token could exchange it
  if (type === 'public') return 'A public client cannot exchange tokens: it has no credentials.';
  return grantTypes.includes(TOKEN_EXCHANGE)
    ? undefined
    : `A client that may exchange tokens needs the grant type ${TOKEN_EXCHANGE}.`;
}

function mayActProblem({ mayAct = [] }: ClientMetadata): string | undefined {
  if (mayAct.some((clientId) => clientId.trim() === ''))
    return 'mayAct names a client by an empty text: write its id.';
  return mayAct.length > MAX_MAY_ACT ? `There are more than ${MAX_MAY_ACT} clients in mayAct.` : undefined;
}

/** A client that acts for a user through another client. @see RFC 8693 */
export const tokenExchange = {
  name: 'tokenExchange',
  isOn: (settings) => settings.tokenExchange !== false,
  options: tokenExchangeOptions,
  checkOptions: checkTokenExchange,
  grantTypes: [grantType],
  clientFields: fieldsOf(clientFieldRows),
} satisfies Feature;
