import type { Settings } from '../../settings/settings.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { listField } from '../http/form-fields.js';

type DetailRules = Pick<Settings, 'authorizationDetails'>;

/** What the form of a consent page says about the details that were asked for. */
export interface DetailTicks {
  /** How many were asked for. */
  readonly requestedCount: number;
  /** The places of those that are allowed, including those that cannot be left out. */
  readonly tickedIndexes: readonly number[];
  /** Whether one of those that were asked for can do harm. */
  readonly hasHighRisk: boolean;
}

/** @throws OAuthError invalid_request if a field is nested */
export function readTicks(
  form: unknown,
  details: readonly AuthorizationDetail[],
  settings: DetailRules,
): DetailTicks {
  const sent = listField(form, 'detail');
  return {
    requestedCount: details.length,
    tickedIndexes: [...details.keys()].filter(
      (index) => !isOptionalDetail(settings, details[index]) || sent.includes(String(index)),
    ),
    hasHighRisk: details.some((detail) => isHighRiskDetail(settings, detail)),
  };
}

/** Whether a user may leave the detail out and still allow the rest. */
export function isOptionalDetail(
  { authorizationDetails: types }: DetailRules,
  detail: AuthorizationDetail | undefined,
): boolean {
  return types.get(detail?.type ?? '')?.optional !== false;
}

/** Whether the site says that it can do harm. */
export function isHighRiskDetail(
  { authorizationDetails: types }: DetailRules,
  detail: AuthorizationDetail | undefined,
): boolean {
  return types.get(detail?.type ?? '')?.risk === 'high';
}

/** The details at these places: those, of all that were asked for, that a user has decided on. */
export function detailsAtIndexes(
  details: readonly AuthorizationDetail[],
  indexes: readonly number[] = [],
): readonly AuthorizationDetail[] {
  return details.filter((_detail, index) => indexes.includes(index));
}
