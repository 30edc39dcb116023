import { type Command, Option } from 'commander';

import { createClientService } from '../core/clients/registry/client-service.js';
import { createPeople, type RunningPeople } from '../core/people/people-registry.js';
import { allClientFields, type BuiltIn } from '../features.js';
import { resolveServerSecret } from '../settings/server-secret.js';
import { usernameKey } from '../shared/protocol/username-key.js';
import { COLLECTIONS } from '../storage/collections.js';
import { addCommand, type CommandDatabase, type DatabaseOptions, useDatabase } from './database.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { note, printJson, printList, withProgress } from './output.js';
import { confirm } from './prompt.js';

interface EndOptions extends DatabaseOptions {
  readonly applications: 'block' | 'delete';
  readonly transferTo?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

interface Account {
  readonly people: RunningPeople;
  readonly id: string;
  readonly emit: CommandDatabase['emit'];
}

/** After `addUsers`, whose command gets two more. */
export function addPeople(program: Command, io: Io, builtIn: BuiltIn): void {
  const people = program.command('people').description('accounts of users, whoever keeps the users');
  const users = program.commands.find((command) => command.name() === 'users');
  for (const [parent, argument, verb, description] of [
    [
      people,
      '<user-id>',
      'end',
      'ends the account of a user: tokens, consents, applications; clients hear of no logout; KEY_SECRET is the site’s signingKeys.encryptionSecret',
    ],
    [
      users,
      '<user-id-or-name>',
      'delete',
      'deletes a user of createUsers, and ends the account as people end does',
    ],
  ] as const) {
    if (parent === undefined) continue;
    const withUser = parent === users;
    const act = (options: DatabaseOptions, given: string, work: (account: Account) => Promise<void>) =>
      useDatabase(io, { ...options, clientFields: allClientFields(builtIn) }, async (database) => {
        const users = database.connection.collection<{ _id: string }>(COLLECTIONS.User.name);
        // whoever is no user any more may have left something
        const isName = withUser && (await users.findOne({ _id: given })) === null;
        const found = isName ? await users.findOne({ usernameKey: usernameKey(given) }) : null;
        const id = found?._id ?? given;
        if (found !== null) note(io, `the id of ${given} is ${id}`);
        const account = { people: peopleOf(io, builtIn, database, withUser), id, emit: database.emit };
        await work(account).finally(() => account.people.close());
      });
    const nobody = (id: string) =>
      new CliError(
        `nothing is stored about '${id}'`,
        withUser
          ? 'Give the id of a user of createUsers, or the user name: a user who is deleted already is found by the id alone.'
          : 'Give the id that people.id of the site returns for the user.',
        EXIT.finding,
      );
    addCommand(parent, `${verb} ${argument}`, description)
      .addOption(
        new Option('--applications <what>', 'applications that nobody else owns')
          .choices(['block', 'delete'])
          .default('block'),
      )
      .addOption(
        new Option(
          '--transfer-to <id>',
          'the user who gets these applications, and such service tokens',
        ).conflicts('applications'),
      )
      .option('--dry-run', 'only says what would be done')
      .option('--yes', 'does not ask')
      .action((given: string, options: EndOptions) =>
        act(options, given, (account) => end(io, account, options, { withUser, nobody })),
      );
    addCommand(parent, `export ${argument}`, 'writes as JSON what is stored about a user').action(
      (given: string, options: DatabaseOptions) =>
        act(options, given, async (account) => {
          const exported = await withProgress(io, 'reading', account.people.export(account.id));
          if (Object.values(exported.records).flat().length === 0) throw nobody(account.id);
          printJson(io, exported);
          note(
            io,
            'without fields that the site has added: oauth.people.export of the site gives those, too',
          );
        }),
    );
  }
}

async function end(
  io: Io,
  { people, id, emit }: Account,
  { applications, transferTo, dryRun, yes, json }: EndOptions,
  { withUser, nobody }: { readonly withUser: boolean; readonly nobody: (id: string) => CliError },
): Promise<void> {
  const how = { applications: transferTo === undefined ? applications : { transferTo } };
  const run = (given: object, label: string) =>
    withProgress(io, label, people.end(id, { ...how, ...given }, { withUser }));
  const listOf = (ended: Awaited<ReturnType<typeof run>>) =>
    [
      ...Object.entries(ended.applications).map(([fate, ids]) => [`applications ${fate}`, ids] as const),
      ...Object.entries(ended.serviceTokens).map(([fate, ids]) => [`service tokens ${fate}`, ids] as const),
      ...Object.entries(ended.documents),
    ].filter(([, ids]) => ids.length > 0);
  const report = (ended: Awaited<ReturnType<typeof run>>, asJson = false) =>
    asJson
      ? printJson(io, ended)
      : printList(io, {}, listOf(ended), {
          empty: 'Nothing more is stored about this user.',
          columns: {
            WHAT: ([what]) => what,
            COUNT: ([, ids]) => String(ids.length),
            IDS: ([, ids]) => `${ids.slice(0, 3).join(' ')}${ids.length > 3 ? ' …' : ''}`,
          },
        });

  if (!io.env.KEY_SECRET) note(io, 'without KEY_SECRET the audit gets another pseudonym than from the site');
  if (transferTo !== undefined && !withUser)
    note(io, `the command line does not know the users of the site: see that '${transferTo}' is one of them`);
  const planned = await run({ dryRun: true }, 'looking at the database');
  if (listOf(planned).length === 0) throw nobody(id);
  if (dryRun === true) return report(planned, json);
  if (yes !== true) {
    if (io.stdin.isTTY) report(planned);
    const question = `All of it ends. Type the id of the user to go on: `;
    await confirm(io, question, (answer) => answer === id);
  }
  const ended = await run({}, 'ending the account');
  report(ended, json);
  note(
    io,
    `run it again with the id ${id} in a minute, for requests that had begun before: with nothing left it exits with 1`,
  );
  const count = ended.documents.oauth_grants?.length ?? 0;
  await emit('account.ended', { userId: ended.pseudonym, count });
}

/** Clients are not told of the logout, and nobody hears the event: the site does that. */
function peopleOf(io: Io, builtIn: BuiltIn, { models }: CommandDatabase, withUser: boolean): RunningPeople {
  return createPeople({
    ...models,
    service: createClientService({
      models,
      limits: { scopes: [], grantTypes: [], methods: [] },
      secretOverlap: 0,
      defaultScopes: [],
      fields: allClientFields(builtIn),
    }),
    isUser: async (userId) => (withUser ? models.people.deleteUser(userId, true) : undefined),
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
