import { withoutPrompts } from '../prompt.js';
import type { RequestSource } from './request-source.js';

/** A request that is named by its parameters, in the query (RFC 6749 §4.1.1). */
export const querySource: RequestSource = {
  isNamed: () => true,
  read: (name) => ({
    parameters: name,
    nameAfter: (answered, isLoginAsked) => withoutPrompts(name, answered, isLoginAsked),
  }),
};
