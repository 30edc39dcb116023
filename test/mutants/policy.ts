import { type Mutant, mutantsOf } from './mutant.js';

const RULES = ['grants/policy.test.ts'];

/** The host's own rules, and who else may end what a person has allowed. */
export const POLICY: readonly Mutant[] = [
  ...mutantsOf('core/grants/policy.ts', RULES, [
    {
      breaks: 'a hook gives no scopes that were not asked for',
      from: 'if (!isSubset(answer.scopes, withImplied(question.scopes, impliedScopes)))',
      to: 'if (answer.scopes.length > 9)',
    },
    {
      breaks: 'with no scope left there is no token',
      from: 'if (answer.scopes.length === 0 && question.scopes.length > 0)',
      to: 'if (answer.scopes.length < 0)',
    },
    {
      breaks: 'an answer that cannot be understood lets nobody in',
      from: 'if (!isAnswer(answer))',
      to: 'if (answer === 0)',
    },
    {
      breaks: 'a refusal has a reason, and no scopes beside it',
      from: "return typeof refuse === 'string' && refuse !== '' && scopes === undefined;",
      to: 'return true;',
    },
    {
      breaks: 'a refresh is asked about by its own hook',
      from: "question.grantType === 'refresh_token' ? 'onRefresh' : 'onToken'",
      to: "question.grantType === 'refresh_token' ? 'onToken' : 'onToken'",
    },
  ]),
  ...mutantsOf('core/grants/client-quotas.ts', RULES, [
    {
      breaks: 'no more tokens an hour than the cap',
      from: 'if (tokens > max)',
      to: 'if (tokens > max + 1)',
    },
    {
      breaks: 'a user is not asked for one grant too many',
      from: 'if ((await count(max)) >= max) throw tooMany();',
      to: 'if ((await count(max)) > max) throw tooMany();',
    },
    {
      breaks: 'no more grants at once than the cap',
      from: '(insert, cap) => () => insertWithinLimit({ ...cap, insert, remove }),',
      to: '(insert) => insert,',
    },
  ]),
  ...mutantsOf('core/authorization/authorize.ts', RULES, [
    {
      breaks: 'the rules are asked again when the person has answered',
      from: 'const interaction = await applyPolicy(dependencies, { ...context, request, userId }).catch(',
      to: 'const interaction = await Promise.resolve<InteractionContext>({ ...context, request, userId }).catch(',
    },
  ]),
  ...mutantsOf('features/device/device-page.ts', RULES, [
    {
      breaks: 'the rules hold for devices',
      from: 'if (device.decision !== undefined) return { grant, device, client };',
      to: 'if (devicePage.decision !== null) return { grant, devicePage, client };',
    },
  ]),
];
