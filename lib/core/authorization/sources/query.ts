import type { Form } from '../../../shared/protocol/parameters.js';
import { withoutPrompts } from '../prompt.js';
import type { NamedRequest, RequestSource } from './request-source.js';

/** A request that is named by its parameters, in the query (RFC 6749 §4.1.1). */
export const querySource = {
  isNamed: () => true,
  read: (name: Form): NamedRequest => ({
    parameters: name,
    nameAfter: (answered, isLoginAsked) => withoutPrompts(name, answered, isLoginAsked),
  }),
} satisfies RequestSource;
