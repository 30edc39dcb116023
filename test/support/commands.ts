import type { TestDatabase } from './database.js';

interface CommandStarted {
  readonly commandName: string;
  readonly command: Readonly<Record<string, unknown>>;
}

/** A command to the database, whole. */
export interface RecordedCommand {
  readonly name: string;
  /** Its target, usually a collection. */
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

/** A worker that sends messages looks for those that are due again and again; it belongs to no request either. */
const isLook = ({ collection, command: { filter } }: RecordedCommand) =>
  collection === 'oauth_webhooks' && filter !== undefined && '$lte' in Object((filter as Filter).nextAt);

type Filter = Readonly<Record<string, unknown>>;

/** The same, as `find oauth_clients`, without what workers do by themselves. */
export async function commandsDuring(
  database: Pick<TestDatabase, 'connection'>,
  work: () => PromiseLike<unknown>,
): Promise<string[]> {
  const commands = await recordCommands(database, work);
  return commands.flatMap((each) => (isLook(each) ? [] : `${each.name} ${each.collection}`));
}
