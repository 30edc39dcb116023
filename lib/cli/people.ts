import { type Command, Option } from 'commander';

import { createClientService } from '../core/clients/registry/client-service.js';
import { createPeople, type EndedAccount, type RunningPeople } from '../core/people/people-registry.js';
import { allClientFields, type BuiltIn } from '../features.js';
import { resolveServerSecret } from '../settings/server-secret.js';
import { COLLECTIONS } from '../storage/collections.js';
import { addCommand, type CommandDatabase, type DatabaseOptions, useDatabase } from './database.js';
import type { Io } from './io.js';
import { note, printJson, printList, withProgress } from './output.js';
import { confirm } from './prompt.js';

interface EndOptions extends DatabaseOptions {
  readonly applications: 'block' | 'delete';
  readonly transferTo?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** After `addUsers`, whose command gets two more. */
export function addPeople(program: Command, io: Io, builtIn: BuiltIn): void {
  const people = program.command('people').description('accounts of users, whoever keeps the users');
  const users = program.commands.find((command) => command.name() === 'users');
  for (const [parent, usage, description] of [
    [
      people,
      'end <user-id>',
      'ends the account of a user: tokens, consents, applications; clients hear of no logout; KEY_SECRET is the site’s signingKeys.encryptionSecret',
    ],
    [users, 'delete <user-id>', 'deletes a user of createUsers, and ends the account as people end does'],
  ] as const) {
    if (parent === undefined) continue;
    addCommand(parent, usage, description)
      .addOption(
        new Option('--applications <what>', 'applications that nobody else owns')
          .choices(['block', 'delete'])
          .default('block'),
      )
      .option('--transfer-to <id>', 'the user who gets these applications, and such service tokens')
      .option('--dry-run', 'only says what would be done')
      .option('--yes', 'does not ask')
      .action((id: string, options: EndOptions) =>
        end(io, builtIn, id, { ...options, isOfUsers: parent === users }),
      );
    addCommand(parent, 'export <user-id>', 'writes as JSON what is stored about a user').action(
      (id: string, options: DatabaseOptions) =>
        useDatabase(io, { ...options, clientFields: allClientFields(builtIn) }, async (database) =>
          printJson(io, await withProgress(io, 'reading', peopleOf(io, builtIn, database).export(id))),
        ),
    );
  }
}

async function end(
  io: Io,
  builtIn: BuiltIn,
  id: string,
  options: EndOptions & { readonly isOfUsers: boolean },
): Promise<void> {
  const { applications, transferTo, dryRun, yes, isOfUsers } = options;
  await useDatabase(io, { ...options, clientFields: allClientFields(builtIn) }, async (database) => {
    const people = peopleOf(io, builtIn, database);
    if (!io.env.KEY_SECRET)
      note(io, 'without KEY_SECRET the audit gets another pseudonym than from the site');
    const users = database.connection.collection<{ _id: string }>(COLLECTIONS.User.name);
    const hasUser = isOfUsers && (await users.findOne({ _id: id })) !== null;
    const withUser = ({ documents, ...account }: EndedAccount): EndedAccount => ({
      ...account,
      documents: hasUser ? { ...documents, [COLLECTIONS.User.name]: [id] } : documents,
    });
    const how = { applications: transferTo === undefined ? applications : { transferTo } };
    const looking = people.end(id, { ...how, dryRun: true });
    const planned = await withProgress(io, 'looking at the database', looking);
    if (dryRun === true) return report(io, withUser(planned), options);
    if (yes !== true) {
      if (io.stdin.isTTY) report(io, withUser(planned), {});
      const question = `All of it ends. Type the id of the user to go on: `;
      await confirm(io, question, (answer) => answer === id);
    }
    if (isOfUsers) await users.deleteOne({ _id: id }, { writeConcern: { w: 'majority' } });
    const ended = await withProgress(io, 'ending the account', people.end(id, how));
    people.close();
    report(io, withUser(ended), options);
    note(io, 'run it again in a minute, for requests that had begun before');
    const count = ended.documents.oauth_grants?.length ?? 0;
    await database.emit('account.ended', { userId: ended.pseudonym, count });
  });
}

/** Clients are not told of the logout, and nobody hears the event: the site does that. */
function peopleOf(io: Io, builtIn: BuiltIn, { models }: CommandDatabase): RunningPeople {
  return createPeople({
    ...models,
    service: createClientService({
      models,
      limits: { scopes: [], grantTypes: [], methods: [] },
      secretOverlap: 0,
      defaultScopes: [],
      fields: allClientFields(builtIn),
    }),
    endSignIns: undefined,
    emit: () => undefined,
    flushAudit: () => Promise.resolve(),
    serverSecret: resolveServerSecret({
      signingKeys: { encryptionSecret: io.env.KEY_SECRET, keys: undefined },
      clientAuthentication: { secretKey: [] },
      issuer: 'http://localhost',
    }),
  });
}

function report(io: Io, ended: EndedAccount, { json }: DatabaseOptions): void {
  if (json) return printJson(io, ended);
  const lists = [
    ...Object.entries(ended.applications).map(([fate, ids]) => [`applications ${fate}`, ids] as const),
    ...Object.entries(ended.serviceTokens).map(([fate, ids]) => [`service tokens ${fate}`, ids] as const),
    ...Object.entries(ended.documents),
  ].filter(([, ids]) => ids.length > 0);
  printList(io, {}, lists, {
    empty: 'Nothing is stored about this user.',
    columns: {
      WHAT: ([what]) => what,
      COUNT: ([, ids]) => String(ids.length),
      IDS: ([, ids]) => `${ids.slice(0, 3).join(' ')}${ids.length > 3 ? ' …' : ''}`,
    },
  });
}
