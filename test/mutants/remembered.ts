import { type Mutant, mutantsOf } from './mutant.js';

const GUARD_MEMORY = ['storage/guard-cache.test.ts'];
const CLIENTS = ['clients/client-cache.test.ts', 'storage/remembered.test.ts'];

/** What is remembered of grants and of clients, and what makes it forget. */
export const CACHED: readonly Mutant[] = [
  ...mutantsOf('core/grants/grant-cache.ts', GUARD_MEMORY, [
    {
      breaks: 'what is remembered counts only while it is known what others change',
      from: 'const known = isCurrent() ? cache.get(presented.grantId) : undefined;',
      to: 'const known = cache.get(presented.grantId);',
    },
    {
      breaks: 'nobody is refused by what is remembered',
      from: 'return known !== undefined && isGood(known, presented) ? known : read(presented);',
      to: 'return known ?? read(presented);',
    },
    {
      breaks: 'what this process revokes counts at once',
      from: '        if (id === undefined) forgetAll();\n        else forget(id);',
      to: '        void id;',
    },
    {
      breaks: 'what was read before a change is not remembered after it',
      from: 'if (found !== null && reading.get(id) === own) cache.set(id, found);',
      to: 'if (found !== null) cache.set(id, found);',
    },
  ]),
  ...mutantsOf('storage/grants/change-stream.ts', GUARD_MEMORY, [
    {
      breaks: 'a stream whose client was closed is none that has nothing new',
      from: "if (opened.closed) throw new Error('the change stream was closed');",
      to: '',
      seenBy: ['storage/grant-changes.test.ts'],
    },
    {
      breaks: 'what another process changes is forgotten',
      from: "if ('documentKey' in change) listener.changed(String(change.documentKey._id));",
      to: "if ('documentKey' in change) void 0;",
    },
    {
      breaks: 'while nothing is heard, nothing is known',
      from: 'return performance.now() - marker.heardUntil() <= MAX_SILENCE;',
      to: 'return marker.heardUntil() > -Infinity;',
      seenBy: ['storage/grant-changes.test.ts'],
    },
    {
      breaks: 'what happened while nothing was heard may be anything',
      from: '    if (isClosed) return;\n    listener.missed();',
      to: '    if (isClosed) return;',
    },
    {
      breaks: 'a stream that broke proves nothing until it is there again',
      from: '    marker.end();\n    tries.later();',
      to: '    tries.later();',
    },
    {
      breaks: 'a sharded cluster tells of changes too late',
      from: "if (msg === 'isdbgrid')",
      to: "if (msg === 'no')",
    },
    {
      breaks: 'a standalone server tells of nothing',
      from: 'if (setName === undefined) throw',
      to: 'if (msg === undefined && setName === 0) throw',
    },
  ]),
  ...mutantsOf('storage/grants/stream-marker.ts', GUARD_MEMORY, [
    {
      breaks: 'nothing is heard until the marker comes back',
      from: '    try {\n      await collection.replaceOne(',
      to: '    heardUntil = sentAt;\n    sendLater();\n    try {\n      await collection.replaceOne(',
    },
    {
      breaks: 'what was heard counts until the marker was sent, not until it came back',
      from: 'heardUntil = sentAt;',
      to: 'heardUntil = performance.now();',
      lives: 'the moment between the two is shorter than any test could tell',
    },
  ]),
  ...mutantsOf('core/clients/client-cache.ts', CLIENTS, [
    {
      breaks: 'a client that changed while it was read is not remembered as it was',
      from: ' || changes !== before) cache',
      to: ') cache',
    },
    {
      breaks: 'a client that another process has unblocked is not refused as blocked',
      from: ' || client.blocked !== undefined',
      to: '',
    },
    {
      breaks: 'what this process changes it forgets at once',
      from: 'change.finally(() => forget(clientId));',
      to: 'change.finally(() => undefined);',
    },
  ]),
];
