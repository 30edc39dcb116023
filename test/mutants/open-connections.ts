import { type Mutant, mutantsOf } from './mutant.js';

const WATCH = ['guard/token-watch.test.ts'];
const CONNECTIONS = ['guard/open-connections.test.ts'];

/** What a token has opened ends with it. */
export const OPEN_CONNECTIONS: readonly Mutant[] = [
  ...mutantsOf('core/guard/token-watch.ts', WATCH, [
    {
      breaks: 'a token that has ended ends what it has opened',
      from: 'if (!isBlind) endAll(group, error);',
      to: 'if (!isBlind) delete group.blindSince;',
    },
    {
      breaks: 'a token ends when it expires',
      from: 'if (group.expiresAt * 1000 > now) continue;',
      to: 'if (group.expiresAt > 0) continue;',
    },
    {
      breaks: 'what needs more than is left ends',
      from: 'if (connection.isEnough(auth)) continue;',
      to: 'if (auth.clientId === connection.auth.clientId) continue;',
    },
    {
      breaks: 'what changes during a look is looked at again',
      from: 'else if (looking.changed) lookSoon(group);',
      to: '',
    },
    {
      breaks: 'a change counts before it is known whose token it is',
      from: ', ...unknown]',
      to: ']',
    },
  ]),
  ...mutantsOf('core/guard/admission.ts', CONNECTIONS, [
    {
      breaks: 'what a socket has opened by a token ends once the token allows less',
      from: 'openFor(dependencies.watch, { auth, isEnough }, connection)',
      to: 'openFor(dependencies.watch, { auth, isEnough: () => true }, connection)',
    },
  ]),
  ...mutantsOf('core/guard/watchable-token.ts', CONNECTIONS, [
    {
      breaks: 'a socket that has closed meanwhile is not watched',
      from: "socket.once('close', () => (closed = true));",
      to: '',
    },
  ]),
  ...mutantsOf('core/guard/mcp.ts', CONNECTIONS, [
    {
      breaks: 'a stream of an MCP endpoint ends with its token',
      from: '    res.destroy();',
      to: '',
    },
  ]),
  ...mutantsOf('core/guard/upgrade.ts', CONNECTIONS, [
    {
      breaks: 'a WebSocket ends with its token',
      from: 'setTimeout(() => socket.destroy(), GOODBYE).unref()',
      to: 'GOODBYE',
    },
  ]),
  ...mutantsOf('core/guard/bearer-guard.ts', CONNECTIONS, [
    {
      breaks: 'an open connection believes no earlier answer',
      from: "(await wait('introspection', () => introspect(token, now))).auth",
      to: 'tokens.verify(token, now)',
    },
  ]),
];
