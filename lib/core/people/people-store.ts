/** What is stored about one person, by the name of the collection. */
export type RecordsOfPerson = Readonly<Record<string, readonly StoredRecord[]>>;

/** A document that has the id of a person; the members are those that the person may read. */
export interface StoredRecord {
  readonly id: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** Whether `erase` deletes or changes it. */
  readonly isErased: boolean;
}

/**
 * The documents of all collections that have the id of a person. The rows `people` of the collections say at which
 * paths, and what becomes of the documents.
 */
export interface PeopleStore {
  find(userId: string): Promise<RecordsOfPerson>;
  /**
   * Deletes the documents that are about a person, and puts the pseudonym in the place of the id where documents stay,
   * in batches. The documents of applications and service tokens have operations of their own. May be called again.
   *
   * @param onErased called after each batch, with the name of the collection and the ids of the documents
   */
  erase(
    userId: string,
    pseudonym: string,
    onErased: (collection: string, ids: readonly string[]) => void,
  ): Promise<void>;
}
