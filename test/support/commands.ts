import type { Connection } from 'mongoose';

/** The names of the commands that are sent to the database while `work` runs; none of the driver's own (hello, endSessions). */
export async function countCommands(connection: Connection, work: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  const note = ({ commandName, command }: { commandName: string; command: Record<string, unknown> }) => {
    const on = command[commandName];
    if (typeof on === 'string' && on.startsWith('oauth_')) names.push(`${commandName} ${on}`);
  };
  const client = connection.getClient();
  client.on('commandStarted', note as never);
  try {
    await work();
  } finally {
    client.off('commandStarted', note as never);
  }
  return names;
}
