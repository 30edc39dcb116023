import type { Io } from '../io.js';
import { paint, print, printJson } from '../output.js';

interface Step {
  readonly what: string;
  /** Commands of `npx express-authorization-server`. */
  readonly commands?: readonly string[];
  /** The effect on users. */
  readonly notice: string;
}

const AUDIT: Step = {
  what: 'See what was done with it. In the EU the authority has to hear of it within 72 hours (Art. 33 GDPR), and users in some cases as well (Art. 34)',
  commands: ['audit export --since <time>'],
  notice: 'nothing',
};
const STATELESS =
  'Tokens of a resource with stateless: true are stored nowhere: they work until they expire, 300 seconds unless accessTokenTtl says otherwise';

/** The steps after an incident, in order: first those that stop the thief, then those that clean up. */
const INCIDENTS: Readonly<Record<string, readonly Step[]>> = {
  // tokens and secrets are stored as hashes: only weak secrets can be guessed, and encrypted values need their key
  backup: [
    {
      what: 'If a secret of your options leaked as well: stop all processes, revoke each key, start with a new encryptionSecret, and write secretKey: [new, old]',
      commands: ['keys list', 'keys revoke <kid>'],
      notice:
        'JWTs are refused, and clients refresh; bearerGuard takes up to twelve minutes. The audit uses other pseudonyms, and receivers of shared signals by push have to set their authorization header again.',
    },
    {
      what: 'End what was granted before the copy was made',
      commands: [
        'grants revoke --issued-before <time of the copy> --dry-run',
        'grants revoke --issued-before <time of the copy>',
      ],
      notice:
        'Apps and devices ask their users once more, trusted apps do so silently; personal and service tokens have to be made again.',
    },
    {
      what: 'Replace the secrets of clients that somebody has chosen, and, if secretKey leaked, those of client_secret_jwt; then take the old secretKey out',
      commands: ['clients rotate-secret <id> --overlap 0'],
      notice: 'The client gets nothing until it has the new secret.',
    },
    {
      what: 'Have users of createUsers change passwords that are weak, or used elsewhere as well',
      notice: 'Your site asks for a new password.',
    },
    AUDIT,
  ],
  'signing-key': [
    {
      what: 'Revoke the key. If it is one of the option signingKeys.keys, take it out there, and restart all processes',
      commands: ['keys revoke <kid>'],
      notice:
        'The site refuses what it signed within a minute, bearerGuard within twelve. Clients refresh; sites that sign users in may ask for a login.',
    },
    {
      what: 'If encryptionSecret leaked: stop all processes, revoke the other keys as well, and start with a new one',
      commands: ['keys list', 'keys revoke <kid>'],
      notice:
        'The same. The audit uses other pseudonyms, and receivers of shared signals by push have to set their authorization header again.',
    },
    {
      what: 'Restart APIs that check JWTs with other libraries: they trust the key as long as they cache it',
      notice: 'nothing',
    },
    AUDIT,
  ],
  'client-secret': [
    {
      what: 'Make the old secret useless at once',
      commands: ['clients rotate-secret <id> --overlap 0'],
      notice: 'The client gets nothing until it has the new secret.',
    },
    {
      what: `End what the thief may have got by it. ${STATELESS}`,
      commands: ['grants revoke --client <id>'],
      notice: 'The users of this client are asked once more.',
    },
    {
      what: 'See whether its redirect URIs and its owners are the right ones',
      commands: ['clients show <id>'],
      notice: 'nothing',
    },
    { ...AUDIT, commands: ['audit export --client <id> --since <time>'] },
  ],
  account: [
    {
      what: 'Take the login back: a new password and second factor, and no session of your site left. oauth.sessions.end({ userId }) logs the user out at clients with a backchannelLogoutUri',
      notice:
        'The user logs in again here, and at those clients. At other clients the thief stays logged in.',
    },
    {
      what: 'End all tokens of the user, and forget what the thief has allowed',
      commands: ['grants revoke --user <id>'],
      notice: 'All apps, devices and programs of the user lose access, and ask again.',
    },
    {
      what: 'Replace or end the service tokens that the user looks after',
      commands: [
        'access-tokens list --owner <user>',
        'access-tokens rotate <token> --overlap 0',
        'access-tokens revoke <token>',
      ],
      notice: 'Programs need the new value.',
    },
    {
      what: 'Look at the applications of the user (the dry run names them): redirect URIs, owners, secrets. Block those in doubt',
      commands: ['people end <user> --dry-run', 'clients show <id>', 'clients block <id>'],
      notice: 'A blocked application gets nothing, and loses nothing.',
    },
    { ...AUDIT, commands: ['audit export --user <id> --since <time>'] },
  ],
};

export const INCIDENT_NAMES = Object.keys(INCIDENTS);

/** Prints the steps after an incident, without any check. */
export function printIncident(io: Io, name: string, asJson: boolean): void {
  const steps = INCIDENTS[name] ?? [];
  if (asJson) return printJson(io, steps);
  steps.forEach(({ what, commands = [], notice }, index) => {
    const lines = commands.map((command) => paint(io, 'bold', `npx express-authorization-server ${command}`));
    print(io, [`${index + 1}. ${what}.`, ...lines, `People notice: ${notice}\n`].join('\n   '));
  });
}
