/**
 * The texts of the pages. `{name}` is filled in; what is filled in is data, escaped and set apart from the sentence. If
 * words depend on a number, the syntax is ICU's.
 */
export const en = {
  'layout.navigation': 'Your account',
  'layout.applications': 'Your applications',
  'layout.logOut': 'Log out',
  'layout.loggedInAs': 'Logged in as {user}',
  'layout.refused': 'Error: {title}',
  'layout.language': 'Language',

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
  'endSession.byClient': '{client} asks whether you want to log out of {site} as well.',
  'endSession.here': 'Do you want to log out of {site}?',
  'endSession.meaning':
    'Apps and sites that you have signed in to with this account are told, and log you out, too.',
  'endSession.done': 'You are logged out',
  'endSession.nobody': 'Nobody is logged in here any more.',
  'endSession.telling': 'The apps and sites that you had signed in to are being told.',
  'endSession.back': 'Back to {client}',

  'formPost.title': 'One moment',
  'formPost.message': 'You are on your way back to {client}.',
  'formPost.goOn': 'Go on',
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

  'openid.openid': 'Sign you in with your account here',
  'openid.profile': 'See your name, your picture and what else your profile says',
  'openid.email': 'See your e-mail address',
  'openid.address': 'See your postal address',
  'openid.phone': 'See your phone number',
  'openid.offline_access': 'Keep this access while you are not using it',
  'claim.name': 'See your full name',
  'claim.family_name': 'See your family name',
  'claim.given_name': 'See your first name',
  'claim.middle_name': 'See your middle name',
  'claim.nickname': 'See your nickname',
  'claim.preferred_username': 'See the username that you like to be called by',
  'claim.profile': 'See the address of your profile page',
  'claim.picture': 'See your picture',
  'claim.website': 'See the address of your website',
  'claim.gender': 'See your gender',
  'claim.birthdate': 'See your date of birth',
  'claim.zoneinfo': 'See your time zone',
  'claim.locale': 'See your language and region',
  'claim.updated_at': 'See when your profile was last changed',
  'claim.email_verified': 'See whether your e-mail address was checked',
  'claim.phone_number_verified': 'See whether your phone number was checked',
  'claim.other': 'See what this site knows of you as “{claim}”',

  'consent.title': 'Allow {client}?',
  'consent.heading': '{client} wants to use your account',
  'consent.loggedInAs': 'You are logged in to {site} as {user}.',
  'consent.notYou': 'Not you?',
  'consent.verified': 'Verified',
  'consent.verifiedMeaning': '{site} has checked who is behind this application.',
  'consent.tooManyClients':
    'In one day you can allow only so many applications that are new to this site and that nobody has checked. Nothing is lost: allow this one tomorrow.',
  'consent.unverified': 'Not verified',
  'consent.unverifiedMeaning':
    '{site} has not checked who is behind this application. Allow it only if you know it and have just come from it.',
  'consent.deviceUnverifiedMeaning':
    '{site} has not checked who is behind this application. Allow it only if you have just started it on your own device.',
  'consent.host': 'Its address:',
  'consent.aDevice': 'on a device',
  'consent.registered': 'Registered here: {date}',
  'consent.registeredBy': 'Registered here: {date}, by {owner}',
  'consent.handedOver': 'In the hands of {owner} since {date}',
  'consent.registeredItself': 'It registered itself here: {date}',
  'consent.describesItself': 'It says who it is at {url}',
  'consent.onDevice':
    'You go on to an app on this device, and any app here could say that it is {client}. Allow it only if you have just started it yourself.',
  'consent.fewPeople': 'Fewer than {count} people use it',
  'consent.clientUri': 'Website',
  'consent.policyUri': 'Privacy policy',
  'consent.tosUri': 'Terms of service',
  'consent.can': 'If you allow this, it can:',
  'consent.canNew': 'New this time, it wants to:',
  'consent.canAlready': 'You have allowed it before to:',
  'consent.canInParticular': 'And this in particular:',
  'consent.needed': 'needed',
  'consent.highRisk': 'Can do harm',
  'consent.highRiskMeaning':
    'Nothing that can do harm is ticked for you. Tick it only if you want to allow it.',
  'consent.more': 'More',
  'consent.count': '{count, plural, one {# permission} other {# permissions}}',
  'consent.includes': 'Includes: {scope}',
  'consent.includedIn': 'Comes with “{scope}”, also if you untick it here.',
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
  'consent.askEachTime': 'Ask me again each time',
  'consent.goesTo': 'Either way you go on to {host}.',
  'consent.device': 'an app on this device',
  'consent.takeBack': 'You can take this back at any time.',
  'consent.takeBackLink': 'See what you have allowed',
  'consent.outOfDate': 'This page was out of date, so nothing was decided. Please decide now.',
  'consent.undecided': 'Please choose to allow or to deny.',
  'consent.nothingTicked':
    'You have ticked nothing, so nothing was decided. Tick what you want to allow, or deny.',
  'consent.notPicked': 'Something is not picked yet, so nothing was decided. Please look below.',
  'choice.lifetime': 'How long may it have access?',
  'choice.pick': 'Please choose',
  'choice.none': 'None',
  'choice.missing': 'Please choose one of these.',
  'choice.wrongNumber': 'Please type a number from {min} to {max}.',
  'choice.nothing': 'There is nothing here that you could choose, so it cannot be allowed.',
  'consent.confirmTitle': 'Are you sure about {client}?',
  'consent.confirmHeading': '{client} would get a lot of power',
  'consent.confirmLead': 'If you go on, it can:',
  'consent.confirmMeaning':
    'Were you told to come here by somebody you do not know, or by a message you did not expect? Then deny.',
  'consent.confirm': 'Allow it all the same',
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
  'authorizations.sort': 'Order by',
  'authorizations.sortRenewed': 'last renewal',
  'authorizations.sortSince': 'newest connection',
  'authorizations.sortName': 'name',
  'authorizations.noneFound': 'No connected app has this name.',
  'authorizations.count': '{count, plural, one {One connected app} other {# connected apps}}',
  'authorizations.page': 'Page {page} of {pages}',
  'authorizations.previous': 'Previous',
  'authorizations.next': 'Next',
  'authorizations.can': 'It can:',
  'authorizations.identityOnly': 'It knows who you are, and can see or change nothing.',
  'authorizations.since': 'Connected since {date}',
  'authorizations.renewed': 'Access last renewed {time}',
  'authorizations.idle': 'It has no access at the moment, and may connect again without asking you.',
  'authorizations.waiting':
    'You have allowed a device that has not come for its access yet. If you disconnect it now, it gets none.',
  'authorizations.device': 'device',
  'authorizations.trusted': 'part of this site',
  'authorizations.blocked': 'This site has blocked it: it cannot use your account at the moment.',
  'authorizations.revoke': 'Disconnect',
  'authorizations.revokeAll': 'Disconnect all…',
  'authorizations.revokeAllMeaning':
    'All applications and devices lose access at once and have to ask you again.',
  'authorizations.revokeAllConfirm': 'Disconnect all of them',
  'authorizations.revoked': 'The application is disconnected, and its access has ended.',
  'authorizations.revokedAll': 'All applications are disconnected, and their access has ended.',
  'authorizations.revokedNamed': '{client} is disconnected, and its access has ended.',
  'authorizations.revokeMeaning': 'Its access ends at once, and it has to ask you again.',
  'authorizations.revokeMeaningTrusted':
    'Its access ends at once. It is part of this site, and gets it again when you use it.',
  'authorizations.revokeConfirm': 'Disconnect it',
  'authorization.back': 'All connected apps',
  'authorization.about': 'About it',
  'authorization.renewedAt': 'Access last renewed',
  'authorization.renewedHow': 'That is when it was last given tokens. It may have used them since.',
  'authorization.connectedSince': 'Connected since',
  'authorization.resources': 'Access to',
  'authorization.scopes': 'What it can do',
  'authorization.untick': 'Untick what you want to take back. The rest stays connected.',
  'authorization.includedIn': 'Comes with “{scope}”, as long as that stays.',
  'authorization.save': 'Save',
  'authorization.narrowed': '{client} can do less from now on.',
  'authorization.unchanged': 'Nothing was taken back.',
  'authorization.changeMeaning': 'You can choose something else here. It works with that from now on.',
  'authorization.change': 'Change',
  'authorization.rebound': '{client} works with what you chose from now on.',
  'authorization.kept': 'Nothing was changed.',
  'authorization.nothingLeft': 'Leave one ticked at least, or disconnect the application below.',
  'authorization.trustedScopes': 'It is part of this site, so it gets all of this without asking.',
  'authorization.activity': 'What it did lately',
  'authorization.activityMeaning': 'The last 30 days, the newest first.',
  'authorization.noActivity': 'Nothing in the last 30 days.',
  'authorization.didGetAccess': 'It was given access',
  'authorization.didGiveBack': 'It gave its access back',
  'authorization.didAllow': 'You allowed it',
  'authorization.didDeny': 'You denied it something',
  'authorization.didNarrow': 'You took something back',
  'authorization.didRebind': 'You chose something else for it',
  'authorization.didReport': 'You reported it',
  'authorization.didReplay': 'What works only once was used twice, so its access was ended',
  'authorization.didDisconnect': 'You disconnected it',
  'authorization.didEnd': 'The site ended its access',
  'authorization.times': '{count, plural, one {once} other {# times}}',
  'authorization.from': 'from {address}',
  'authorization.report': 'Report this application',
  'authorization.reportMeaning':
    'Does it do what you did not expect, or pretend to be somebody else? The people of this site read what you write; the application does not.',
  'authorization.reportLabel': 'What happened?',
  'authorization.reportSend': 'Send the report',
  'authorization.reported': 'Thank you. Your report about {client} was sent.',
  'authorization.reportEmpty': 'Please write what happened.',
  'authorization.reportLong': 'That is too long. {count} characters are possible.',
  'authorization.reportMany': 'You have sent many reports. Please try again in an hour.',
  'authorization.reportFailed': 'The report could not be sent just now. Please try again.',
  'authorization.signedIn': 'Signed in',
  'authorization.signedInSince': 'Signed in there since',
  'authorization.signOut': 'Sign out there',
  'authorization.signOutMeaning':
    'It is told that you have signed out, and the access that came with it ends. You stay logged in here.',
  'authorization.signedInFrame': 'It is told when you log out here.',
  'authorization.signedOut': '{client} is told that you have signed out there.',
  'authorization.signInThere': 'Sign in there',
  'authorization.disconnect': 'Disconnect it',
  'authorization.gone': 'It is not registered here any more.',

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
  'error.requestOver': 'This request is over',
  'error.requestOverMessage': 'It has been answered already, or it waited too long.',
  'error.requestOverHint': 'Go back to the application and start again there. You did nothing wrong.',
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
  'error.blocked': 'This site has blocked the application',
  'error.blockedMessage': '“{client}” gets no access to accounts here, so nobody is sent on to it.',
  'error.blockedHint':
    'You need not do anything. If it had access to your account before, that access does not work any more.',
  'error.blockedApplication': 'This site has blocked this application. Ask the people who run the site.',
  'error.pending': 'This application is not approved yet',
  'error.pendingMessage':
    '“{client}” is new here. Until this site has approved it, only its owner can use it.',
  'error.pendingHint': 'Your account is untouched. Try again later, or ask whoever made the application.',
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
  'applications.savedWaits':
    'Your changes are saved. The application waits for approval again: until then only its owners can authorize it.',
  'applications.savedUnverified':
    'Your changes are saved. The application is no longer verified: this site has to verify it again.',
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
  'applications.listWaiting': 'Wait for approval',
  'applications.listBlocked': 'Blocked',
  'applications.listUnverified': 'Not verified',
  'applications.listVerified': 'Verified',
  'applications.listUnused': 'Registered themselves, never used',
  'applications.previous': 'Newer applications',
  'applications.search': 'Search by name, client ID or host',
  'applications.searchAll': 'Search all applications by the beginning of a name, client ID, host or owner',
  'applications.found': 'Found: {count}',
  'applications.foundPart': 'There are more than these {count}: type more of it.',
  'applications.noneFound': 'No application begins like that.',
  'applications.first': 'Back to the newest',
  'applications.users': 'Users: {count}',
  // {count} is where counting stopped
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
  'applications.everyoneDisconnected':
    'Everyone is disconnected, and every access has ended. The application stays, and people can allow it again.',
  'applications.blocked': 'blocked',
  'applications.nowBlocked': 'The application is blocked. It gets nothing from now on.',
  'applications.nowUnblocked':
    'The application is not blocked any more. What people have allowed it works again.',
  'applications.awaitsApproval': 'waits for approval',
  'applications.nowApproved': 'The application is approved. Everybody can use it now.',
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
  'application.secretEnding': 'ends in {ending}',
  'application.secretUsed': 'last used {date}',
  'application.secretUnused': 'not used yet',
  'application.secretUseUnknown': 'last use unknown',
  'application.oldSecretUsed': 'The old secret was last used on {date}.',
  'application.oldSecretUnused': 'The old secret was never used.',
  'application.oldSecretUnknown': 'When the old secret was last used is not known.',
  'application.rotateOverlap':
    'A new secret takes the place of the current one, which goes on working for {span} so that you can change it without a break.',
  'application.rotateAtOnce': 'A new secret takes the place of the current one at once.',
  'application.rotate': 'Make a new secret',
  'application.nobody': 'Nobody uses it at the moment.',
  'application.people': '{count, plural, one {One person uses it.} other {# people use it.}}',
  'application.peopleAtLeast': 'At least {count} people use it.',

  'failures.title': 'Refused in the last day',
  'failures.lead':
    'What this site refused this application in the last 24 hours, and why. Whoever knows the client ID can cause some of it.',
  'failures.wrong_client_secret': 'The client secret was wrong. Check that your server has the newest one.',
  'failures.client_secret_missing':
    'No client secret was sent. Send it by HTTP Basic, or as client_secret in the body.',
  'failures.wrong_authentication_method': 'It proved who it is in another way than it is registered for.',
  'failures.wrong_assertion_signature':
    'The signature of the client assertion fits none of its keys. Check the key, its kid and the algorithm.',
  'failures.assertion_expired':
    'The client assertion had expired. Make a new one for each request, and check your clock.',
  'failures.assertion_used': 'The client assertion was used before. Give each one a jti of its own.',
  'failures.assertion_invalid': 'A claim of the client assertion was wrong. The answer says which.',
  'failures.client_keys_missing':
    'There is no key to check the client assertion by. Register one, or make a new secret.',
  'failures.client_keys_unavailable':
    'Its keys could not be fetched from its jwks_uri. See that it answers quickly, with a key set.',
  'failures.client_certificate_missing':
    'It showed no certificate. Send its requests over mutual TLS, to the addresses for it (mtls_endpoint_aliases) if there are some.',
  'failures.client_certificate_untrusted':
    'Its certificate has expired, is not valid yet, or is of an authority that is not trusted here. Take a new one, with its whole chain.',
  'failures.client_certificate_wrong':
    'Its certificate is not the one that it is registered with. Check the subject, or register the new certificate.',
  'failures.client_blocked': 'It is blocked. Ask the people who run this site.',
  'failures.client_not_approved': 'It waits for approval. Until then only its owner can use it.',
  'failures.rate_limited': 'It asked too often, or was wrong too often. Wait as long as Retry-After says.',
  'failures.public_client': 'It is a public client: it has no secret to send, and gets no access for itself.',
  'failures.introspection_not_registered':
    'It may not ask what a token is worth. The people who run this site can allow it.',
  'failures.grant_type_unsupported': 'This site does not know the grant_type. Check its spelling.',
  'failures.grant_type_not_registered':
    'It is not registered for the grant_type. Choose it under “Edit” if it is offered.',
  'failures.response_type_unsupported':
    'This site does not offer the response_type. Send response_type=code.',
  'failures.response_type_not_registered': 'It is not registered for the response_type.',
  'failures.response_mode_unsupported': 'The response_mode does not go with the response_type. Leave it out.',
  'failures.redirect_uri_missing':
    'It has several redirect URIs and sent none. Send the one you mean as redirect_uri.',
  'failures.redirect_uri_mismatch':
    'The redirect_uri is none of those above. It must be the same to the last character.',
  'failures.redirect_uri_not_registered': 'It has no redirect URI. Add one under “Edit”.',
  'failures.signing_required':
    'The request was not signed, and it has to be. Send it as a request object (RFC 9101).',
  'failures.request_object_invalid':
    'The request object was wrong: its signature, its time, or what stands in it. The error says which.',
  'failures.request_uri_unusable':
    'The request object could not be had from the request_uri: it is not registered, did not answer, or answered something else. The error says which.',
  'failures.dpop_proof_missing': 'A proof of the key (DPoP) was missing. Send one with each request.',
  'failures.dpop_proof_invalid':
    'A proof of the key (DPoP) was wrong: its signature, its time, or the address in it. The error says which.',
  'failures.key_mismatch':
    'A token or code was bound to another key than the proof was made with. Use the key that it was asked for with.',
  'failures.request_too_large': 'The request was too long. Shorten state, or ask for fewer scopes.',
  'failures.parameter_missing': 'A parameter was missing. The answer names it.',
  'failures.parameter_malformed': 'A parameter was there twice, or was no plain text. The answer names it.',
  'failures.parameter_unsupported':
    'This site does not support one of the parameters. The answer names it: leave it out.',
  'failures.pushing_required':
    'The request has to be pushed first, to the pushed authorization request endpoint.',
  'failures.prompt_invalid': 'The prompt had none beside another value. Send none alone.',
  'failures.login_required':
    'Nobody was logged in, or the person had allowed this application nothing yet, and prompt=none lets nobody be asked. Ask again without it.',
  'failures.consent_required':
    'The person had not allowed this yet, and prompt=none lets nobody be asked. Ask again without it.',
  'failures.denied_by_user': 'People said no. Ask for less, and tell them before what it is for.',
  'failures.pkce_missing': 'No code_challenge was sent. Use PKCE with code_challenge_method=S256.',
  'failures.pkce_method_unsupported': 'The code_challenge_method has to be S256.',
  'failures.pkce_malformed': 'The code_challenge is not the base64url form of a SHA-256 hash.',
  'failures.pkce_mismatch':
    'The code_verifier does not fit the code_challenge. Keep it with the request until its code is redeemed.',
  'failures.scope_malformed':
    'The scope was empty, or had characters that no scope has. Put one space between two scopes.',
  'failures.scope_unknown': 'There is no such scope. Check its spelling.',
  'failures.scope_not_registered':
    'The scope is not one that it may ask for. Choose it under “Edit” if it is offered.',
  'failures.scope_not_granted': 'It refreshed with a scope that the person had not allowed. Leave scope out.',
  'failures.resource_missing': 'This site wants to know for which resource. Name it by resource.',
  'failures.resource_unknown': 'This site does not know the resource.',
  'failures.resource_not_granted':
    'The resource was not allowed. Name it in the authorization request already.',
  'failures.resource_ambiguous':
    'Several resources were allowed, and a token is for one. Name it by resource.',
  'failures.resource_without_scopes': 'None of the scopes belongs to the resource.',
  'failures.authorization_details_invalid':
    'The authorization_details are malformed, of a type that is not known here, or have missing or unknown fields.',
  'failures.authorization_details_not_registered':
    'It is not registered for a type of these authorization_details.',
  'failures.authorization_details_not_granted':
    'The authorization_details are more than what was allowed. Ask for what was allowed, or leave them out.',
  'failures.code_unknown': 'There is no such code, or it is long gone. Redeem it at once, unchanged.',
  'failures.code_expired': 'The code had expired. Redeem it at once.',
  'failures.code_used': 'The code was redeemed a second time, which ended its access. Redeem a code once.',
  'failures.code_revoked': 'The person had ended the access that the code was for. Send them through again.',
  'failures.code_of_other_client':
    'The code was for another application. Check which client ID your server uses.',
  'failures.code_redirect_uri_mismatch':
    'The redirect_uri differs from that of the authorization request. Send the same one with the code.',
  'failures.refresh_token_unknown':
    'There is no such refresh token, or it is long gone. Send the person through again.',
  'failures.refresh_token_expired': 'The refresh token had expired. Send the person through again.',
  'failures.refresh_token_reused':
    'A refresh token was used a second time, which ended the access. Keep the new one each time, and refresh once at a time.',
  'failures.refresh_token_revoked': 'The access had been ended. Send the person through again.',
  'failures.access_ended':
    'The access had ended: the person had allowed it for so long. Send them to allow it again.',
  'failures.choice_lost':
    'What the person had picked is no longer theirs to give, a workspace they have left, say. Send them to allow it again.',
  'failures.device_code_unknown':
    'There is no such device code, or it is for another application. Begin anew.',
  'failures.device_code_expired': 'The device code expired before anybody had allowed it. Begin anew.',
  'failures.device_code_used':
    'The device code was used a second time, which ended its access. Stop asking once you have tokens.',
  'failures.device_code_revoked': 'The access of the device had been ended. Begin anew.',
  'failures.token_of_other_client':
    'The token was for another application. Check which client ID your server uses.',
  'failures.token_not_revocable':
    'This token cannot be taken back. It ends by itself a few minutes after it was issued.',
  'failures.wrong_password': 'The user name or the password was wrong.',
  'failures.refused_by_policy':
    'A rule of this site refused it. The answer says which, as far as the site tells.',
  'failures.too_many_grants': 'The application has as many grants as it may have at once.',
  'failures.other': 'It was refused for another reason. The answer says more.',

  'application.disconnect': 'Disconnect everyone',
  'application.disconnectMeaning':
    'If a secret or tokens have got into the wrong hands: every access ends at once, and the application stays. Make a new secret first.',
  'application.disconnectTokens':
    'If tokens have got into the wrong hands: every access ends at once, and the application stays.',
  'application.disconnectButton': 'Disconnect everyone…',
  'application.disconnectHeading': 'Disconnect everyone from {client}?',
  'application.disconnectLead':
    'All its tokens end at once, those that it has for itself among them, and what people have allowed it is forgotten. Whoever wants to use it has to allow it again. This cannot be undone.',
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
  'application.byCertificate': 'certificate',
  'application.byNothing': 'nothing (public)',
  'application.keys': 'Keys',
  'application.keysHere': 'Its signatures are checked with these public keys:',
  'application.keysThere': 'Its signatures are checked with the public keys at {address}.',
  'application.keysChange': 'To change them, edit the application.',
  'application.endOld': 'End the old secret now',
  'application.endOldMeaning':
    'Once everything of yours uses the current secret, end the old one. What still uses it is refused at once.',
  'application.try': 'Try it',
  'application.tryMeaning':
    'See the consent page of this application as people see it, with all that it may ask for. If you allow it, it is connected to your own account, and you can disconnect it again.',
  'application.tryOpen': 'Open the consent page in a new tab',
  'application.tryBack':
    'Then your browser goes to {uri}, with a code in the address. Your application did not ask for it and will refuse it, as it should: copy the code from the address. Where a running application leads on from there, stop it for a moment.',
  'application.tryRedeem':
    'Within {span}, these lines give tokens for the code. They belong to the link on this page: when you load the page again, both are new.',
  'application.tryStepByStep': 'Try it step by step',
  'application.code': 'Code to copy',
  'application.codeMeaning':
    'With the values of this application. Secrets are not in it: they come from the environment.',
  'application.verification': 'Verification',
  'application.isVerified':
    'This site says that it knows who is behind this application: people see it as verified when it asks for access. If its owner changes its name, a redirect URI, its keys or its description, lets it ask for more or get access in more ways, or gives a page or a logo at another host, that ends. It also ends if somebody else becomes an owner.',
  'application.isUnverified':
    'People are told that nobody has checked who is behind this application. Verify it if you know who made it, and if its name and redirect URIs are theirs.',
  'application.isSelfRegistered':
    'It registered itself: everything it says about itself, its name first of all, is its own claim. Once verified it can no longer change itself.',
  'application.verify': 'Verify',
  'application.unverify': 'Take the verification back',
  'application.changedSince': 'Changed since this site last looked at it:',
  'application.isBlocked': 'This site has blocked the application.',
  'application.blockedSince': 'It has got nothing since {time}.',
  'application.blockedFor': 'Reason:',
  'application.blockedHint':
    'What people have allowed it is kept. Only the people who run the site can unblock, change or delete it.',
  'application.block': 'Block this application',
  'application.blockMeaning':
    'It gets nothing from that moment on, and its tokens stop working. What people have allowed it is kept, so you can take this back.',
  'application.blockReason': 'Reason (optional)',
  'application.blockReasonHint': 'Its owner reads this.',
  'application.blockButton': 'Block',
  'application.blockedHeading': 'Blocked',
  'application.unblockMeaning': 'As soon as it is unblocked, all that people have allowed it works again.',
  'application.unblock': 'Unblock',
  'application.awaitsApproval': 'Waits for approval',
  'application.approveMeaning':
    'Until you approve it, only its owner can authorize it. Look first at its name, its redirect URIs, what it may ask for and how it gets access.',
  'application.approve': 'Approve',
  'application.awaitsApprovalHint':
    'The application waits for the people who run this site to approve it. Until then only you can authorize it, so that you can try it.',
  'application.deleteType': 'To confirm, type its name: {client}',
  'application.deleteTypeOr': 'Its client ID will do as well: {id}',
  'application.deleteMismatch': 'That is not its name, so nothing was deleted.',

  'owners.title': 'Owners',
  'owners.meaning': 'Each owner can do everything here: change the application, make new secrets, delete it.',
  'owners.you': 'you',
  'owners.remove': 'Remove…',
  'owners.leave': 'Leave…',
  'owners.invited': 'Invited',
  'owners.waits': 'can accept until {date}',
  'owners.waitsToTake': 'can take it over until {date}',
  'owners.withdraw': 'Take back',
  'owners.invite': 'Invite somebody',
  'owners.person': 'User name or e-mail address',
  'owners.personMeaning':
    'You are not told whether there is such a person here. If there is, they find the invitation on their page of applications and have seven days to accept it.',
  'owners.as': 'What they become',
  'owners.asOwner': 'One more owner',
  'owners.asTransfer': 'Owner in my place',
  'owners.asTransferMeaning': 'As soon as they accept, you are no longer an owner. Other owners stay.',
  'owners.verifiedEnds':
    'This site has verified the application; that ends as soon as somebody accepts, and the site has to verify it again.',
  'owners.approvalEnds':
    'As soon as somebody accepts, the application waits for approval again. Until then only its owners can authorize it.',
  'owners.inviteButton': 'Invite',
  'owners.missing': 'Enter who it is.',
  'owners.tooLong': 'This is longer than 200 characters.',
  'owners.already': 'This person is an owner already.',
  'owners.tooManyOwners': 'The application has as many owners as it can have.',
  'owners.tooManyInvitations':
    'Five invitations are open already. Take one back, or wait until one is answered.',
  'owners.tooManyApplications': 'You have as many applications as you can have. Leave or delete one first.',
  'owners.nowInvited':
    'If there is such a person here, they find the invitation on their page of applications.',
  'owners.nowWithdrawn': 'The invitation is taken back.',
  'owners.nowAccepted': 'You are an owner of this application now.',
  'owners.nowDeclined': 'The invitation is declined.',
  'owners.nowRemoved': 'The owner is removed. If they know a secret of the application, make a new one.',
  'owners.nowLeft': 'You are no longer an owner of the application.',
  'owners.last': 'Nobody else owns the application. Hand it over, or delete it.',
  'owners.gone': 'There is no such invitation any more.',
  'owners.invitations': 'Invitations',
  'owners.toJoin': 'You are invited to become an owner.',
  'owners.toTake': 'It is to be handed over to you.',
  'owners.askedBy': 'Invited by {person}.',
  'owners.until': 'You can accept until {date}.',
  'owners.joinHeading': 'Become an owner of {client}?',
  'owners.takeHeading': 'Take {client} over?',
  'owners.acceptMeaning':
    'Owners answer for what an application does. Accept only if you know the application, and who invites you.',
  'owners.accept': 'Accept',
  'owners.decline': 'Decline',
  'owners.removeHeading': 'Remove {person} from {client}?',
  'owners.removeMeaning': 'They can no longer see or change the application.',
  'owners.removeSecret': 'If they know its secret, make a new one afterwards.',
  'owners.removeConfirm': 'Remove',
  'owners.leaveHeading': 'Leave {client}?',
  'owners.leaveMeaning': 'You can no longer see or change it, unless another owner invites you again.',
  'owners.leaveConfirm': 'Leave',

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
  'form.about': 'More about the application',
  'form.aboutMeaning':
    'All of this may stay empty. People see the pages and the logo where they are at the host of a redirect URI, and everywhere once this site has verified the application.',
  'form.aboutVerified':
    'This application is verified. It has to be verified again if you change its name, a redirect URI, how it proves that it is itself or its description, if you let it ask for more or get access in more ways, or if you give a page or a logo that is at another host.',
  'form.approvalEnds':
    'This application waits for approval again if you change its name, a redirect URI, how it proves that it is itself or its description, if you let it ask for more or get access in more ways, or if you give a page or a logo that is at another host. Until then only its owners can authorize it.',
  'form.description': 'Description',
  'form.descriptionMeaning':
    'What it is for, in a sentence or two. People see it once the application is verified.',
  'form.logoUri': 'Logo',
  'form.logoUriMeaning': 'The address of a square picture, such as {example}.',
  'form.pageMeaning': 'Such as {example}.',

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
  'problem.namePicture': 'The name has an emoji, a check mark or another picture.',
  'problem.nameSentence': 'The name has a sentence in it. A name is enough.',
  'problem.nameScripts': 'A word of the name mixes letters of different writing systems.',
  'problem.nameReserved': 'People could take the name for {name}. Choose one that cannot be mistaken for it.',
  'problem.nameBadge':
    '“{word}” is what this site says of an application, so no application can be called so.',
  'problem.descriptionTooLong':
    'The description is longer than {max, plural, one {# character} other {# characters}}.',
  'problem.descriptionInvisible': 'The description has invisible or control characters.',
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
  'problem.pageNotAbsolute': 'It is not a complete address, such as https://app.example/about.',
  'problem.pageScheme': 'The address must begin with https://.',
  'problem.scopeUnknown': 'There is no scope {scope}.',
  'problem.grantTypeUnknown': 'The grant type {grantType} is not offered here.',
  'problem.grantTypeMissing': 'Choose at least one way to get access.',
  'problem.grantTypeOnlyRefresh': 'Refresh tokens come with another way to get access. Choose one as well.',
  'problem.authenticationUnknown': 'Choose how it proves that it is itself.',
  'problem.jwksMissing': 'Enter the public keys.',
  'problem.jwksNoJson': 'The keys are not valid JSON.',
  'problem.jwksNoSet': 'This is no key set. It looks like {"keys": [ … ]} (RFC 7517).',
  'problem.jwksCount': 'The set has {count, plural, one {# key} other {# keys}}. There can be 1 to {max}.',
  'problem.jwksTooLong': 'The keys are longer than {max, plural, one {# character} other {# characters}}.',
  'problem.jwksNoObject': 'A key in the set is no JSON object.',
  'problem.jwksPrivate':
    'This is a private or secret key, which only its owner may have. Do not use it any more: make a new one, and enter its public half.',
  'problem.jwksMembers':
    'A key has a member of another kind than RFC 7517 and RFC 7518 say, or one that is an object.',
  'problem.jwksKind': 'A key has a type (kty) other than RSA, EC and OKP.',
  'problem.jwksRsaSize': 'An RSA key has less than 2048 or more than 8192 bits.',
  'problem.jwksUriMissing': 'Enter the address of the public keys.',
  'problem.jwksUriNotUrl': 'The address of the keys is not a URL.',
  'problem.jwksUriParts': 'The address of the keys has a user name, a password or a fragment.',
  'problem.jwksUriScheme': 'The address of the keys must begin with https://.',

  'snippet.secret': 'CLIENT_SECRET comes from the environment',
  'snippet.key': 'CLIENT_PRIVATE_KEY comes from the environment: PKCS #8, as PEM',
  'snippet.certificate':
    'CLIENT_CERTIFICATE and CLIENT_KEY come from the environment: the paths of the certificate and of its key, as PEM',
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
