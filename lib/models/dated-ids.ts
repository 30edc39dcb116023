/**
 * The last stage of a list (`DatedIds`), in one document: a thousand of them on their way cost more than finding them.
 */
export const datedIds = (id: string, date: string, more: object = {}): object => ({
  $group: { _id: null, ids: { $push: id }, dates: { $push: date }, ...more },
});
