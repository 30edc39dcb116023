/**
 * The texts of the pages. `{name}` is filled in; what is filled in is data, escaped and set apart from the
 * sentence. Where words depend on a number, the syntax is ICU's.
 */
export const en = {
  'layout.navigation': 'Your account',
  'layout.applications': 'Your applications',
  'layout.logOut': 'Log out',
  'layout.loggedInAs': 'Logged in as {user}',
  'layout.refused': 'Error: {title}',

  'login.title': 'Log in',
  'login.username': 'User name',
  'login.password': 'Password',
  'login.showPassword': 'Show password',
  'login.hidePassword': 'Hide password',
  'login.submit': 'Log in',
  'login.wrong': 'The user name or the password is not right.',
  'login.outOfDate': 'This page was open for too long, or your browser refuses cookies. Please log in again.',
  'login.already':
    'You are already logged in as {user}, perhaps in another tab. This form was from before that, so it was not used.',
  'login.continueAs': 'Continue as {user}',
  'login.asSomebodyElse': 'Or log in to another account:',
  'login.toGoOn': 'To go on to {client}',
  'login.forgot': 'Forgot your password?',
  'login.signUp': 'No account yet? Sign up',

  'logout.title': 'Log out',
  'logout.heading': 'Log out?',
  'logout.loggedInAs': 'You are logged in as {user}.',
  'logout.stay': 'Stay logged in',
  'logout.submit': 'Log out',

  'account.title': 'Choose an account',
  'account.chooseHeading': 'Go on with which account?',
  'account.againHeading': 'Please log in again',
  'account.choose': '{client} asks which of your accounts on {site} it should use.',
  'account.again': '{client} asks you to log in to {site} again, so that it can be sure it is you.',
  'account.current': 'You are logged in as {user}.',
  'account.continueAs': 'Continue as {user}',
  'account.another': 'Use another account',
  'account.logInAgain': 'Log in again',
  'account.cancel': 'Cancel',
  'account.outOfDate': 'This page was out of date, so nothing was changed. Please choose now.',

  'consent.title': 'Allow {client}?',
  'consent.heading': '{client} wants to use your account',
  'consent.loggedInAs': 'You are logged in to {site} as {user}.',
  'consent.notYou': 'Not you?',
  'consent.verified': 'Verified',
  'consent.verifiedMeaning': '{site} has checked who is behind this application.',
  'consent.unverified': 'Not verified',
  'consent.unverifiedMeaning':
    '{site} has not checked who is behind this application. Allow it only if you know it and have just come from it.',
  'consent.deviceUnverifiedMeaning':
    '{site} has not checked who is behind this application. Allow it only if you have just started it on your own device.',
  'consent.clientUri': 'Website',
  'consent.policyUri': 'Privacy policy',
  'consent.tosUri': 'Terms of service',
  'consent.can': 'If you allow this, it can:',
  'consent.canNew': 'New this time, it wants to:',
  'consent.canAlready': 'You have allowed it before to:',
  'consent.needed': 'needed',
  'consent.resource': 'The access is for {resource}.',
  'consent.untick': 'Untick what you do not want to allow.',
  'consent.identityOnly':
    'If you allow this, the application learns only who you are: the id of your account here. It cannot see or change anything.',
  'consent.cannot': 'It will not be able to:',
  'consent.cannotPassword': 'See or change your password',
  'consent.cannotElse': 'Do anything that you have not allowed here',
  // a sentence of the site's own, shown below the list
  'consent.cannotNote': '',
  'consent.deny': 'Deny',
  'consent.allow': 'Allow',
  'consent.goesTo': 'Either way you go on to {host}.',
  'consent.device': 'an app on this device',
  'consent.takeBack': 'You can take this back at any time.',
  'consent.takeBackLink': 'See what you have allowed',
  'consent.outOfDate': 'This page was out of date, so nothing was decided. Please decide now.',
  'consent.undecided': 'Please choose to allow or to deny.',
  'consent.deviceHeading': 'You are connecting a device. Does it show this code?',
  'consent.deviceCheck':
    'Allow this only if the device is in front of you and shows exactly this code. If somebody sent it to you, deny.',
  'consent.deviceAfter':
    'Afterwards you can go back to your device. Your password stays here; the device never sees it.',

  'device.title': 'Connect a device',
  'device.lead': 'Type the code that your device shows.',
  'device.fromLink':
    'The code came with the link. Go on only if the device in front of you shows exactly this code.',
  'device.code': 'Code',
  'device.codeMeaning': 'Eight letters. Upper or lower case, with or without the dash, makes no difference.',
  'device.submit': 'Continue',
  'device.warning':
    'Did somebody send you this code or read it out to you? Then stop: whoever has the device would get into your account.',
  'device.wrongCode':
    'This code is not right, or it was used or has expired. Look at your device again; if it shows another code, type that one.',
  'device.notACode':
    'A code has eight letters; what you typed has more or fewer. Look at your device again, and type all of them.',
  'device.outOfDate':
    'This page was open for too long, or your browser refuses cookies. Please send it again.',
  'device.allowed': 'Your device is connected',
  'device.allowedMessage':
    'You can go back to it now: it goes on by itself in a few seconds. This page can be closed.',
  'device.later': 'Changed your mind? You can disconnect it at any time.',
  'device.laterLink': 'See your connected apps',
  'device.denied': 'Nothing was connected',
  'device.deniedMessage': 'The device gets no access to your account. This page can be closed.',

  'authorizations.title': 'Connected apps',
  'authorizations.lead':
    'These applications can use your account. Disconnect one, and its access ends at once.',
  'authorizations.none': 'No connected apps',
  'authorizations.noneMessage':
    'When you allow an application to use your account, it is listed here, and you can take that back.',
  'authorizations.search': 'Find an application',
  'authorizations.searchButton': 'Search',
  'authorizations.showAll': 'Show all',
  'authorizations.noneFound': 'No connected app has this name.',
  'authorizations.count': '{count, plural, one {One connected app} other {# connected apps}}',
  'authorizations.page': 'Page {page} of {pages}',
  'authorizations.previous': 'Previous',
  'authorizations.next': 'Next',
  'authorizations.can': 'It can:',
  'authorizations.identityOnly': 'It knows who you are, and can see or change nothing.',
  'authorizations.since': 'Connected since {date}',
  'authorizations.renewed': 'Last active {time}',
  'authorizations.idle': 'It has no access at the moment, and may connect again without asking you.',
  'authorizations.waiting':
    'You have allowed a device that has not come for its access yet. If you disconnect it now, it gets none.',
  'authorizations.device': 'device',
  'authorizations.trusted': 'part of this site',
  'authorizations.revoke': 'Disconnect',
  'authorizations.revokeAll': 'Disconnect all…',
  'authorizations.revokeAllMeaning':
    'All applications and devices lose access at once and have to ask you again.',
  'authorizations.revokeAllConfirm': 'Disconnect all of them',
  'authorizations.revoked': 'The application is disconnected, and its access has ended.',
  'authorizations.revokedAll': 'All applications are disconnected, and their access has ended.',

  'error.client':
    'You did nothing wrong: the mistake is the application’s. Go back to it and try again; if it happens again, tell the people who make it what the details below say.',
  'error.site':
    'You did nothing wrong: the mistake is this site’s. Please try again; if it happens again, tell this site the number below.',
  'error.unknownClient': 'We do not know this application',
  'error.unknownClientMessage':
    'The application that sent you here is not registered with this site, or it has been removed.',
  'error.wrongRequest': 'The application asked in a wrong way',
  'error.wrongRequestMessage':
    'The application that sent you here made a request that this site cannot accept.',
  'error.unauthorizedClientMessage':
    'The application that sent you here asked for something that it is not registered for.',
  'error.invalidScopeMessage':
    'The application that sent you here asked for a permission that does not exist or that it may not have.',
  'error.responseTypeMessage':
    'The application that sent you here asked for a way of connecting that this site does not offer.',
  'error.server': 'Something went wrong here',
  'error.serverMessage': 'This site met a problem of its own.',
  'error.unavailable': 'Please try again in a moment',
  'error.unavailableMessage': 'This site cannot answer right now.',
  'error.unavailableHint': 'You did nothing wrong, and nothing was lost: reload the page in a few seconds.',
  'error.wrongForm': 'This form could not be read',
  'error.wrongFormMessage': 'What was sent is not what our form sends, so nothing was changed.',
  'error.wrongFormHint': 'Go back, reload the page and try again.',
  'error.insecure': 'This page needs a secure connection',
  'error.insecureMessage':
    'What you sent came to us without encryption (https), so nothing was done with it.',
  'error.insecureHint':
    'Does the address begin with https:? Then the mistake is this site’s: please tell the people who run it.',
  'error.notFound': 'There is nothing here',
  'error.notFoundMessage': 'The page does not exist, or it belongs to somebody else.',
  'error.notFoundHint': 'Check the address, or that you are logged in to the right account.',
  'error.conflict': 'Somebody was faster',
  'error.conflictMessage': 'The same thing was changed at the same moment, so your change was not made.',
  'error.conflictHint': 'Go back, reload the page and look at how it is now.',
  'error.tooLarge': 'That was too much',
  'error.tooLargeMessage': 'What was sent is larger than our form allows, so nothing was changed.',
  'error.tooLargeHint': 'Go back, shorten it and try again.',
  'error.tooMany': 'Too many tries',
  'error.tooManyMessage': 'That was tried too often in a short time. Please wait {time} and try again.',
  'error.tooManyHint': 'This protects accounts and this site from being tried out by machines.',
  'error.denied': 'Access denied',
  'error.deniedMessage': 'The application gets no access to your account.',
  'error.unknownClientLink':
    '{site} does not know who is behind this application. Go on only if you know it.',
  'error.goOn': 'Go on to {host}',
  'error.home': 'To {site}',
  'error.redirectUriMessage': '“{client}” wants to send you to an address that it has not registered here.',
  'error.redirectUri': 'Address it asked for',
  'error.ownClient': 'This is your application: change its redirect URIs',
  'error.refused': 'That is not possible',
  'error.refusedHint': 'Nothing was changed.',
  'error.formOutOfDate': 'This form is out of date. Open the page again and repeat what you did.',
  'error.notDeveloper': 'Your account may not register applications on this site.',
  'error.trustedApplication':
    'This site vouches for this application. Ask the people who run the site to change it.',
  'error.number': 'Number of this request: {id}',
  'error.details': 'Details for developers',
  'error.code': 'Error',
  'error.description': 'Description',

  'applications.title': 'Your applications',
  'applications.register': 'Register an application',
  'applications.none': 'No applications yet',
  'applications.noneMessage':
    'Register an application to let people connect it with their accounts on {site}. It gets an id of its own, and asks people before it sees anything of theirs.',
  'applications.registeredOn': 'registered {date}',
  'applications.confidential': 'confidential',
  'applications.public': 'public',
  'applications.saved': 'Your changes are saved.',
  'applications.deleted': 'The application is deleted, and every access it had has ended.',
  'applications.registeredBefore': 'This application was registered before: the form was sent twice.',
  'applications.lostSecret': 'Its secret was shown once only. If you do not have it, make a new one below.',
  'applications.rotatedBefore':
    'A new secret was made a moment ago: the form was sent twice, and no other one was made. If you do not have it, make a new one below.',
  'applications.tooMany':
    'You have {count, plural, one {# application} other {# applications}}, and more are not possible: delete one that you do not need.',
  'applications.lists': 'Lists of applications',
  'applications.all': 'All applications',
  'applications.selfRegistered': 'Registered themselves',
  'applications.noneHere': 'There are no applications here.',
  'applications.next': 'Older applications',
  'applications.first': 'Back to the newest',
  'applications.users': 'Users: {count}',
  // {count} is as far as was counted
  'applications.atLeast': '{count}+',
  'applications.lastUsed': 'last used {date}',
  'applications.notUsed': 'not used lately',
  'applications.notUsedYet': 'not used yet',
  'applications.owner': 'Owner: {owner}',
  'applications.noOwner': 'registered by this site',
  'applications.itself': 'registered itself',
  'applications.verified': 'verified',
  'applications.oldSecretEnded': 'The old secret has ended. Only the current one works now.',
  'applications.changedMeanwhile':
    'The application was changed after you opened the page, so nothing was done. This is how it is now.',
  'applications.nowVerified': 'The application is verified. People see this when it asks for access.',
  'applications.nowUnverified': 'The application is no longer verified.',
  'applications.deletedBefore': 'The application is deleted. The form was sent twice, which did no harm.',

  'application.edit': 'Edit',
  'application.secretNow': 'Copy the client secret now',
  'application.secretOnce':
    'It is shown this once. Keep it on your server, out of your code and out of apps and browsers.',
  'application.details': 'Details',
  'application.clientId': 'Client ID',
  'application.type': 'Type',
  'application.trusted': 'trusted by this site',
  'application.redirectUris': 'Redirect URIs',
  'application.noRedirectUris': 'none',
  'application.mayAskFor': 'May ask for',
  'application.asksForNothing': 'nothing but who a person is',
  'application.getsAccessBy': 'Gets access by',
  'application.registered': 'Registered',
  'application.authorizationEndpoint': 'Authorization endpoint',
  'application.tokenEndpoint': 'Token endpoint',
  'application.secret': 'Client secret',
  'application.secretMade': 'Made {time}',
  'application.secretEnds': 'Made {time}, works until {end}',
  'application.secretCurrent': 'current',
  'application.rotateOverlap':
    'A new secret takes the place of the current one, which goes on working for {span} so that you can change it without a break.',
  'application.rotateAtOnce': 'A new secret takes the place of the current one at once.',
  'application.rotate': 'Make a new secret',
  'application.delete': 'Delete this application',
  'application.deleteMeaning': 'Everyone who uses it is disconnected at once. This cannot be undone.',
  'application.deleteButton': 'Delete…',
  'application.deleteHeading': 'Delete {client}?',
  'application.deleteLead':
    'Everyone who uses it is disconnected at once: its tokens end, and what people have allowed it is forgotten. This cannot be undone.',
  'application.keep': 'Keep it',
  'application.deleteConfirm': 'Delete',
  'application.copy': 'Copy',
  'application.copied': 'Copied',
  'application.copyByHand': 'Selected: copy it with your keyboard or menu',
  'application.users': 'Users',
  'application.lastUsed': 'Last used',
  'application.owner': 'Owner',
  'application.authentication': 'Proves itself by',
  'application.bySecret': 'client secret',
  'application.byKeys': 'public keys',
  'application.byNothing': 'nothing (public)',
  'application.keys': 'Keys',
  'application.keysHere': 'Its signatures are checked with these public keys:',
  'application.keysThere': 'Its signatures are checked with the public keys at {address}.',
  'application.keysChange': 'To change them, edit the application.',
  'application.endOld': 'End the old secret now',
  'application.endOldMeaning':
    'Once everything of yours uses the current secret, end the old one. What still uses it is refused at once.',
  'application.code': 'Code to copy',
  'application.codeMeaning':
    'With the values of this application. Secrets are not in it: they come from the environment.',
  'application.verification': 'Verification',
  'application.isVerified':
    'This site says that it knows who is behind this application: people see it as verified when it asks for access. If its owner changes its name or redirect URIs, that ends.',
  'application.isUnverified':
    'People are told that nobody has checked who is behind this application. Verify it if you know who made it, and if its name and redirect URIs are theirs.',
  'application.isSelfRegistered':
    'It registered itself: everything it says about itself, its name first of all, is its own claim. Once verified it can no longer change itself.',
  'application.verify': 'Verify',
  'application.unverify': 'Take the verification back',
  'application.deleteType': 'To confirm, type its name: {client}',
  'application.deleteTypeOr': 'Its client ID will do as well: {id}',
  'application.deleteMismatch': 'That is not its name, so nothing was deleted.',

  'form.edit': 'Edit {client}',
  'form.notSaved': 'Nothing is saved yet.',
  'form.pleaseLook': 'Please look at this:',
  'form.name': 'Name',
  'form.nameMeaning': 'People see it when your application asks for access.',
  'form.type': 'Type',
  'form.confidential': 'Confidential',
  'form.confidentialMeaning':
    'Runs on a server of yours and can keep a secret there. It gets a client secret.',
  'form.public': 'Public',
  'form.publicMeaning':
    'Runs on people’s own devices, as an app or in the browser, where no secret is safe. It gets none.',
  'form.redirectUris': 'Redirect URIs',
  'form.redirectUrisMeaning':
    'Where people go back to, one per line, each in full: {web}. For apps also {loopback} (any port) or {scheme}.',
  'form.scopes': 'What it may ask people for',
  'form.grantTypes': 'How it gets access',
  'form.register': 'Register',
  'form.save': 'Save changes',
  'form.cancel': 'Cancel',
  'form.outOfDate':
    'This page was open for too long, so nothing is saved yet. What you entered is still here: look at it and send it again.',
  'form.loggedOut': 'You are no longer logged in',
  'form.loggedOutLead': 'Nothing is saved yet, and nothing is lost: what you entered waits on this page.',
  'form.loggedOutLink': 'Log in in another tab',
  'form.loggedOutAfter':
    'Then come back to this tab and send it again. You can look at everything once more before it is saved.',
  'form.sendAgain': 'Send it again',
  'form.line': 'Line {line}',
  'form.authentication': 'How it proves that it is itself',
  'form.bySecret': 'By a client secret',
  'form.bySecretMeaning': 'A long random password, made here and shown to you once.',
  'form.byKeys': 'By keys, given here',
  'form.byKeysMeaning':
    'It signs with its private key (private_key_jwt), and you enter the public one. Nothing secret is stored here.',
  'form.byKeysAddress': 'By keys, at an address',
  'form.byKeysAddressMeaning':
    'The same, with the public keys on your own server (jwks_uri), where you can change them at any time.',
  'form.jwks': 'Public keys',
  'form.jwksMeaning': 'A key set as JSON: {example}. Never a private key.',
  'form.jwksUri': 'Address of the public keys',
  'form.jwksUriMeaning': 'Such as {example}. It is read when the application asks for tokens.',
  'form.newSecretMeaning': 'If it had keys before, it gets a new secret, shown once on the next page.',

  'grantType.authorization_code': 'Log people in',
  'grantType.authorization_code.meaning':
    'People come here from the application, allow it, and go back. The usual choice.',
  'grantType.refresh_token': 'Stay connected',
  'grantType.refresh_token.meaning':
    'The application keeps its access after a person has left, until it is withdrawn.',
  'grantType.client_credentials': 'Act for itself',
  'grantType.client_credentials.meaning':
    'The application gets access of its own, without a person. Confidential applications only.',
  'grantType.implicit': 'Log people in without a code (old)',
  'grantType.implicit.meaning':
    'Old, for applications that cannot do it otherwise: tokens travel through the browser’s address bar.',
  'grantType.password': 'Ask for passwords (old)',
  'grantType.password.meaning':
    'Old, for applications that cannot do it otherwise: they see the passwords of their people.',
  'grantType.urn:ietf:params:oauth:grant-type:device_code': 'Connect devices',
  'grantType.urn:ietf:params:oauth:grant-type:device_code.meaning':
    'For televisions, printers and command lines: people type a short code on another device and allow it there.',

  'problem.nameMissing': 'The application needs a name.',
  'problem.nameTooLong': 'The name is longer than {max, plural, one {# character} other {# characters}}.',
  'problem.nameInvisible': 'The name has invisible or control characters.',
  'problem.nameMarks': 'The name has too many marks above or below a letter.',
  'problem.typeUnknown': 'The type is either confidential or public.',
  'problem.publicCredentials':
    'A public application cannot act for itself: it has nothing to prove itself by.',
  'problem.redirectUriMissing': 'At least one redirect URI is needed, such as https://app.example/callback.',
  'problem.redirectUriTooMany':
    'There are more than {max, plural, one {# redirect URI} other {# redirect URIs}}.',
  'problem.uriTooLong': 'It is longer than {max, plural, one {# character} other {# characters}}.',
  'problem.uriCharacters': 'It has a space or another character that must be percent-encoded.',
  'problem.uriWildcard':
    'It has a *. Each redirect URI is compared exactly, so wildcards are not possible: enter every one.',
  'problem.uriNotAbsolute': 'It is not a complete address, such as https://app.example/callback.',
  'problem.uriFragment': 'It has a fragment (#…), which a redirect URI must not have.',
  'problem.uriScheme': 'An address with {scheme} is not possible.',
  'problem.uriUserinfo': 'It has a user name or a password in front of the host.',
  'problem.uriHttp':
    'Without TLS only localhost, 127.0.0.1 and [::1] are possible. Use https: for every other host.',
  'problem.uriPrivateScheme': 'The scheme of an app needs a dot, such as com.example.app:/callback.',
  'problem.uriQuery': 'Its query has {parameter}, which the answer brings itself.',
  'problem.scopeUnknown': 'There is no scope {scope}.',
  'problem.grantTypeUnknown': 'The grant type {grantType} is not offered here.',
  'problem.grantTypeMissing': 'Choose at least one way to get access.',
  'problem.authenticationUnknown': 'Choose how it proves that it is itself.',
  'problem.jwksMissing': 'Enter the public keys.',
  'problem.jwksNoJson': 'The keys are not valid JSON.',
  'problem.jwksNoSet': 'This is no key set. It looks like {"keys": [ … ]} (RFC 7517).',
  'problem.jwksCount': 'The set has {count, plural, one {# key} other {# keys}}. There can be 1 to {max}.',
  'problem.jwksTooLong': 'The keys are longer than {max, plural, one {# character} other {# characters}}.',
  'problem.jwksNoObject': 'A key in the set is no JSON object.',
  'problem.jwksPrivate':
    'This is a private or secret key, which only its owner may have. Do not use it any more: make a new one, and enter its public half.',
  'problem.jwksMembers': 'A key has members that are neither text nor a list of texts.',
  'problem.jwksKind': 'A key has a type (kty) other than RSA, EC and OKP.',
  'problem.jwksRsaSize': 'An RSA key has less than 2048 or more than 8192 bits.',
  'problem.jwksUriMissing': 'Enter the address of the public keys.',
  'problem.jwksUriNotUrl': 'The address of the keys is not a URL.',
  'problem.jwksUriParts': 'The address of the keys has a user name, a password or a fragment.',
  'problem.jwksUriScheme': 'The address of the keys must begin with https://.',

  'snippet.secret': 'CLIENT_SECRET comes from the environment',
  'snippet.key': 'CLIENT_PRIVATE_KEY comes from the environment: PKCS #8, as PEM',
  'snippet.assertion':
    'CLIENT_ASSERTION comes from the environment: a JWT that your application has signed (RFC 7523)',
  'snippet.open': 'open this address in a browser',
  'snippet.paste': 'the browser comes back to the redirect URI: copy the code from there',
  'snippet.begin': 'send the person to this address, and keep the other two in their session',
  'snippet.finish': 'with the whole address at which the person came back',
} as const;

/** The name of a text. */
export type MessageKey = keyof typeof en;

/** All texts in one language: a missing one is a mistake that the compiler finds. */
export type Messages = Readonly<Record<MessageKey, string>>;
