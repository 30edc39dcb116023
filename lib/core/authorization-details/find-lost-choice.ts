import type { ChoiceSettings, HeldChoiceContext } from '../../settings/features/choice-options.js';
import type { Settings } from '../../settings/settings.js';
import { type OAuthError, unexpectedCondition } from '../../shared/errors.js';
import type { Bound } from './picks.js';

/**
 * The name of a choice that the person may no longer give, such as a workspace that they have left. Undefined if all
 * hold.
 */
export async function findLostChoice(
  { choices = {}, authorizationDetails = [] }: Bound,
  whose: HeldChoiceContext,
  settings: Pick<Settings, 'choices' | 'authorizationDetails'>,
): Promise<string | undefined> {
  const picked = [
    ...pickedIn(choices, settings.choices),
    ...authorizationDetails.flatMap((detail) =>
      pickedIn(detail, settings.authorizationDetails.get(detail.type)?.choices ?? new Map()),
    ),
  ];
  for (const { name, value, choice } of picked) if (!(await isHeld(name, value, choice, whose))) return name;
  return undefined;
}

interface Picked {
  readonly name: string;
  readonly value: string | number;
  readonly choice: ChoiceSettings;
}

function pickedIn(
  values: Readonly<Record<string, unknown>>,
  choices: ReadonlyMap<string, ChoiceSettings>,
): readonly Picked[] {
  return [...choices].flatMap(([name, choice]) =>
    [values[name] ?? []].flat().map((value) => ({ name, value: value as string | number, choice })),
  );
}

async function isHeld(
  name: string,
  value: string | number,
  { holds }: ChoiceSettings,
  whose: HeldChoiceContext,
): Promise<boolean> {
  if (holds === undefined) return true;
  let isHeldStill: unknown;
  try {
    isHeldStill = await holds(value, whose);
  } catch (cause) {
    // nobody loses anything because the host's database was down
    throw holdsFailure(name, 'it threw', cause);
  }
  // and nobody gains anything from a look-up that found nothing
  if (typeof isHeldStill !== 'boolean') throw holdsFailure(name, 'it gave neither true nor false');
  return isHeldStill;
}

function holdsFailure(name: string, what: string, cause?: unknown): OAuthError {
  return unexpectedCondition(`holds of the choice ${name}: ${what}`, cause);
}
