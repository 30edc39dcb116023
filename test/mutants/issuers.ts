import { type Mutant, mutantsOf } from './mutant.js';

/** The record of which issuer a database belongs to. */
export const ISSUERS: readonly Mutant[] = mutantsOf(
  'storage/other/issuers.ts',
  ['storage/issuers.test.ts'],
  [
    {
      breaks: 'no second issuer takes what the first one has issued (RFC 9700 §4.4)',
      from: 'if (recorded === null || !isAnotherIssuer(recorded, issuer)) return;',
      to: 'if (recorded === null || isAnotherIssuer(recorded, issuer)) return;',
    },
    {
      breaks: 'of two issuers that start at the same moment, one is refused',
      from: 'return (await find()) ?? issuer;',
      to: 'return issuer;',
      lives: 'the command itself resolves to what is recorded, unless the database tells of a duplicate key',
    },
    {
      breaks: 'a loopback issuer does not start on the database of a public one',
      from: '!(isOnLoopback(recorded) && isOnLoopback(issuer))',
      to: '!isOnLoopback(issuer)',
    },
    {
      breaks: 'only who knows the recorded issuer renames it',
      from: '{ _id: ID, issuer: from }, { $set',
      to: '{ _id: ID }, { $set',
    },
  ],
);
