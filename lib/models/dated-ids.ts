/** The last stage of a list (`DatedIds`), in one document: sending a thousand of them costs more than finding them. */
export const datedIds = (id: string, date: string, more: object = {}): object => ({
  $group: { _id: null, ids: { $push: id }, dates: { $push: date }, ...more },
});
