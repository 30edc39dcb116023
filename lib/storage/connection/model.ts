import type { Connection, Model, Mongoose, Schema } from 'mongoose';

import type { ExtendSchema } from '../../settings/options/schema-options.js';
import { optionError } from '../../settings/table/parse-options.js';

/** A collection: its name, that of its model, and what is in it. */
export interface CollectionDefinition<T> {
  readonly model: string;
  readonly name: string;
  /** The public function and its option with which a site adds fields. */
  readonly extendedBy?: readonly [functionName: string, option: string];
  /** The people in its documents. A test finds the paths that are missing here (test/people/account-end.test.ts). */
  readonly people?: {
    readonly paths: Readonly<Record<string, PersonPath>>;
    /** The paths that `people.export` gives to a person: no hash, and nothing about others. */
    readonly exported: string;
  };
  /** Made with the Mongoose of the site's connection, so that its plugins and settings apply. */
  readonly schema: (mongoose: Mongoose) => Schema<T>;
}

/** A path of a document at which the id of a person is stored. */
export interface PersonPath {
  /** What the person is to the document. */
  readonly person: 'subject' | 'owner' | 'invited' | 'actor';
  /**
   * What happens if the account ends: the document is deleted, a pseudonym replaces the id, or an operation of its own
   * changes the document.
   */
  readonly atEnd: 'delete' | 'replace' | 'operation';
  /** Whether the path is a list of ids. */
  readonly isList?: true;
  /** Other paths that go with the id. */
  readonly with?: readonly string[];
  /** The form of a text in which the id may be. Default: the value is the id. */
  readonly text?: 'json' | 'form';
  /** The documents in whose text it is looked for. Default: all. */
  readonly where?: (document: Readonly<Record<string, unknown>>) => boolean;
}

/** What a model was made with. */
interface ModelHandle {
  readonly extend: ExtendSchema | undefined;
  /** The names of the fields that are not ours: from the site's function, or from a plugin of its Mongoose. */
  readonly customFields: readonly string[];
}

const handles = new WeakMap<object, ModelHandle>();

/**
 * The model on a connection, the same for all who ask. Its schema takes Mongoose a millisecond, so importing the
 * package makes none.
 *
 * @throws TypeError if the site has its own model of this name, if ours exists already with other fields of the site,
 * or if the site changes a field of ours
 */
export function modelOf<T>(
  connection: Connection,
  { model: modelName, name, extendedBy = ['', ''], schema: schemaBy }: CollectionDefinition<T>,
  extend?: ExtendSchema,
): Model<T> {
  const known = connection.models[modelName] as Model<T> | undefined;
  if (known !== undefined) {
    if (!handles.has(known)) checkOwn<T>(known, schemaBy(connection.base), name, extendedBy[0]);
    if (handles.get(known)?.extend !== extend)
      throw optionError(
        ...extendedBy,
        `there is a model of ${name} on this connection already, with other fields; give all that are on one connection the same function, the first as well`,
      );
    return known;
  }
  const schema = schemaBy(connection.base);
  const own = new Map(Object.entries(schema.paths));
  extend?.(schema);
  const changed = [...own].find(([path, type]) => schema.paths[path] !== type);
  if (changed !== undefined)
    throw optionError(...extendedBy, `the field ${changed[0]} of ${name} is ours; add fields of other names`);
  const model = connection.model<T>(modelName, schema, name);
  const names = Object.keys(model.schema.paths).filter((path) => !own.has(path));
  handles.set(model, {
    extend,
    customFields: [...new Set(names.map((path) => path.replace(/\..*/, '')))],
  });
  return model;
}

/**
 * With the site's own model of the same name, our documents would go into a collection of the site. A model that
 * another copy of this package has made is ours.
 */
function checkOwn<T>(known: Model<T>, { paths }: Schema<T>, name: string, functionName: string): void {
  const isOwn =
    known.collection.name === name && Object.keys(paths).every((path) => path in known.schema.paths);
  if (isOwn) return;
  throw optionError(
    functionName || 'authorizationServer',
    'connection',
    `it has a model ${known.modelName} of its own, in the collection ${known.collection.name}; give that model another name, or give us another connection, such as mongoose.createConnection(uri)`,
  );
}

export function customFieldsOf(model: object): readonly string[] {
  return handles.get(model)?.customFields ?? [];
}
