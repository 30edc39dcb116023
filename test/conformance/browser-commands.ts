import { OTHER_PERSON, PASSWORD, PERSON } from './people.js';
import type { BrowserEntry, BrowserTask, HostContext } from './profile.js';

/*
 * The actions of the suite's browser on the pages of the host. Every page of an authorization has the address of the
 * authorization endpoint: the question for a new login, the consent page and the error page. So a click on a part of
 * only one of them is optional, and the tasks stand in the possible order of the pages.
 */

/** Seconds. */
const PATIENCE = 10;
const ANYTHING = '//*';
/** A regular expression: only a wait with one takes a picture. */
const ANY_TEXT = '.*';
/** The text of the suite's page when it has read the answer. */
const COMPLETE = ['wait', 'id', 'submission_complete', PATIENCE] as const;
/** Makes the page the picture of a module, or is skipped if the module wants none. */
const PICTURE = 'update-image-placeholder-optional';
/** The same, and the module fails if it wants none. */
const NEEDED_PICTURE = 'update-image-placeholder';

const authorizationPage = (issuer: string) => `${issuer}/oauth/authorize*`;
const endSessionPage = (issuer: string) => `${issuer}/oauth/end_session*`;
const loginPage = (issuer: string) => `${issuer}/login*`;

function logIn(issuer: string, person: string = PERSON): BrowserTask {
  return {
    task: 'Log in',
    match: loginPage(issuer),
    optional: true,
    commands: [
      ['text', 'id', 'username', person],
      ['text', 'id', 'password', PASSWORD],
      ['click', 'id', 'login-submit'],
    ],
  };
}

const allow = (issuer: string): BrowserTask => ({
  task: 'Allow, if that is the question',
  match: authorizationPage(issuer),
  optional: true,
  commands: [['click', 'id', 'consent-allow', 'optional']],
});

/** The suite's browser cannot run the script of the page, which is newer than it. */
const sendForm = (issuer: string): BrowserTask => ({
  task: 'Send the answer, if it is a form',
  match: authorizationPage(issuer),
  optional: true,
  commands: [['click', 'id', 'form-post-submit', 'optional']],
});

const errorPage = (issuer: string): BrowserTask => ({
  task: 'Picture of the error page, if there is one',
  match: authorizationPage(issuer),
  optional: true,
  commands: [['wait', 'xpath', ANYTHING, PATIENCE, 'app is invalid|request is over', PICTURE]],
});

/** Not any address with the path of the suite: the redirect URI is also in that of the authorization page. */
const back = (suiteUrl: string): BrowserTask => ({
  task: 'Back at the suite, unless there was an error page',
  match: `${suiteUrl}/*`,
  optional: true,
  commands: [COMPLETE],
});

type Addresses = Pick<HostContext, 'issuer' | 'suiteUrl'>;

/** Logs in and allows; stays on an error page. */
export const authorize = ({ issuer, suiteUrl }: Addresses): BrowserEntry => ({
  match: authorizationPage(issuer),
  tasks: [logIn(issuer), allow(issuer), sendForm(issuer), errorPage(issuer), back(suiteUrl)],
});

/** The first time as usual; the second time the page for a new login is the picture. */
export const authorizeAndLogInAgain = ({ issuer, suiteUrl }: Addresses): readonly BrowserEntry[] => [
  { ...authorize({ issuer, suiteUrl }), 'match-limit': 1 },
  {
    match: authorizationPage(issuer),
    tasks: [
      {
        task: 'Picture of the page that asks to log in again',
        match: authorizationPage(issuer),
        commands: [
          ['wait', 'id', 'account-switch', PATIENCE, ANY_TEXT, NEEDED_PICTURE],
          ['click', 'id', 'account-switch'],
        ],
      },
      logIn(issuer),
      allow(issuer),
      sendForm(issuer),
      back(suiteUrl),
    ],
  },
];

/** Logs in, and stays on the consent page, which is the picture. */
export const showConsent = ({ issuer }: Addresses): readonly BrowserEntry[] => [
  {
    match: authorizationPage(issuer),
    tasks: [
      logIn(issuer),
      {
        task: 'Picture of the consent page',
        match: authorizationPage(issuer),
        commands: [['wait', 'id', 'consent-allow', PATIENCE, ANY_TEXT, NEEDED_PICTURE]],
      },
    ],
  },
];

/** A user who never allows anything: consents stay stored from module to module, and nobody is asked twice. */
export const deny = ({ issuer, suiteUrl }: Addresses): readonly BrowserEntry[] => [
  {
    match: authorizationPage(issuer),
    tasks: [
      logIn(issuer, OTHER_PERSON),
      { task: 'Deny', match: authorizationPage(issuer), commands: [['click', 'id', 'consent-deny']] },
      sendForm(issuer),
      back(suiteUrl),
    ],
  },
];

/** Only looks at the login page the first time. */
export const arriveTwice = ({ issuer, suiteUrl }: Addresses): readonly BrowserEntry[] => [
  {
    match: authorizationPage(issuer),
    'match-limit': 1,
    tasks: [{ task: 'Look at the login page', match: loginPage(issuer) }],
  },
  authorize({ issuer, suiteUrl }),
];

/** Answers the question of the logout; the confirmation page, or an error, is the picture. */
export const logOut = ({ issuer, suiteUrl }: Addresses): BrowserEntry => ({
  match: endSessionPage(issuer),
  tasks: [
    {
      task: 'Log out, if that is the question',
      match: endSessionPage(issuer),
      optional: true,
      commands: [['click', 'id', 'end-session-yes', 'optional']],
    },
    {
      task: 'Picture of the last page',
      match: `${issuer}/*`,
      optional: true,
      commands: [['wait', 'xpath', ANYTHING, PATIENCE, 'You are logged out|app is invalid', PICTURE]],
    },
    // the page there has nothing to wait for
    { task: 'Back at the suite, unless this was the last page', match: `${suiteUrl}/*`, optional: true },
  ],
});
