import { z } from 'zod';

/** The row of an operation. Its parameters and the members of its JSON body are the input. */
export function rowOf({ description, parameters = [], requestBody }) {
  const body = requestBody?.content['application/json'].schema ?? {};
  const input = z.fromJSONSchema({
    type: 'object',
    properties: {
      ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
      ...body.properties,
    },
    required: [
      ...parameters.filter(({ required }) => required).map(({ name }) => name),
      ...(body.required ?? []),
    ],
  });
  return { description, input };
}
// operations.add_photo = { ...rowOf(document.paths['/api/photos'].post), scopes: ['photos:write'], annotations, run }
