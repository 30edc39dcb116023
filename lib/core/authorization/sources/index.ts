import type { Form } from '../../../shared/protocol/parameters.js';
import { querySource } from './query.js';
import type { RequestSource } from './request-source.js';

/** The first source of a feature that fits the name; if there is none, the query. */
export function findSource(sources: readonly RequestSource[], name: Form): RequestSource {
  return sources.find((source) => source.isNamed(name)) ?? querySource;
}
