import type { TestDatabase } from './database.js';

interface CommandStarted {
  readonly commandName: string;
  readonly command: Readonly<Record<string, unknown>>;
}

/** A command to the database, whole. */
export interface RecordedCommand {
  readonly name: string;
  /** What it is about, usually a collection. */
  readonly collection: string;
  readonly command: Readonly<Record<string, unknown>>;
}

/** The collections that have change streams, and no other cursor of several batches. */
const HEARD = ['oauth_clients', 'oauth_grants', 'oauth_signing_keys'];

/** A change stream asks again and again; it belongs to no request. */
function isOfChangeStream(name: string, { pipeline, collection }: CommandStarted['command']): boolean {
  const [first] = Array.isArray(pipeline) ? (pipeline as object[]) : [];
  return (
    (first !== undefined && '$changeStream' in first) ||
    (name === 'getMore' && HEARD.includes(String(collection)))
  );
}

/** The commands that go to the database during some work, in order. */
export async function recordCommands(
  { connection }: Pick<TestDatabase, 'connection'>,
  work: () => PromiseLike<unknown>,
): Promise<RecordedCommand[]> {
  const commands: RecordedCommand[] = [];
  const note = ({ commandName, command }: CommandStarted) => {
    if (!isOfChangeStream(commandName, command))
      commands.push({ name: commandName, collection: String(command[commandName]), command });
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

/** The same, as `find oauth_clients`. */
export async function commandsDuring(
  database: Pick<TestDatabase, 'connection'>,
  work: () => PromiseLike<unknown>,
): Promise<string[]> {
  return (await recordCommands(database, work)).map(({ name, collection }) => `${name} ${collection}`);
}
