import type { Client } from '../clients/client.js';

/** Whether there is a way to tell a client that somebody has logged out. */
export function hearsOfLogout({ backchannelLogoutUri, frontchannelLogoutUri }: Client): boolean {
  return backchannelLogoutUri !== undefined || frontchannelLogoutUri !== undefined;
}
