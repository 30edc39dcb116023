import type { ClientInfo } from '../core/clients/registry/client-info.js';
import { withoutUndefined } from '../shared/without-undefined.js';
import type { Known } from './client-checks.js';
import { printedFields } from './client-flags.js';
import { formatDate, formatRecord, paint, printAnswer } from './output.js';

/** Prints a client for users, or as JSON, with a new secret only in this output. */
export function printClient(
  { io, fields }: Known,
  { clientSecret, ...client }: ClientInfo & { readonly clientSecret?: string },
  { json, isSecretNew = false }: { json: boolean | undefined; isSecretNew?: boolean },
): void {
  const newSecret = isSecretNew ? clientSecret : undefined;
  const { awaitsApprovalSince, blocked } = client;
  const secrets = client.secrets.map(({ createdAt, expiresAt, ending, lastUsedOn }) =>
    [
      `of ${formatDate(createdAt)}`,
      expiresAt && `until ${formatDate(expiresAt)}`,
      ending !== undefined && `ending in ${ending}`,
      lastUsedOn === undefined
        ? `(${ending === undefined ? 'last use unknown' : 'not used yet'})`
        : `(last used on ${lastUsedOn.toISOString().slice(0, 10)})`,
    ]
      .filter(Boolean)
      .join(' '),
  );
  const record = formatRecord(io, {
    'client id': client.clientId,
    'client secret': newSecret,
    ...printedFields(client, fields),
    // whether the site has verified the client, as the consent page shows
    verified: client.verified === true ? 'yes' : client.trusted ? 'yes, as it is trusted' : 'no',
    'waits for approval':
      awaitsApprovalSince && `since ${formatDate(awaitsApprovalSince)}: only its owner can authorize it`,
    'changed since approved or verified': client.changedSinceReview?.join(' '),
    invited: client.invitations
      ?.map(({ typed, expiresAt }) => `${typed} until ${formatDate(expiresAt)}`)
      .join(', '),
    blocked:
      blocked &&
      `since ${formatDate(blocked.at)}${blocked.reason === undefined ? '' : `: ${blocked.reason}`}`,
    'registered by':
      client.selfRegistered === true ? 'itself (RFC 7591): what it says of itself is unchecked' : undefined,
    created: formatDate(client.createdAt),
    secrets: secrets.join(', ') || undefined,
  });
  const value = withoutUndefined({ ...client, clientSecret: newSecret });
  printAnswer(io, { json: json === true }, value, record);
  if (newSecret !== undefined)
    io.stderr.write(
      paint(io, 'yellow', 'Keep the secret now: it is stored as a hash and cannot be shown again.\n'),
    );
}
