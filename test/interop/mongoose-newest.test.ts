import { describeMongoose } from './support/mongoose-versions.js';

describeMongoose('newest');
