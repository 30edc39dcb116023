import type { Io } from '../io.js';
import { paint, print, printJson } from '../output.js';

interface Step {
  readonly what: string;
  /** What to run; the rest of `npx express-authorization-server`, unless it begins otherwise. */
  readonly command?: string;
  /** What people notice. */
  readonly notice: string;
}

const AUDIT: Step = {
  what: 'Look at what was done with it, and whom you have to tell (in the EU within 72 hours, Art. 33 GDPR)',
  command: 'audit export --since <time>',
  notice: 'nothing',
};

/** The steps after an incident, in their order: first what stops the thief, then what cleans up. */
const INCIDENTS: Readonly<Record<string, readonly Step[]>> = {
  // only hashes of tokens and secrets are in it; what a thief can use are weak secrets, and keys with their secret
  backup: [
    {
      what: 'If a secret of your options leaked as well (encryptionSecret, secretKey): stop all processes, revoke each key, and start with new secrets',
      command: 'keys list, then keys revoke <kid>',
      notice:
        'JWTs are refused, by bearerGuard within ten minutes; clients refresh. Silent logins ask again.',
    },
    {
      what: 'End what was granted before the copy was made',
      command: 'grants revoke --issued-before <time of the copy> --dry-run, then without --dry-run',
      notice: 'All apps ask their users once more; personal and service tokens have to be made again.',
    },
    {
      what: 'Replace the secrets of clients that somebody has chosen; random ones cannot be guessed from their hashes',
      command: 'clients rotate-secret <id> --overlap 0',
      notice: 'The client gets nothing until it has the new secret.',
    },
    {
      what: 'Have users of createUsers change their passwords, if they are weak or used elsewhere as well',
      notice: 'They are asked at their next login, as your site does it.',
    },
    AUDIT,
  ],
  'signing-key': [
    {
      what: 'Revoke the key; keys of the option signingKeys.keys: take it out, and restart all processes',
      command: 'keys revoke <kid>',
      notice:
        'What it signed is refused: by the site within a minute, by bearerGuard and other APIs once they fetch the keys again (ten minutes at most for bearerGuard). Clients refresh; ID tokens are no hints any more.',
    },
    {
      what: 'If the secret that encrypts the keys leaked: stop all processes, revoke the other keys as well, and start with a new encryptionSecret',
      command: 'keys list, then keys revoke <kid>',
      notice: 'as above',
    },
    {
      what: 'Restart APIs that check JWTs by other libraries, or fetch the keys anew there: they may trust the key as long as they cache it',
      notice: 'nothing',
    },
    AUDIT,
  ],
  'client-secret': [
    {
      what: 'Make the old secret useless at once',
      command: 'clients rotate-secret <id> --overlap 0',
      notice: 'The client gets nothing until it has the new secret.',
    },
    {
      what: 'End what the thief may have got by it',
      command: 'grants revoke --client <id>',
      notice: 'The users of this client are asked once more.',
    },
    {
      what: 'See that its redirect URIs and owners are still the right ones',
      command: 'clients show <id>',
      notice: 'nothing',
    },
    { ...AUDIT, command: 'audit export --client <id> --since <time>' },
  ],
  account: [
    {
      what: 'Take the login back: new password and second factor, all sessions of your site ended; oauth.sessions.end tells the clients',
      notice: 'The user logs in again, here and at the sites that sign users in by this one.',
    },
    {
      what: 'End all tokens of the user; what the thief allowed is forgotten',
      command: 'grants revoke --user <id>',
      notice: 'All apps, devices and programs of the user lose access, and ask again.',
    },
    {
      what: 'End or replace service tokens that the user looks after',
      command: 'access-tokens list --owner <id>, then access-tokens rotate <id> --overlap 0',
      notice: 'Programs need the new value.',
    },
    {
      what: 'Look at the applications of the user: redirect URIs, owners, secrets; block those in doubt',
      command: 'clients list, clients show <id>, clients block <id>',
      notice: 'A blocked application gets nothing, and loses nothing.',
    },
    { ...AUDIT, command: 'audit export --user <id> --since <time>' },
  ],
};

export const INCIDENT_NAMES = Object.keys(INCIDENTS);

/** Prints the steps after an incident; looks at nothing. */
export function printIncident(io: Io, name: string, asJson: boolean): void {
  const steps = INCIDENTS[name] ?? [];
  if (asJson) return printJson(io, steps);
  steps.forEach(({ what, command, notice }, index) => {
    const lines = [
      `${index + 1}. ${what}.`,
      command && paint(io, 'bold', `$ ${command}`),
      `People notice: ${notice}`,
    ];
    print(io, `${lines.filter(Boolean).join('\n   ')}\n`);
  });
  print(
    io,
    'Each command is one of npx express-authorization-server. docs/security.md says what each case means.',
  );
}
