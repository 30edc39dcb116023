import type { ChoiceSettings, GrantedChoiceContext } from '../../settings/options/choice-options.js';
import type { Settings } from '../../settings/settings.js';
import { type OAuthError, unexpectedCondition } from '../../shared/errors.js';
import type { GrantConstraints } from './selections.js';

/**
 * The name of a choice that the user may no longer give, such as a workspace that they have left. Undefined if all
 * hold, or if the client acts for itself.
 */
export async function findLostChoice(
  {
    clientId,
    authorization,
  }: { readonly clientId: string; readonly authorization: GrantConstraints & { readonly userId?: string } },
  settings: Pick<Settings, 'choices' | 'authorizationDetails'>,
): Promise<string | undefined> {
  const { userId, choices = {}, authorizationDetails = [] } = authorization;
  if (userId === undefined) return undefined;
  const selected = [
    ...selectedIn(choices, settings.choices),
    ...authorizationDetails.flatMap((detail) =>
      selectedIn(detail, settings.authorizationDetails.get(detail.type)?.choices ?? new Map()),
    ),
  ];
  for (const { name, value, choice } of selected)
    if (!(await isOffered(name, value, choice, { userId, clientId }))) return name;
  return undefined;
}

function selectedIn(values: Readonly<Record<string, unknown>>, choices: ReadonlyMap<string, ChoiceSettings>) {
  return [...choices].flatMap(([name, choice]) =>
    [values[name] ?? []].flat().map((value) => ({ name, value: value as string | number, choice })),
  );
}

async function isOffered(
  name: string,
  value: string | number,
  { holds }: ChoiceSettings,
  whose: GrantedChoiceContext,
): Promise<boolean> {
  if (holds === undefined) return true;
  let isStillOffered: unknown;
  try {
    isStillOffered = await holds(value, whose);
  } catch (cause) {
    // nobody loses anything because the site's database was down
    throw holdsFailure(name, 'it threw', cause);
  }
  // and nobody gains anything from a look-up that found nothing
  if (typeof isStillOffered !== 'boolean') throw holdsFailure(name, 'it gave neither true nor false');
  return isStillOffered;
}

function holdsFailure(name: string, what: string, cause?: unknown): OAuthError {
  return unexpectedCondition(`holds of the choice ${name}: ${what}`, cause);
}
