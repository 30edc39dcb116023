import { OAuthError } from '../../shared/errors.js';
import type { Form } from '../../shared/protocol/parameters.js';
import type {
  AuthenticatedContext,
  Interaction,
  InteractionContext,
  InteractionResult,
  RenderPrompt,
} from './interaction.js';

/**
 * The page of the first interaction that is needed; undefined if the person has nothing left to do.
 *
 * @throws OAuthError if the client does not want people to be asked (OpenID Connect Core §3.1.2.6)
 */
export async function findFirstPage(
  interactions: readonly Interaction[],
  context: InteractionContext,
): Promise<RenderPrompt | undefined> {
  for (const interaction of interactions) {
    const page = await interaction.findPage(context);
    if (page === undefined) continue;
    const { error, description, reason } = interaction.refusal;
    if (context.request.prompt.has('none'))
      throw new OAuthError(error, description, {
        reason,
        detail:
          context.isHidden === true
            ? 'somebody is logged in who has allowed the client nothing'
            : `${interaction.name}: its page would have to be shown`,
      });
    return page;
  }
  return undefined;
}

/**
 * Hands a form to the interaction that it belongs to. A form that belongs to none proves nothing, and nor does one that
 * comes too early: nobody skips what the client wants done first by sending the form of a later page (OpenID Connect
 * Core §3.1.2.1).
 */
export async function submitForm(
  interactions: readonly Interaction[],
  context: AuthenticatedContext,
  form: Form,
): Promise<InteractionResult> {
  const place = interactions.findIndex((candidate) => candidate.isForm?.(form) === true);
  const answer = (await interactions[place]?.submit?.(context, form)) ?? { kind: 'foreign' };
  const goesOn = answer.kind === 'decided' || answer.kind === 'continue';
  if (!goesOn || !(await isPageNeeded(interactions.slice(0, place), context))) return answer;
  return { kind: 'again', problem: 'outOfDate' };
}

async function isPageNeeded(
  interactions: readonly Interaction[],
  context: AuthenticatedContext,
): Promise<boolean> {
  for (const interaction of interactions)
    if ((await interaction.findPage({ ...context, isDeciding: true })) !== undefined) return true;
  return false;
}
