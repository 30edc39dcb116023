import type { Connection, IndexDefinition, IndexOptions, Model, Mongoose, Schema } from 'mongoose';

import type { ExtendSchema } from '../../settings/options/schema-options.js';
import { optionError } from '../../settings/table/parse-options.js';
import { OAuthError } from '../../shared/errors.js';

/** A collection: its name, the name of its model, and its fields. */
export interface CollectionDefinition<T> {
  readonly model: string;
  readonly name: string;
  /** The public function and its option by which a site adds fields. */
  readonly extendedBy?: readonly [functionName: string, option: string];
  /** The users in its documents. A test finds missing paths (test/people/account-end.test.ts). */
  readonly people?: {
    readonly paths: Readonly<Record<string, PersonPath>>;
    /** The paths in `people.export`: no hash, and nothing about other users. Default: the export has its own code. */
    readonly exported?: string;
    /** The name of the `_id` in `people.export`. Default: left out. */
    readonly id?: string;
  };
  /** Made with the Mongoose of the site's connection, so that its plugins and settings apply. */
  readonly schema: (mongoose: Mongoose) => Schema<T>;
}

/** A path of a document with the id of a user. */
export interface PersonPath {
  /** The user's relation to the document. */
  readonly person: 'subject' | 'owner' | 'invited' | 'actor';
  /**
   * What happens when the account ends: the document is deleted, a pseudonym replaces the id, or an operation of its
   * own changes the document.
   */
  readonly atEnd: 'delete' | 'replace' | 'operation';
  /** Whether the path is a list of ids. */
  readonly isList?: true;
  /** Other paths that are removed with the id. */
  readonly with?: readonly string[];
  /** The format of a text that may contain the id. Default: the value is the id. */
  readonly text?: 'json' | 'form';
  /** The documents whose text is searched. Default: all. */
  readonly where?: (document: Readonly<Record<string, unknown>>) => boolean;
}

/**
 * Reads from the primary and writes to the majority, whatever the site's connection string sets for its own data: every
 * process must see a used code or a revoked token, even after a failover.
 */
export const READ_PREFERENCE = 'primary';
export const READ_CONCERN = { level: 'local' } as const;
export const WRITE_CONCERN = { w: 'majority' } as const;

/** The format in which this release stores grants and clients. */
export const DOCUMENT_FORMAT = 1;

/** A document with the format in which it is stored. */
export interface Formatted {
  readonly documentFormat?: number;
}

/**
 * Refuses a document of a later release, which may have members with a meaning unknown here, such as that a token needs
 * a proof. During an update or a rollback, only the processes of that release use it.
 *
 * @throws OAuthError temporarily_unavailable (503)
 */
export function checkFormat(kind: string, { documentFormat = 1 }: Formatted): void {
  if (documentFormat <= DOCUMENT_FORMAT) return;
  throw new OAuthError('temporarily_unavailable', 'the service is being updated, please try again', {
    detail: `a ${kind} is stored in format ${documentFormat}, by a later release of express-authorization-server; this one knows ${DOCUMENT_FORMAT}: update this process`,
    headers: { 'Retry-After': '5' },
  });
}

/** A required field. A new object each time, because Mongoose changes it. */
export const requiredType = <Type>(type: Type) => ({ type, required: true }) as const;
/** A list that is absent, instead of empty, unless it is set. */
export const optionalList = <Type>(type: Type) => ({ type: [type], default: undefined });
/** Fields below a path that is absent unless it is set. */
export const optionalFields = <Fields extends object>(fields: Fields) => ({
  type: { _id: false, ...fields },
  default: undefined,
});

/** A collection whose schema is its fields and indexes; the `_id` is text unless `fields` has another one. */
export function defineCollection<T>({
  fields,
  options,
  ttl,
  sparse = [],
  indexes = [],
  ...definition
}: Omit<CollectionDefinition<T>, 'schema'> & {
  readonly fields: (types: Mongoose['Schema']['Types'], Schema: Mongoose['Schema']) => object;
  readonly options?: { readonly autoCreate?: false; readonly autoIndex?: false };
  /** The member with the date after which MongoDB removes a document; required unless `fields` says otherwise. */
  readonly ttl?: string;
  /** Indexes of only the documents that have the first of the paths. */
  readonly sparse?: readonly IndexDefinition[];
  readonly indexes?: readonly (readonly [IndexDefinition, IndexOptions?])[];
}): CollectionDefinition<T> {
  return {
    ...definition,
    schema({ Schema }) {
      const always = { _id: requiredType(String), ...(ttl !== undefined && { [ttl]: requiredType(Date) }) };
      const schema = new Schema<T>({ ...always, ...fields(Schema.Types, Schema) } as never, {
        versionKey: false,
        // empty objects are stored: `{}` does not mean the same as absent
        minimize: false,
        read: READ_PREFERENCE,
        readConcern: READ_CONCERN,
        writeConcern: WRITE_CONCERN,
        ...options,
      });
      if (ttl !== undefined) schema.index({ [ttl]: 1 }, { expireAfterSeconds: 0 });
      for (const keys of sparse) {
        const [path = ''] = Object.keys(keys);
        schema.index(keys, { partialFilterExpression: { [path]: { $exists: true } } });
      }
      // Mongoose changes the options, which all connections share here
      for (const [keys, more] of indexes) schema.index({ ...keys }, { ...more });
      return schema;
    },
  };
}

/** The data of a model that this package made. */
interface ModelHandle {
  readonly extend: ExtendSchema | null;
  /** The names of additional fields: from the site's function, or from a plugin of its Mongoose. */
  readonly customFields: readonly string[];
}

const handles = new WeakMap<object, ModelHandle>();

/**
 * The model on a connection, one for all callers. Its schema takes Mongoose a millisecond, so importing the package
 * makes none.
 *
 * @param extend adds the site's fields; null: there are none. Default: as the model was made
 * @throws TypeError if the site has a model of this name, if the model exists with other fields of the site, or if the
 * site changes a field of this package
 */
export function modelOf<T>(
  connection: Connection,
  { model: modelName, name, extendedBy = ['', ''], schema: schemaBy }: CollectionDefinition<T>,
  extend?: ExtendSchema | null,
): Model<T> {
  const existing = connection.models[modelName] as Model<T> | undefined;
  if (existing !== undefined) {
    if (!handles.has(existing)) checkOwn<T>(existing, schemaBy(connection.base), name, extendedBy[0]);
    if (extend !== undefined && extend !== (handles.get(existing)?.extend ?? null))
      throw optionError(
        ...extendedBy,
        `there is a model of ${name} on this connection already, with other fields; give all that are on one connection the same function, the first as well`,
      );
    return existing;
  }
  const schema = schemaBy(connection.base);
  const packagePaths = new Map(Object.entries(schema.paths));
  extend?.(schema);
  // even a field of a disabled feature: values that the site stores there would become rights once it is enabled
  const changed = [...packagePaths].find(([path, type]) => schema.paths[path] !== type);
  if (changed !== undefined)
    throw optionError(...extendedBy, `the field ${changed[0]} of ${name} is ours; add fields of other names`);
  const model = connection.model<T>(modelName, schema, name);
  const names = Object.keys(model.schema.paths).filter((path) => !packagePaths.has(path));
  handles.set(model, {
    extend: extend ?? null,
    customFields: [...new Set(names.map((path) => path.replace(/\..*/, '')))],
  });
  return model;
}

/**
 * Refuses a model of the site with the same name, which would store documents in a collection of the site. A model from
 * another copy of this package is accepted.
 */
function checkOwn<T>(existing: Model<T>, { paths }: Schema<T>, name: string, functionName: string): void {
  const isOwn =
    existing.collection.name === name && Object.keys(paths).every((path) => path in existing.schema.paths);
  if (isOwn) return;
  throw optionError(
    functionName || 'authorizationServer',
    'connection',
    `it has a model ${existing.modelName} of its own, in the collection ${existing.collection.name}; give that model another name, or give us another connection, such as mongoose.createConnection(uri)`,
  );
}

export function customFieldsOf(model: object): readonly string[] {
  return handles.get(model)?.customFields ?? [];
}
