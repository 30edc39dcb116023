import { type Command, Option } from 'commander';

import { createClientService } from '../core/clients/registry/client-service.js';
import { createPeople, type RunningPeople } from '../core/people/people-registry.js';
import { allClientFields, type BuiltIn } from '../features.js';
import { resolveServerSecret } from '../settings/server-secret.js';
import { usernameKey } from '../shared/protocol/username-key.js';
import { COLLECTIONS } from '../storage/collections.js';
import { addCommand, type CommandDatabase, type DatabaseOptions, useDatabase } from './database.js';
import { notFound } from './exit.js';
import type { Io } from './io.js';
import { note, printJson, printList, withProgress } from './output.js';
import { confirm } from './prompt.js';

interface EndOptions extends DatabaseOptions {
  readonly applications: 'block' | 'delete';
  readonly transferTo?: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** The accounts that the commands handle. */
interface Accounts {
  /** Whether they belong to `createUsers`, which `end` deletes as well. */
  readonly withUser: boolean;
  readonly argument: string;
  readonly end: readonly [verb: string, description: string];
  /** Advice if nothing is stored about a user. */
  readonly whoIsNot: string;
}

export function addPeople(program: Command, io: Io, builtIn: BuiltIn): void {
  const parent = program.command('people').description('accounts of users, whoever keeps the users');
  addAccountCommands(parent, io, builtIn, {
    withUser: false,
    argument: '<user-id>',
    end: [
      'end',
      'ends the account of a user: tokens, consents, applications; clients hear of no logout; KEY_SECRET is the site’s signingKeys.encryptionSecret',
    ],
    whoIsNot: 'Give the id that people.id of the site returns for the user.',
  });
}

/** The commands that end an account, and that export what is stored about its user. */
export function addAccountCommands(
  parent: Command,
  io: Io,
  builtIn: BuiltIn,
  { withUser, argument, end: [verb, description], whoIsNot }: Accounts,
): void {
  const fields = allClientFields(builtIn);
  const useAccount = (
    options: DatabaseOptions,
    idOrName: string,
    work: (people: RunningPeople, id: string, emit: CommandDatabase['emit']) => Promise<void>,
  ) =>
    useDatabase(io, { ...options, clientFields: fields }, async ({ connection, models, emit }) => {
      const users = connection.collection<{ _id: string }>(COLLECTIONS.User.name);
      // a deleted user may have left data
      const isName = withUser && (await users.findOne({ _id: idOrName })) === null;
      const user = isName ? await users.findOne({ usernameKey: usernameKey(idOrName) }) : null;
      if (user !== null) note(io, `the id of ${idOrName} is ${user._id}`);
      // without logout messages to clients and without listeners, which only the site has
      const people = createPeople({
        ...models,
        service: createClientService({
          models,
          limits: { scopes: [], grantTypes: [], methods: [] },
          defaultScopes: [],
          fields,
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
      await work(people, user?._id ?? idOrName, emit).finally(() => people.close());
    });
  const nobody = (id: string) => notFound(`nothing is stored about '${id}'`, whoIsNot);

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
    .action((idOrName: string, options: EndOptions) =>
      useAccount(options, idOrName, async (people, id, emit) => {
        const { transferTo, dryRun, yes, json } = options;
        const applications = transferTo === undefined ? options.applications : { transferTo };
        const run = (isDryRun: boolean, label: string) =>
          withProgress(io, label, people.end(id, { applications, dryRun: isDryRun }, { withUser }));
        const listOf = (ended: Awaited<ReturnType<typeof run>>) =>
          [
            ...Object.entries(ended.applications).map(
              ([fate, ids]) => [`applications ${fate}`, ids] as const,
            ),
            ...Object.entries(ended.serviceTokens).map(
              ([fate, ids]) => [`service tokens ${fate}`, ids] as const,
            ),
            ...Object.entries(ended.documents),
          ].filter(([, ids]) => ids.length > 0);
        const report = (ended: Awaited<ReturnType<typeof run>>, asJson = false) => {
          if (asJson) return printJson(io, ended);
          printList(io, {}, listOf(ended), {
            empty: 'Nothing more is stored about this user.',
            columns: {
              WHAT: ([what]) => what,
              COUNT: ([, ids]) => String(ids.length),
              IDS: ([, ids]) => `${ids.slice(0, 3).join(' ')}${ids.length > 3 ? ' …' : ''}`,
            },
          });
        };

        if (!io.env.KEY_SECRET)
          note(io, 'without KEY_SECRET the audit gets another pseudonym than from the site');
        if (transferTo !== undefined && !withUser)
          note(
            io,
            `the command line does not know the users of the site: see that '${transferTo}' is one of them`,
          );
        const planned = await run(true, 'looking at the database');
        if (listOf(planned).length === 0) throw nobody(id);
        if (dryRun) return report(planned, json);
        if (!yes) {
          if (io.stdin.isTTY) report(planned);
          const question = `All of it ends. Type the id of the user to go on: `;
          await confirm(io, question, (answer) => answer === id);
        }
        const ended = await run(false, 'ending the account');
        report(ended, json);
        note(
          io,
          `run it again with the id ${id} in a minute, for requests that had begun before: with nothing left it exits with 1`,
        );
        const count = ended.documents.oauth_grants?.length ?? 0;
        await emit('account.ended', { userId: ended.pseudonym, count });
      }),
    );
  addCommand(parent, `export ${argument}`, 'writes as JSON what is stored about a user').action(
    (idOrName: string, options: DatabaseOptions) =>
      useAccount(options, idOrName, async (people, id) => {
        const exported = await withProgress(io, 'reading', people.export(id));
        if (Object.values(exported.records).flat().length === 0) throw nobody(id);
        printJson(io, exported);
        note(io, 'without fields that the site has added: oauth.people.export of the site gives those, too');
      }),
  );
}
