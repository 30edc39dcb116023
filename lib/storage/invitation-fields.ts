/** The stored fields of an invitation to own an application or a service token. */
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
