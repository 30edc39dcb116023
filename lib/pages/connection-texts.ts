/** What the pages say on which people connect devices and see what they have connected. */
export const CONNECTION_TEXTS = {
  device: {
    title: 'Connect a device',
    lead: 'Type the code that your device shows.',
    label: 'Code',
    explanation: 'Eight letters. Upper or lower case, with or without the dash, makes no difference.',
    fromLink: 'The code came with the link. Go on only if the device in front of you shows exactly this code.',
    warning: 'Did somebody send you this code or read it out to you? Then stop: whoever has the device would get into your account.',
    submit: 'Continue',
    wrongCode: 'This code is not right, or it was used or has expired. Look at your device again; if it shows another code, type that one.',
    outOfDate: 'This page was open for too long, or your browser refuses cookies. Please send it again.',
    choose: 'Please choose to allow or to deny.',
  },
  deviceConsent: {
    heading: 'You are connecting a device. Does it show this code?',
    check: 'Allow this only if the device is in front of you and shows exactly this code. If somebody sent it to you, deny.',
    after: 'Afterwards you can go back to your device. Your password stays here; the device never sees it.',
  },
  deviceDone: {
    allowedTitle: 'Your device is connected',
    allowedLead: 'You can go back to it now: it goes on by itself in a few seconds. This page can be closed.',
    later: 'Changed your mind? You can disconnect it at any time.',
    laterLink: 'See your connected apps',
    deniedTitle: 'Nothing was connected',
    deniedLead: 'The device gets no access to your account. This page can be closed.',
  },
} as const;
