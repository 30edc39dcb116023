import { type Mutant, mutantsOf } from './mutant.js';

const WATCH = ['guard/token-watch.test.ts'];
const CONNECTIONS = ['guard/open-connections.test.ts'];

/** What a token has opened ends with it. */
export const OPEN_CONNECTIONS: readonly Mutant[] = [
  ...mutantsOf('core/guard/token-watch.ts', WATCH, [
    {
      breaks: 'a token that has ended ends what it has opened',
      from: 'if (!isUnreachable) endAll(group, error);',
      to: 'if (!isUnreachable) delete group.unreachableSince;',
    },
    {
      breaks: 'a token ends when it expires',
      from: 'if (group.expiresAt * 1000 > now) continue;',
      to: 'if (group.expiresAt > 0) continue;',
    },
    {
      breaks: 'what needs more than is left ends',
      from: 'if (connection.isStillAllowed(auth)) continue;',
      to: 'if (auth.clientId === connection.auth.clientId) continue;',
    },
    {
      breaks: 'what changes during a look is looked at again',
      from: 'else if (running.isOutdated) scheduleRecheck(group);',
      to: '',
    },
    {
      breaks: 'a token ends when it expires, if that was brought forward',
      from: '      group.expiresAt = auth.expiresAt ?? Infinity;\n',
      to: '',
    },
    {
      breaks: 'what changes between the check of a token and what it opens is looked at',
      from: 'if (changedAt >= checkedAt) scheduleRecheck(group);',
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
      from: '{ auth, checkedAt, isStillAllowed }',
      to: '{ auth, checkedAt, isStillAllowed: () => true }',
    },
    {
      breaks: 'what a token has opened ends once the person has selected something else',
      from: ' && selectionOf(current) === selection',
      to: '',
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
  ...mutantsOf('core/guard/remote-verifier.ts', CONNECTIONS, [
    {
      breaks: 'an open connection believes no earlier answer',
      from: "(await wait('introspection', () => introspect(token, now))).auth",
      to: 'cache.verify(token, now)',
    },
  ]),
];
