import { describe, test } from '@jest/globals';

/** Whether the MongoDB of this run has change streams; global-setup.mjs has asked, and says so if not. */
export const hasChangeStreams = process.env.TEST_LACKS_CHANGE_STREAMS === undefined;

/** A test or suite of changes that processes hear of each other: skipped on a stand-alone. */
export const testHearing = hasChangeStreams ? test : test.skip;
export const describeHearing = hasChangeStreams ? describe : describe.skip;
