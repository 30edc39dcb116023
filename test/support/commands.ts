import type { TestDatabase } from './database.js';

interface CommandStarted {
  readonly commandName: string;
  readonly command: Readonly<Record<string, unknown>>;
}

/** A change stream asks again and again; it belongs to no request. */
function isOfChangeStream(name: string, { pipeline, collection }: CommandStarted['command']): boolean {
  const [first] = Array.isArray(pipeline) ? (pipeline as object[]) : [];
  return (first !== undefined && '$changeStream' in first) || (name === 'getMore' && collection === 'oauth_clients');
}

/** The commands that go to the database while something is done, as `find oauth_clients`, in their order. */
export async function commandsDuring({ connection }: Pick<TestDatabase, 'connection'>, work: () => PromiseLike<unknown>): Promise<string[]> {
  const commands: string[] = [];
  const note = ({ commandName, command }: CommandStarted) => {
    if (!isOfChangeStream(commandName, command)) commands.push(`${commandName} ${String(command[commandName])}`);
  };
  const client = connection.getClient();
  client.on('commandStarted', note);
  try {
    await work();
  } finally {
    client.off('commandStarted', note);
  }
  return commands;
}
