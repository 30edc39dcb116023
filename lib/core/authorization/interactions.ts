import { OAuthError } from '../../shared/errors.js';
import type { Form } from '../../shared/protocol/parameters.js';
import type {
  AuthenticatedContext,
  Interaction,
  InteractionContext,
  InteractionResult,
  RenderPrompt,
} from './interaction.js';

export function isAuthenticated(context: InteractionContext): context is AuthenticatedContext {
  return context.userId !== undefined;
}

/**
 * The page of the first interaction that is needed; undefined if the user has nothing left to do.
 *
 * @throws OAuthError if the client does not want users to be asked (OpenID Connect Core §3.1.2.6)
 */
export async function findFirstPage(
  interactions: readonly Interaction[],
  context: InteractionContext,
): Promise<RenderPrompt | undefined> {
  for (const interaction of interactions) {
    const page = await interaction.findPage(context);
    if (page === undefined) continue;
    if (!context.request.isSilent) return page;
    const { error, description, reason } = interaction.silentError;
    throw new OAuthError(error, description, {
      reason,
      detail:
        context.isUserHidden === true
          ? 'somebody is logged in who has allowed the client nothing'
          : `${interaction.name}: its page would have to be shown`,
    });
  }
  return undefined;
}

/**
 * The first page, if there must be one: nobody is logged in, or a form was rejected.
 *
 * @throws OAuthError as `findFirstPage`
 */
export async function requireFirstPage(
  interactions: readonly Interaction[],
  context: InteractionContext,
): Promise<RenderPrompt> {
  const page = await findFirstPage(interactions, context);
  if (page === undefined) throw new Error('no interaction asks for what is needed');
  return page;
}

/**
 * Hands a form to the interaction that it belongs to. If an earlier interaction still needs its page, the form is
 * rejected: nobody skips a prompt by sending the form of a later page (OpenID Connect Core §3.1.2.1).
 */
export async function submitForm(
  interactions: readonly Interaction[],
  context: AuthenticatedContext,
  form: Form,
): Promise<InteractionResult> {
  const index = interactions.findIndex((candidate) => candidate.isForm?.(form) === true);
  const result = (await interactions[index]?.submit?.(context, form)) ?? { kind: 'untrusted' };
  const goesOn = result.kind === 'decided' || result.kind === 'continue';
  if (!goesOn || !(await isPageNeeded(interactions.slice(0, index), context))) return result;
  return { kind: 'rejected', problem: 'outOfDate' };
}

async function isPageNeeded(
  interactions: readonly Interaction[],
  context: AuthenticatedContext,
): Promise<boolean> {
  for (const interaction of interactions)
    if ((await interaction.findPage({ ...context, isDeciding: true })) !== undefined) return true;
  return false;
}
