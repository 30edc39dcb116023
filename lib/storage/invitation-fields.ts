/** An invitation to own something, as stored in what is owned. */
export const invitationFields = () => ({
  _id: false,
  id: String,
  userId: String,
  typed: String,
  as: { type: String, enum: ['owner', 'transfer'] },
  invitedBy: String,
  byHost: Boolean,
  expiresAt: Date,
});
