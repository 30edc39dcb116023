import { type Mutant, mutantsOf } from './mutant.js';

/** The record of which issuer a database belongs to, and what is shown only if it is on loopback. */
export const ISSUERS: readonly Mutant[] = [
  ...mutantsOf(
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
        lives:
          'the command itself resolves to what is recorded, unless the database tells of a duplicate key',
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
  ),
  ...mutantsOf(
    'pages/rendering/error-page.ts',
    ['server/error-detail.test.ts', 'server/first-minutes.test.ts'],
    [
      {
        breaks: 'the private half of an error is for the developer on loopback',
        from: 'detail: showsDetail() ? detailOf(error) : undefined,',
        to: 'detail: detailOf(error),',
      },
    ],
  ),
  ...mutantsOf(
    'pages/login/local-login.ts',
    ['server/error-detail.test.ts'],
    [
      {
        breaks: 'the bundled login shows it only if its server is on loopback',
        from: 'showsDetail: () => servicesOf(settings)?.isLoopback === true,',
        to: 'showsDetail: () => true,',
      },
      {
        breaks:
          'the bundled login does not claim that nobody is logged in where nothing has looked for the person',
        from: '    requireSession,\n',
        to: '',
      },
    ],
  ),
];
