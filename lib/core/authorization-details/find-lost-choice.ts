import type { ChoiceSettings, GrantedChoiceContext } from '../../settings/options/choice-options.js';
import type { Settings } from '../../settings/settings.js';
import { type OAuthError, unexpectedCondition } from '../../shared/errors.js';
import type { GrantConstraints } from './selections.js';

/**
 * The name of a choice that the user may no longer make, such as a workspace that they have left. Undefined if all
 * choices hold, or if the client acts for itself.
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
      selectedIn(detail, settings.authorizationDetails?.get(detail.type)?.choices ?? new Map()),
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
    // an outage of the site's database must not take anything away
    throw holdsFailure(name, 'it threw', cause);
  }
  // a look-up without a result must not allow anything
  if (typeof isStillOffered !== 'boolean') throw holdsFailure(name, 'it gave neither true nor false');
  return isStillOffered;
}

function holdsFailure(name: string, what: string, cause?: unknown): OAuthError {
  return unexpectedCondition(`holds of the choice ${name}: ${what}`, cause);
}
