import { type Mutant, mutantsOf } from './mutant.js';

const GATHER = ['storage/gather.test.ts'];

/** Concurrent reads and inserts, which share a command and nothing else. */
export const GATHERED: readonly Mutant[] = [
  ...mutantsOf('storage/connection/native-operations.ts', GATHER, [
    {
      breaks: 'what is asked for later is read later',
      from: 'cache: false,',
      to: 'cache: true,',
    },
    {
      breaks: 'a command has its bounds',
      from: 'maxBatchSize: MAX_BATCH_SIZE,',
      to: 'maxBatchSize: Infinity,',
    },
    {
      breaks: 'a refused insert has inserted nothing',
      from: 'if (!Array.isArray(writeErrors) || writeErrors.length === 0) return undefined;',
      to: 'if (!Array.isArray(writeErrors)) return undefined;',
    },
    {
      breaks: 'only a key that is taken is no failure',
      from: 'all.every(isDuplicateKey) && result',
      to: 'result',
    },
    {
      breaks: 'what the majority may not have is not stored',
      from: 'all.every(isDuplicateKey) && result?.getWriteConcernError() === undefined',
      to: 'all.every(isDuplicateKey)',
      lives: 'SecantusDB leaves out which keys were taken where the majority failed; MongoDB says both',
    },
    {
      breaks: 'a hook on findOne is called for each document',
      from: 'return relevant?.hasHooks?.(operation) === false;',
      to: "return operation === 'findOne' || relevant?.hasHooks?.(operation) === false;",
    },
    {
      breaks: 'a hook on updateOne is called',
      from: 'return relevant?.hasHooks?.(operation) === false;',
      to: "return operation === 'updateOne' || relevant?.hasHooks?.(operation) === false;",
      seenBy: ['storage/unhooked.test.ts'],
    },
    {
      breaks: 'a hook on insertMany is called for each document',
      from: 'return relevant?.hasHooks?.(operation) === false;',
      to: "return operation === 'insertMany' || relevant?.hasHooks?.(operation) === false;",
    },
  ]),
];
