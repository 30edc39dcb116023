import type { TestDatabase } from './database.js';

interface CommandStarted {
  readonly commandName: string;
  readonly command: Readonly<Record<string, unknown>>;
}

/** The commands that go to the database while something is done, as `find oauth_clients`, in their order. */
export async function commandsDuring({ connection }: Pick<TestDatabase, 'connection'>, work: () => PromiseLike<unknown>): Promise<string[]> {
  const commands: string[] = [];
  const note = ({ commandName, command }: CommandStarted) => void commands.push(`${commandName} ${String(command[commandName])}`);
  const client = connection.getClient();
  client.on('commandStarted', note);
  try {
    await work();
  } finally {
    client.off('commandStarted', note);
  }
  return commands;
}
