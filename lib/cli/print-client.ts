import type { ClientField } from '../core/clients/client-field.js';
import type { ClientInfo, SecretInfo } from '../core/clients/registry/client-info.js';
import type { ClientWithSecret } from '../core/clients/registry/client-registry.js';
import { withoutUndefined } from '../shared/without-undefined.js';
import { printedFields } from './client-flags.js';
import type { Io } from './io.js';
import { formatDate, formatRecord, paint, print, printJson } from './output.js';

/** Where clients are printed to, and their fields. */
interface Printing {
  readonly io: Io;
  readonly fields: readonly ClientField[];
}

/** Prints a client for users, or as JSON, with a secret that was just made, this once. */
export function printClient(
  { io, fields }: Printing,
  { clientSecret, ...client }: ClientInfo & Pick<ClientWithSecret, 'clientSecret'>,
  { json, isSecretNew = false }: { json: boolean | undefined; isSecretNew?: boolean },
): void {
  const newSecret = isSecretNew ? clientSecret : undefined;
  if (json) printJson(io, withoutUndefined({ ...client, clientSecret: newSecret }));
  else printRecord({ io, fields }, client, newSecret);
  if (newSecret !== undefined)
    io.stderr.write(
      paint(io, 'yellow', 'Keep the secret now: it is stored as a hash and cannot be shown again.\n'),
    );
}

function printRecord({ io, fields }: Printing, client: ClientInfo, newSecret: string | undefined): void {
  print(
    io,
    formatRecord(io, {
      'client id': client.clientId,
      ...(newSecret !== undefined && { 'client secret': newSecret }),
      ...printedFields(client, fields),
      verified: verificationOf(client),
      'waits for approval':
        client.awaitsApprovalSince &&
        `since ${formatDate(client.awaitsApprovalSince)}: only its owner can authorize it`,
      'changed since approved or verified': client.changedSinceReview?.join(' '),
      invited: client.invitations
        ?.map(({ typed, expiresAt }) => `${typed} until ${formatDate(expiresAt)}`)
        .join(', '),
      blocked: client.blocked && blockOf(client.blocked),
      ...(client.selfRegistered === true && {
        'registered by': 'itself (RFC 7591): what it says of itself is unchecked',
      }),
      created: formatDate(client.createdAt),
      secrets: client.secrets.map(formatSecret).join(', ') || undefined,
    }),
  );
}

function formatSecret({ createdAt, expiresAt, ending, lastUsedOn }: SecretInfo): string {
  const parts = [
    `of ${formatDate(createdAt)}`,
    ...(expiresAt ? [`until ${formatDate(expiresAt)}`] : []),
    ...(ending === undefined ? [] : [`ending in ${ending}`]),
    lastUsedOn === undefined
      ? `(${ending === undefined ? 'last use unknown' : 'not used yet'})`
      : `(last used on ${lastUsedOn.toISOString().slice(0, 10)})`,
  ];
  return parts.join(' ');
}

/** Whether somebody of this site has vouched for it, which the consent page goes by. */
function verificationOf({ verified, trusted }: ClientInfo): string {
  if (verified === true) return 'yes';
  return trusted ? 'yes, as it is trusted' : 'no';
}

function blockOf({ at, reason }: NonNullable<ClientInfo['blocked']>): string {
  return `since ${formatDate(at)}${reason === undefined ? '' : `: ${reason}`}`;
}
