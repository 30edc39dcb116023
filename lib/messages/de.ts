import type { Messages } from './en.js';

export const de: Messages = {
  'layout.navigation': 'Ihr Konto',
  'layout.applications': 'Ihre Anwendungen',
  'layout.logOut': 'Abmelden',
  'layout.loggedInAs': 'Angemeldet als {user}',
  'layout.refused': 'Fehler: {title}',
  'layout.language': 'Sprache',

  'login.title': 'Anmelden',
  'login.username': 'Benutzername',
  'login.password': 'Passwort',
  'login.showPassword': 'Passwort anzeigen',
  'login.hidePassword': 'Passwort verbergen',
  'login.submit': 'Anmelden',
  'login.wrong': 'Benutzername oder Passwort stimmt nicht.',
  'login.outOfDate':
    'Diese Seite war zu lange offen, oder Ihr Browser nimmt keine Cookies an. Bitte melden Sie sich noch einmal an.',
  'login.already':
    'Sie sind schon als {user} angemeldet, vielleicht in einem anderen Tab. Dieses Formular stammt von vorher und wurde deshalb nicht verwendet.',
  'login.continueAs': 'Weiter als {user}',
  'login.asSomebodyElse': 'Oder melden Sie sich mit einem anderen Konto an:',
  'login.toGoOn': 'Um zu {client} weiterzugehen',
  'login.forgot': 'Passwort vergessen?',
  'login.signUp': 'Noch kein Konto? Registrieren',

  'logout.title': 'Abmelden',
  'logout.heading': 'Abmelden?',
  'logout.loggedInAs': 'Sie sind als {user} angemeldet.',
  'logout.stay': 'Angemeldet bleiben',
  'logout.submit': 'Abmelden',
  'endSession.byClient': '{client} fragt, ob Sie sich auch bei {site} abmelden möchten.',
  'endSession.here': 'Möchten Sie sich bei {site} abmelden?',
  'endSession.meaning':
    'Apps und Websites, bei denen Sie sich mit diesem Konto angemeldet haben, erfahren davon und melden Sie ebenfalls ab.',
  'endSession.done': 'Sie sind abgemeldet',
  'endSession.nobody': 'Hier ist niemand mehr angemeldet.',
  'endSession.telling': 'Die Apps und Websites, bei denen Sie angemeldet waren, werden benachrichtigt.',
  'endSession.back': 'Zurück zu {client}',

  'formPost.title': 'Einen Moment',
  'formPost.message': 'Sie sind auf dem Weg zurück zu {client}.',
  'formPost.goOn': 'Weiter',
  'account.title': 'Konto wählen',
  'account.chooseHeading': 'Mit welchem Konto geht es weiter?',
  'account.againHeading': 'Bitte melden Sie sich noch einmal an',
  'account.choose': '{client} fragt, welches Ihrer Konten bei {site} verwendet werden soll.',
  'account.again':
    '{client} bittet Sie, sich bei {site} noch einmal anzumelden, um sicher zu sein, dass Sie es sind.',
  'account.current': 'Sie sind als {user} angemeldet.',
  'account.continueAs': 'Weiter als {user}',
  'account.another': 'Anderes Konto verwenden',
  'account.logInAgain': 'Noch einmal anmelden',
  'account.cancel': 'Abbrechen',
  'account.outOfDate':
    'Diese Seite war nicht mehr aktuell, deshalb wurde nichts geändert. Bitte wählen Sie jetzt.',

  'openid.openid': 'Sie mit Ihrem Konto hier anmelden',
  'openid.profile': 'Ihren Namen, Ihr Bild und die übrigen Angaben Ihres Profils sehen',
  'openid.email': 'Ihre E-Mail-Adresse sehen',
  'openid.address': 'Ihre Postanschrift sehen',
  'openid.phone': 'Ihre Telefonnummer sehen',
  'openid.offline_access': 'Diesen Zugriff behalten, während Sie die Anwendung nicht benutzen',
  'claim.name': 'Ihren vollständigen Namen sehen',
  'claim.family_name': 'Ihren Familiennamen sehen',
  'claim.given_name': 'Ihren Vornamen sehen',
  'claim.middle_name': 'Ihren zweiten Vornamen sehen',
  'claim.nickname': 'Ihren Spitznamen sehen',
  'claim.preferred_username': 'Den Benutzernamen sehen, mit dem Sie angesprochen werden möchten',
  'claim.profile': 'Die Adresse Ihrer Profilseite sehen',
  'claim.picture': 'Ihr Bild sehen',
  'claim.website': 'Die Adresse Ihrer Website sehen',
  'claim.gender': 'Ihr Geschlecht sehen',
  'claim.birthdate': 'Ihr Geburtsdatum sehen',
  'claim.zoneinfo': 'Ihre Zeitzone sehen',
  'claim.locale': 'Ihre Sprache und Region sehen',
  'claim.updated_at': 'Sehen, wann Ihr Profil zuletzt geändert wurde',
  'claim.email_verified': 'Sehen, ob Ihre E-Mail-Adresse überprüft wurde',
  'claim.phone_number_verified': 'Sehen, ob Ihre Telefonnummer überprüft wurde',
  'claim.other': 'Sehen, was diese Website als „{claim}“ über Sie weiß',

  'consent.title': '{client} erlauben?',
  'consent.heading': '{client} möchte Ihr Konto verwenden',
  'consent.signInHeading': 'Bei {client} anmelden',
  'consent.loggedInAs': 'Sie sind bei {site} als {user} angemeldet.',
  'consent.notYou': 'Nicht Sie?',
  'consent.verified': 'Geprüft',
  'consent.verifiedMeaning': '{site} hat geprüft, wer hinter dieser Anwendung steht.',
  'consent.publishedBy': 'Herausgegeben von {publisher}',
  'consent.publisherChecked': '{site} hat das geprüft.',
  'consent.tooManyClients':
    'An einem Tag können Sie nur eine bestimmte Zahl von Anwendungen erlauben, die für diese Website neu sind und die niemand geprüft hat. Nichts ist verloren: Erlauben Sie diese morgen.',
  'consent.unverified': 'Nicht geprüft',
  'consent.unverifiedMeaning':
    '{site} hat nicht geprüft, wer dahintersteht. Erlauben Sie es nur, wenn Sie die Anwendung kennen und gerade von ihr kommen.',
  'consent.deviceUnverifiedMeaning':
    '{site} hat nicht geprüft, wer hinter dieser Anwendung steht. Erlauben Sie es nur, wenn Sie sie gerade selbst auf Ihrem Gerät gestartet haben.',
  'consent.host': 'Ihre Adresse:',
  'consent.aDevice': 'auf einem Gerät',
  'consent.registered': 'Hier registriert: {date}',
  'consent.registeredBy': 'Hier registriert: {date}, von {owner}',
  'consent.handedOver': 'Seit {date} in den Händen von {owner}',
  'consent.registeredItself': 'Sie hat sich hier selbst registriert: {date}',
  'consent.describesItself': 'Wer sie ist, sagt sie unter {url}',
  'consent.onDevice':
    'Es geht weiter zu einer App auf diesem Gerät, und jede App hier könnte sich als {client} ausgeben. Erlauben Sie es nur, wenn Sie sie gerade selbst gestartet haben.',
  'consent.fewPeople': 'Weniger als {count} Personen verwenden sie',
  'consent.clientUri': 'Website',
  'consent.policyUri': 'Datenschutzerklärung',
  'consent.tosUri': 'Nutzungsbedingungen',
  'consent.can': 'Wenn Sie zustimmen, kann sie:',
  'consent.canNew': 'Diesmal neu:',
  'consent.canAlready': 'Haben Sie schon früher erlaubt:',
  'consent.canInParticular': 'Und dies im Einzelnen:',
  'consent.needed': 'erforderlich',
  'consent.highRisk': 'Kann schaden',
  'consent.highRiskMeaning':
    'Was schaden kann, ist nicht für Sie angehakt. Haken Sie es nur an, wenn Sie es erlauben wollen.',
  'consent.more': 'Weiteres',
  'consent.count': '{count, plural, one {# Berechtigung} other {# Berechtigungen}}',
  'consent.includes': 'Schließt ein: {scope}',
  'consent.includedIn': 'Gehört zu „{scope}“, auch wenn Sie es hier abwählen.',
  'consent.mayHandOn': '{client} darf das an {other} weitergeben.',
  'consent.resource': 'Der Zugriff gilt für {resource}.',
  'consent.untick': 'Nehmen Sie das Häkchen weg bei allem, was Sie nicht erlauben möchten.',
  'consent.identityOnly':
    'Wenn Sie zustimmen, erfährt die Anwendung nur, wer Sie sind: die Kennung Ihres Kontos hier. Sie kann nichts ansehen und nichts ändern.',
  'consent.cannot': 'Das kann sie nicht:',
  'consent.cannotPassword': 'Ihr Passwort sehen oder ändern',
  'consent.cannotElse': 'Etwas tun, das Sie hier nicht erlaubt haben',
  'consent.cannotNote': '',
  'consent.deny': 'Ablehnen',
  'consent.allow': 'Erlauben',
  'consent.askEachTime': 'Jedes Mal wieder fragen',
  'consent.goesTo': 'In jedem Fall geht es weiter zu {host}.',
  'consent.device': 'einer App auf diesem Gerät',
  'consent.takeBack': 'Sie können das jederzeit zurücknehmen.',
  'consent.takeBackLink': 'Ansehen, was Sie erlaubt haben',
  'consent.outOfDate':
    'Diese Seite war nicht mehr aktuell, deshalb wurde nichts entschieden. Bitte entscheiden Sie jetzt.',
  'consent.undecided': 'Bitte wählen Sie „Erlauben“ oder „Ablehnen“.',
  'consent.nothingTicked':
    'Sie haben nichts angehakt, darum wurde nichts entschieden. Haken Sie an, was Sie erlauben wollen, oder lehnen Sie ab.',
  'consent.notPicked':
    'Etwas ist noch nicht ausgewählt, deshalb wurde nichts entschieden. Bitte sehen Sie unten nach.',
  'choice.lifetime': 'Wie lange darf sie Zugriff haben?',
  'choice.pick': 'Bitte wählen',
  'choice.none': 'Ohne Einschränkung',
  'choice.missing': 'Bitte wählen Sie etwas aus.',
  'choice.wrongNumber': 'Bitte geben Sie eine Zahl von {min} bis {max} ein.',
  'choice.nothing': 'Hier gibt es nichts, was Sie auswählen könnten; deshalb lässt es sich nicht erlauben.',
  'consent.confirmTitle': '{client} wirklich erlauben?',
  'consent.confirmHeading': '{client} bekäme viel Macht',
  'consent.confirmLead': 'Wenn Sie fortfahren, kann sie:',
  'consent.confirmMeaning':
    'Hat Sie jemand hierher geschickt, den Sie nicht kennen, oder eine Nachricht, die Sie nicht erwartet haben? Dann lehnen Sie ab.',
  'consent.confirm': 'Trotzdem erlauben',
  'consent.deviceHeading': 'Sie verbinden gerade ein Gerät. Zeigt es diesen Code an?',
  'consent.deviceCheck':
    'Erlauben Sie das nur, wenn Sie das Gerät vor sich haben und es genau diesen Code anzeigt. Wenn Ihnen jemand den Code geschickt hat, lehnen Sie ab.',
  'consent.deviceAfter':
    'Danach können Sie zu Ihrem Gerät zurückgehen. Ihr Passwort bleibt hier, das Gerät bekommt es nie zu sehen.',

  'device.title': 'Gerät verbinden',
  'device.lead': 'Geben Sie den Code ein, den Ihr Gerät anzeigt.',
  'device.fromLink':
    'Der Code stand schon im Link. Machen Sie nur weiter, wenn das Gerät vor Ihnen genau diesen Code anzeigt.',
  'device.code': 'Code',
  'device.codeMeaning': 'Acht Buchstaben. Ob groß oder klein, mit oder ohne Bindestrich, ist egal.',
  'device.submit': 'Weiter',
  'device.warning':
    'Hat Ihnen jemand diesen Code geschickt oder vorgelesen? Dann brechen Sie ab: Wer das Gerät hat, käme in Ihr Konto.',
  'device.wrongCode':
    'Dieser Code stimmt nicht, oder er wurde schon verwendet oder ist abgelaufen. Sehen Sie noch einmal auf Ihr Gerät; wenn es einen anderen Code anzeigt, geben Sie diesen ein.',
  'device.notACode':
    'Ein Code hat acht Buchstaben; eingegeben haben Sie mehr oder weniger. Sehen Sie noch einmal auf Ihr Gerät und geben Sie alle ein.',
  'device.outOfDate':
    'Diese Seite war zu lange offen, oder Ihr Browser nimmt keine Cookies an. Bitte senden Sie den Code noch einmal.',
  'device.allowed': 'Ihr Gerät ist verbunden',
  'device.allowedMessage':
    'Sie können jetzt zu ihm zurückgehen: In ein paar Sekunden geht es dort von selbst weiter. Diese Seite können Sie schließen.',
  'device.later': 'Anders überlegt? Sie können es jederzeit wieder trennen.',
  'device.laterLink': 'Ihre verbundenen Apps ansehen',
  'device.denied': 'Es wurde nichts verbunden',
  'device.deniedMessage': 'Das Gerät bekommt keinen Zugriff auf Ihr Konto. Diese Seite können Sie schließen.',

  'tokens.title': 'Zugangstoken',
  'tokens.lead':
    'Damit erreichen Ihre eigenen Programme Ihr Konto. Wer ein Token hat, kann tun, was es kann.',
  'tokens.none': 'Keine Zugangstoken',
  'tokens.noneMessage':
    'Erstellen Sie eines für ein Skript, einen regelmäßigen Auftrag oder ein eigenes Werkzeug.',
  'tokens.new': 'Neues Token',
  'tokens.newService': 'Neues Diensttoken',
  'tokens.service': 'Diensttoken',
  'tokens.serviceLead':
    'Sie handeln für niemanden. Alle, die sich um eines kümmern, können es ersetzen und beenden.',
  'tokens.serviceBadge': 'Dienst',
  'tokens.blockedBadge': 'gesperrt',
  'tokens.isBlocked': 'Diese Website hat das Token gesperrt.',
  'tokens.blockedSince':
    'Seit {time} öffnet es nichts mehr; sobald es entsperrt ist, gilt es wieder, wie es ist.',
  'tokens.serviceApps': 'Ihre Anwendungen, die für sich selbst handeln',
  'tokens.noService': 'Sie kümmern sich um keine Diensttoken.',
  'tokens.made': 'Erstellt am {date}',
  'tokens.expires': 'Läuft ab am {date}',
  'tokens.expiresNever': 'Läuft nicht ab',
  'tokens.used': 'Zuletzt benutzt am {date}',
  'tokens.unused': 'Noch nicht benutzt',
  'tokens.revoke': 'Widerrufen',
  'tokens.revokeMeaning': 'Programme, die es benutzen, verlieren den Zugang sofort.',
  'tokens.revokeConfirm': 'Es widerrufen',
  'tokens.revokeAll': 'Alle widerrufen …',
  'tokens.revokeAllMeaning':
    'Alle Ihre persönlichen Zugangstoken enden sofort, und Programme, die sie benutzen, verlieren den Zugang.',
  'tokens.revokeAllConfirm': 'Alle widerrufen',
  'tokens.revoked': '{client} ist beendet und gibt keinen Zugang mehr.',
  'tokens.revokedAll': 'Alle Ihre persönlichen Zugangstoken sind beendet.',
  'tokens.back': 'Alle Zugangstoken',
  'tokens.name': 'Name',
  'tokens.nameMeaning': 'Damit Sie es in der Liste wiedererkennen, etwa „Nächtliche Sicherung“.',
  'tokens.purpose': 'Wofür es ist (freiwillig)',
  'tokens.resource': 'Für welche API',
  'tokens.resourceOwn': 'Die API von {site}',
  'tokens.scopesMeaning':
    'Kreuzen Sie nur an, was das Programm braucht. Sie können später etwas zurücknehmen, aber nichts hinzufügen.',
  'tokens.expiry': 'Läuft ab',
  'tokens.expiryIn': 'In {span}',
  'tokens.expiryOn': 'An einem Datum',
  'tokens.expiryDate': 'Datum',
  'tokens.expiryDateMeaning': 'Am Ende dieses Tages (UTC), spätestens am {date}.',
  'tokens.expiryNever': 'Nie',
  'tokens.expiryNeverMeaning': 'Es gilt, bis jemand es widerruft: Wer es findet, kann es so lange benutzen.',
  'tokens.create': 'Token erstellen',
  'tokens.confirmHeading': 'Möchten Sie das?',
  'tokens.confirmLead': 'In falschen Händen könnte „{name}“ Schaden anrichten:',
  'tokens.confirmMeaning': 'Wer das Token hat, kann das tun, ohne Sie zu fragen.',
  'tokens.confirm': 'Ja, Token erstellen',
  'tokens.nameMissing': 'Geben Sie dem Token einen Namen.',
  'tokens.nameLong': 'Der Name kann höchstens 100 Zeichen haben.',
  'tokens.nameUnseen': 'Der Name hat unsichtbare Zeichen oder nichts zum Lesen.',
  'tokens.purposeLong': 'Der Text kann höchstens 500 Zeichen haben.',
  'tokens.purposeUnseen': 'Der Text hat unsichtbare Zeichen.',
  'tokens.scopesMissing': 'Kreuzen Sie mindestens eines an, was es kann.',
  'tokens.scopesElsewhere': 'Nichts von dem, was Sie angekreuzt haben, gehört zu dieser API.',
  'tokens.resourceMissing': 'Wählen Sie eine API.',
  'tokens.expiryMissing': 'Wählen Sie, wann es abläuft.',
  'tokens.expiryPast': 'Dieser Tag ist vorbei.',
  'tokens.expiryLate': 'Das ist zu spät.',
  'tokens.tooMany':
    'Es kann {count} Token zugleich geben, und Sie haben so viele. Widerrufen Sie erst eines.',
  'tokens.refused': 'Diese Website erlaubt das nicht.',
  'tokens.madeTitle': 'Ihr neues Token',
  'tokens.madeLead': 'Kopieren Sie es jetzt: Es wird nur dieses eine Mal gezeigt.',
  'tokens.value': 'Token',
  'tokens.try': 'In einem Terminal ausprobieren',
  'tokens.alreadyMade':
    'Dieses Token ist schon erstellt, und sein Wert wurde gezeigt. Falls Sie ihn nicht kopiert haben, ersetzen Sie das Token.',
  'tokens.formerUntil': 'Der frühere Wert gilt bis {time}.',
  'tokens.madeLabel': 'Erstellt',
  'tokens.replacedLabel': 'Zuletzt ersetzt',
  'tokens.usedLabel': 'Zuletzt benutzt',
  'tokens.purposeLabel': 'Wofür es ist',
  'tokens.rotate': 'Ersetzen',
  'tokens.rotateMeaning':
    'Sie bekommen einen neuen Wert. Der jetzige gilt noch {span}, damit Sie Ihr Programm ändern können.',
  'tokens.rotateAtOnce': 'Sie bekommen einen neuen Wert. Der jetzige endet sofort.',
  'tokens.rotateButton': 'Es ersetzen',
  'tokens.rotatedMeanwhile': 'Es wurde vorher ersetzt, und der neue Wert wurde dabei gezeigt.',
  'tokens.untick':
    'Nehmen Sie den Haken weg bei dem, was Sie zurücknehmen möchten. Es lässt sich nicht wieder geben.',
  'tokens.ownersMeaning':
    'Alle Besitzer können hier alles: das Token ersetzen, Berechtigungen zurücknehmen, es beenden.',
  'tokens.tooManyOwners': 'Das Token hat so viele Besitzer, wie es haben kann.',
  'tokens.nowOwner': 'Sie sind jetzt Besitzer dieses Tokens.',
  'tokens.ownerRemoved': 'Der Besitzer ist entfernt. Kennt er das Token, ersetzen Sie es.',
  'tokens.lastOwner': 'Das Token hat sonst keinen Besitzer. Übergeben Sie es, oder beenden Sie es.',
  'tokens.tooManyToAccept':
    'Sie betreuen so viele Diensttoken, wie Sie können. Verlassen oder beenden Sie zuerst eines.',
  'tokens.removeOwnerMeaning':
    'Diese Person kann das Token dann nicht mehr sehen oder ändern. Kennt sie seinen Wert, ersetzen Sie es danach.',
  'tokens.acceptMeaning':
    'Dann können Sie das Token ersetzen, Berechtigungen zurücknehmen und es beenden, wie seine anderen Besitzer. Es handelt für niemanden, auch nicht für Sie.',
  'tokens.left': 'Sie kümmern sich nicht mehr um {client}.',
  'tokens.nowInvited':
    'Wenn es diese Person hier gibt, findet sie die Einladung auf ihrer Seite mit Zugangstoken.',
  'tokens.personMeaning':
    'Sie erfahren nicht, ob es diese Person hier gibt. Wenn ja, findet sie die Einladung auf ihrer Seite mit Zugangstoken und hat sieben Tage Zeit, sie anzunehmen.',
  'authorizations.revokeAllMeaningTokens':
    'Alle Anwendungen und Geräte verlieren den Zugang sofort und müssen Sie wieder fragen. Auch Ihre persönlichen Zugangstoken enden.',

  'notify.newApp.subject': '{client} kann jetzt Ihr Konto bei {site} benutzen',
  'notify.newApp.text': 'Sie haben der Anwendung {client} erlaubt, Ihr Konto bei {site} zu benutzen.',
  'notify.moreScopes.subject': '{client} kann jetzt mehr mit Ihrem Konto bei {site} tun',
  'notify.moreScopes.text':
    'Sie haben der Anwendung {client} erlaubt, mit Ihrem Konto bei {site} mehr zu tun als bisher.',
  'notify.newDevice.subject': 'Ein Gerät kann jetzt Ihr Konto bei {site} benutzen',
  'notify.newDevice.text': 'Sie haben ein Gerät mit {client} mit Ihrem Konto bei {site} verbunden.',
  'notify.newToken.subject': 'Neues Zugangstoken bei {site}: {client}',
  'notify.newToken.text':
    'Bei {site} wurde das Zugangstoken {client} erstellt. Wer es hat, kann tun, was es kann.',
  'notify.tokenExpiring.subject': 'Ihr Zugangstoken {client} bei {site} läuft am {date} ab',
  'notify.tokenExpiring.text':
    'Das Zugangstoken {client} bei {site} gilt bis {date}. Falls ein Programm es noch braucht, ersetzen Sie es vorher.',
  'notify.tokenLeaked.subject': 'Ihr Zugangstoken {client} bei {site} wurde anderswo gesehen und ist beendet',
  'notify.tokenLeaked.text':
    'Jemand hat das Zugangstoken {client} bei {site} gemeldet, weil es an einem falschen Ort zu sehen war. Es gibt keinen Zugang mehr. Erstellen Sie ein neues, falls ein Programm es braucht, und sehen Sie nach, ob etwas geschehen ist, das Sie nicht wollten.',
  'notify.tokenBlocked.subject': 'Ihr Zugangstoken {client} bei {site} ist gesperrt',
  'notify.tokenBlocked.text':
    '{site} hat Ihr Zugangstoken {client} gesperrt. Es öffnet nichts, bis es entsperrt ist.',
  'notify.reuseDetected.subject': 'Der Zugang von {client} bei {site} wurde zu Ihrer Sicherheit beendet',
  'notify.reuseDetected.text':
    'Etwas, das nur einmal benutzt werden darf, wurde mit {client} bei {site} zweimal benutzt. Jemand könnte es kopiert haben, daher ist dieser Zugang beendet. Verbinden Sie die Anwendung neu, wenn Sie sie noch benutzen.',
  'notify.appBlocked.subject': 'Ihre Anwendung {client} ist bei {site} gesperrt',
  'notify.appBlocked.text':
    '{site} hat Ihre Anwendung {client} gesperrt. Sie bekommt keinen Zugang, bis das zurückgenommen wird.',
  'notify.notYou': 'Falls Sie das nicht waren, beenden Sie es hier:',
  'notify.look': 'Hier ansehen:',

  'authorizations.title': 'Verbundene Apps',
  'authorizations.lead':
    'Diese Anwendungen können Ihr Konto verwenden. Wenn Sie eine trennen, endet ihr Zugriff sofort.',
  'authorizations.none': 'Keine verbundenen Apps',
  'authorizations.noneMessage':
    'Wenn Sie einer Anwendung erlauben, Ihr Konto zu verwenden, steht sie hier, und Sie können das zurücknehmen.',
  'authorizations.search': 'Anwendung suchen',
  'authorizations.searchButton': 'Suchen',
  'authorizations.showAll': 'Alle zeigen',
  'authorizations.sort': 'Sortieren nach',
  'authorizations.sortRenewed': 'letzter Erneuerung',
  'authorizations.sortSince': 'neuester Verbindung',
  'authorizations.sortName': 'Name',
  'authorizations.noneFound': 'Keine verbundene App heißt so.',
  'authorizations.count': '{count, plural, one {Eine verbundene App} other {# verbundene Apps}}',
  'authorizations.page': 'Seite {page} von {pages}',
  'authorizations.previous': 'Zurück',
  'authorizations.next': 'Weiter',
  'authorizations.can': 'Sie kann:',
  'authorizations.identityOnly': 'Sie weiß, wer Sie sind, und kann nichts ansehen und nichts ändern.',
  'authorizations.since': 'Verbunden seit dem {date}',
  'authorizations.renewed': 'Zugriff zuletzt erneuert am {time}',
  'authorizations.idle':
    'Sie hat im Moment keinen Zugriff, kann sich aber wieder verbinden, ohne Sie zu fragen.',
  'authorizations.waiting':
    'Sie haben ein Gerät zugelassen, das seinen Zugriff noch nicht abgeholt hat. Wenn Sie es jetzt trennen, bekommt es keinen.',
  'authorizations.device': 'Gerät',
  'authorizations.trusted': 'Teil dieser Website',
  'authorizations.blocked': 'Diese Website hat sie gesperrt: Sie kann Ihr Konto zurzeit nicht verwenden.',
  'authorizations.revoke': 'Trennen',
  'authorizations.revokeAll': 'Alle trennen …',
  'authorizations.revokeAllMeaning':
    'Alle Anwendungen und Geräte verlieren sofort ihren Zugriff und müssen Sie von Neuem fragen.',
  'authorizations.revokeAllConfirm': 'Wirklich alle trennen',
  'authorizations.revoked': 'Die Anwendung ist getrennt, und ihr Zugriff ist beendet.',
  'authorizations.revokedAll': 'Alle Anwendungen sind getrennt, und ihr Zugriff ist beendet.',
  'authorizations.revokedNamed': '{client} ist getrennt, und der Zugriff ist beendet.',
  'authorizations.revokeMeaning': 'Der Zugriff endet sofort, und die Anwendung muss Sie neu fragen.',
  'authorizations.revokeMeaningTrusted':
    'Der Zugriff endet sofort. Die Anwendung ist Teil dieser Website und bekommt ihn wieder, wenn Sie sie verwenden.',
  'authorizations.revokeConfirm': 'Wirklich trennen',
  'authorization.back': 'Alle verbundenen Apps',
  'authorization.about': 'Über die Anwendung',
  'authorization.renewedAt': 'Zugriff zuletzt erneuert',
  'authorization.renewedHow':
    'Da bekam sie zuletzt Zugangstokens; mit diesen kann sie seitdem aktiv gewesen sein.',
  'authorization.connectedSince': 'Verbunden seit',
  'authorization.actsThrough': 'Genutzt über',
  'authorization.actedOn': 'zuletzt am {day}',
  'authorization.resources': 'Zugriff auf',
  'authorization.scopes': 'Was sie kann',
  'authorization.untick':
    'Nehmen Sie das Häkchen weg bei dem, was Sie zurücknehmen möchten. Der Rest bleibt verbunden.',
  'authorization.includedIn': 'Gehört zu „{scope}“, solange das bleibt.',
  'authorization.save': 'Speichern',
  'authorization.narrowed': '{client} kann ab jetzt weniger.',
  'authorization.unchanged': 'Es wurde nichts zurückgenommen.',
  'authorization.changeMeaning': 'Hier können Sie etwas anderes wählen. Damit arbeitet sie ab dann.',
  'authorization.change': 'Ändern',
  'authorization.rebound': '{client} arbeitet ab jetzt mit dem, was Sie gewählt haben.',
  'authorization.kept': 'Es wurde nichts geändert.',
  'authorization.nothingLeft':
    'Lassen Sie mindestens ein Häkchen stehen, oder trennen Sie die Anwendung unten.',
  'authorization.trustedScopes': 'Sie ist Teil dieser Website und bekommt das alles, ohne zu fragen.',
  'authorization.activity': 'Was sie zuletzt getan hat',
  'authorization.activityMeaning': 'Die letzten 30 Tage, das Neueste zuerst.',
  'authorization.noActivity': 'Nichts in den letzten 30 Tagen.',
  'authorization.didGetAccess': 'Sie bekam Zugriff',
  'authorization.didGiveBack': 'Sie gab ihren Zugriff zurück',
  'authorization.didAllow': 'Sie haben ihr etwas erlaubt',
  'authorization.didDeny': 'Sie haben ihr etwas verweigert',
  'authorization.didNarrow': 'Sie haben etwas zurückgenommen',
  'authorization.didRebind': 'Sie haben etwas anderes für sie gewählt',
  'authorization.didReport': 'Sie haben sie gemeldet',
  'authorization.didReplay': 'Was nur einmal gilt, wurde zweimal verwendet; darum wurde ihr Zugriff beendet',
  'authorization.didDisconnect': 'Sie haben sie getrennt',
  'authorization.didEnd': 'Die Website hat ihren Zugriff beendet',
  'authorization.times': '{count, plural, one {einmal} other {#-mal}}',
  'authorization.didThrough': 'über {actors}',
  'authorization.from': 'von {address}',
  'authorization.report': 'Diese Anwendung melden',
  'authorization.reportMeaning':
    'Tut sie etwas, das Sie nicht erwartet haben, oder gibt sie sich für jemand anderen aus? Was Sie schreiben, lesen die Leute dieser Website, nicht die Anwendung.',
  'authorization.reportLabel': 'Was ist passiert?',
  'authorization.reportSend': 'Meldung senden',
  'authorization.reported': 'Danke. Ihre Meldung über {client} wurde gesendet.',
  'authorization.reportEmpty': 'Bitte schreiben Sie, was passiert ist.',
  'authorization.reportLong': 'Das ist zu lang. Möglich sind {count} Zeichen.',
  'authorization.reportMany':
    'Sie haben viele Meldungen gesendet. Bitte versuchen Sie es in einer Stunde noch einmal.',
  'authorization.reportFailed':
    'Die Meldung konnte gerade nicht gesendet werden. Bitte versuchen Sie es noch einmal.',
  'authorization.signedIn': 'Angemeldet',
  'authorization.signedInSince': 'Dort angemeldet seit',
  'authorization.signOut': 'Dort abmelden',
  'authorization.signOutMeaning':
    'Der Anwendung wird mitgeteilt, dass Sie sich abgemeldet haben, und der Zugriff von dieser Anmeldung endet. Hier bleiben Sie angemeldet.',
  'authorization.signedInFrame': 'Die Anwendung erfährt es, wenn Sie sich hier abmelden.',
  'authorization.signedOut': '{client} erfährt, dass Sie sich dort abgemeldet haben.',
  'authorization.signInThere': 'Dort anmelden',
  'authorization.disconnect': 'Anwendung trennen',
  'authorization.gone': 'Sie ist hier nicht mehr registriert.',

  'error.client':
    'Sie haben nichts falsch gemacht: Der Fehler liegt bei der Anwendung. Gehen Sie zu ihr zurück und versuchen Sie es noch einmal. Wenn es wieder passiert, schicken Sie den Leuten, die sie machen, die Angaben von unten.',
  'error.site':
    'Sie haben nichts falsch gemacht: Der Fehler liegt bei dieser Website. Bitte versuchen Sie es noch einmal. Wenn es wieder passiert, nennen Sie dieser Website die Nummer von unten.',
  'error.unknownClient': 'Wir kennen diese Anwendung nicht',
  'error.unknownClientMessage':
    'Die Anwendung, die Sie hierher geschickt hat, ist bei dieser Website nicht registriert, oder sie wurde entfernt.',
  'error.wrongRequest': 'Die Anwendung hat falsch angefragt',
  'error.wrongRequestMessage':
    'Die Anwendung, die Sie hierher geschickt hat, hat eine Anfrage gestellt, die diese Website nicht annehmen kann.',
  'error.unauthorizedClientMessage':
    'Die Anwendung, die Sie hierher geschickt hat, hat um etwas gebeten, wofür sie nicht registriert ist.',
  'error.invalidScopeMessage':
    'Die Anwendung, die Sie hierher geschickt hat, hat um eine Berechtigung gebeten, die es nicht gibt oder die sie nicht haben darf.',
  'error.responseTypeMessage':
    'Die Anwendung, die Sie hierher geschickt hat, möchte sich auf eine Weise verbinden, die diese Website nicht anbietet.',
  'error.server': 'Hier ist etwas schiefgegangen',
  'error.serverMessage': 'Bei dieser Website ist ein Problem aufgetreten.',
  'error.unavailable': 'Bitte versuchen Sie es gleich noch einmal',
  'error.unavailableMessage': 'Diese Website kann gerade nicht antworten.',
  'error.unavailableHint':
    'Sie haben nichts falsch gemacht, und nichts ist verloren: Laden Sie die Seite in ein paar Sekunden neu.',
  'error.wrongForm': 'Dieses Formular konnte nicht gelesen werden',
  'error.wrongFormMessage':
    'Was gesendet wurde, entspricht nicht unserem Formular. Es wurde nichts geändert.',
  'error.wrongFormHint': 'Gehen Sie zurück, laden Sie die Seite neu und versuchen Sie es noch einmal.',
  'error.insecure': 'Diese Seite braucht eine sichere Verbindung',
  'error.insecureMessage':
    'Was Sie gesendet haben, kam unverschlüsselt bei uns an (ohne https); deshalb ist nichts damit geschehen.',
  'error.insecureHint':
    'Beginnt die Adresse mit https:? Dann liegt der Fehler bei dieser Website: Bitte sagen Sie es denen, die sie betreiben.',
  'error.notFound': 'Hier ist nichts',
  'error.notFoundMessage': 'Die Seite gibt es nicht, oder sie gehört jemand anderem.',
  'error.notFoundHint': 'Prüfen Sie die Adresse und ob Sie mit dem richtigen Konto angemeldet sind.',
  'error.conflict': 'Jemand war schneller',
  'error.conflictMessage':
    'Dasselbe wurde im selben Augenblick geändert, deshalb wurde Ihre Änderung nicht übernommen.',
  'error.conflictHint': 'Gehen Sie zurück, laden Sie die Seite neu und sehen Sie nach, wie es jetzt ist.',
  'error.tooLarge': 'Das war zu viel',
  'error.tooLargeMessage':
    'Was gesendet wurde, ist größer, als unser Formular erlaubt. Es wurde nichts geändert.',
  'error.tooLargeHint': 'Gehen Sie zurück, kürzen Sie es und versuchen Sie es noch einmal.',
  'error.tooMany': 'Zu viele Versuche',
  'error.tooManyMessage':
    'Das wurde in kurzer Zeit zu oft versucht. Bitte warten Sie {time} und versuchen Sie es dann noch einmal.',
  'error.tooManyHint': 'Das schützt Konten und diese Website davor, dass Maschinen sie durchprobieren.',
  'error.requestOver': 'Diese Anfrage ist vorbei',
  'error.requestOverMessage': 'Sie wurde schon beantwortet oder hat zu lange gewartet.',
  'error.requestOverHint':
    'Gehen Sie zur Anwendung zurück und beginnen Sie dort noch einmal. Sie haben nichts falsch gemacht.',
  'error.denied': 'Zugriff abgelehnt',
  'error.deniedMessage': 'Die Anwendung erhält keinen Zugriff auf Ihr Konto.',
  'error.unknownClientLink':
    '{site} weiß nicht, wer hinter dieser Anwendung steht. Gehen Sie nur weiter, wenn Sie sie kennen.',
  'error.goOn': 'Weiter zu {host}',
  'error.home': 'Zu {site}',
  'error.redirectUriMessage':
    '„{client}“ will Sie an eine Adresse schicken, die hier nicht für diese Anwendung eingetragen ist.',
  'error.redirectUri': 'Verlangte Adresse',
  'error.ownClient': 'Das ist Ihre Anwendung: ihre Weiterleitungsadressen ändern',
  'error.refused': 'Das geht nicht',
  'error.refusedHint': 'Es wurde nichts geändert.',
  'error.formOutOfDate':
    'Dieses Formular ist nicht mehr aktuell. Öffnen Sie die Seite neu und wiederholen Sie, was Sie getan haben.',
  'error.notDeveloper': 'Mit Ihrem Konto können auf dieser Website keine Anwendungen registriert werden.',
  'error.trustedApplication':
    'Diese Website bürgt für diese Anwendung. Bitten Sie die Betreiber der Website, sie zu ändern.',
  'error.blocked': 'Diese Website hat die Anwendung gesperrt',
  'error.blockedMessage':
    '„{client}“ bekommt hier keinen Zugriff auf Konten, deshalb wird niemand dorthin weitergeleitet.',
  'error.blockedHint':
    'Sie müssen nichts tun. Falls sie vorher Zugriff auf Ihr Konto hatte, funktioniert er nicht mehr.',
  'error.blockedApplication':
    'Diese Website hat diese Anwendung gesperrt. Wenden Sie sich an die Betreiber der Website.',
  'error.pending': 'Diese Anwendung ist noch nicht freigegeben',
  'error.pendingMessage':
    '„{client}“ ist hier neu. Bis diese Website sie freigegeben hat, kann nur ihr Besitzer sie verwenden.',
  'error.pendingHint':
    'Ihr Konto ist unberührt. Versuchen Sie es später wieder, oder fragen Sie bei dem nach, der die Anwendung gemacht hat.',
  'error.tokenOnPage':
    'Diese Seite ist für Menschen. Ein Programm mit einem Zugangstoken kann sie nicht benutzen.',
  'error.number': 'Nummer dieser Anfrage: {id}',
  'error.details': 'Einzelheiten für Entwickler',
  'error.code': 'Fehler',
  'error.description': 'Beschreibung',
  'error.detail': 'Ursache (für Entwickler)',

  'applications.title': 'Ihre Anwendungen',
  'applications.register': 'Anwendung registrieren',
  'applications.none': 'Noch keine Anwendungen',
  'applications.noneMessage':
    'Registrieren Sie eine Anwendung, damit andere sie mit ihrem Konto bei {site} verbinden können. Sie bekommt eine eigene Kennung und fragt die Leute, bevor sie etwas von ihnen sieht.',
  'applications.registeredOn': 'registriert am {date}',
  'applications.confidential': 'vertraulich',
  'applications.public': 'öffentlich',
  'applications.saved': 'Ihre Änderungen sind gespeichert.',
  'applications.savedWaits':
    'Ihre Änderungen sind gespeichert. Die Anwendung wartet erneut auf die Freigabe: Bis dahin können nur ihre Besitzer ihr Zugriff geben.',
  'applications.savedUnverified':
    'Ihre Änderungen sind gespeichert. Die Anwendung gilt nicht mehr als geprüft: Diese Website muss sie erneut prüfen.',
  'applications.deleted': 'Die Anwendung ist gelöscht, und jeder Zugriff, den sie hatte, ist beendet.',
  'applications.registeredBefore':
    'Diese Anwendung war schon registriert: Das Formular wurde zweimal gesendet.',
  'applications.lostSecret':
    'Ihr Geheimnis wurde nur einmal angezeigt. Wenn Sie es nicht haben, erzeugen Sie unten ein neues.',
  'applications.rotatedBefore':
    'Ein neues Geheimnis wurde gerade eben erzeugt: Das Formular wurde zweimal gesendet, und ein weiteres wurde nicht erzeugt. Wenn Sie es nicht haben, erzeugen Sie unten ein neues.',
  'applications.tooMany':
    'Sie haben {count, plural, one {eine Anwendung} other {# Anwendungen}}, und mehr sind nicht möglich: Löschen Sie eine, die Sie nicht brauchen.',
  'applications.lists': 'Listen von Anwendungen',
  'applications.all': 'Alle Anwendungen',
  'applications.selfRegistered': 'Selbst registriert',
  'applications.noneHere': 'Hier gibt es keine Anwendungen.',
  'applications.next': 'Ältere Anwendungen',
  'applications.listWaiting': 'Warten auf Freigabe',
  'applications.listBlocked': 'Gesperrt',
  'applications.listUnverified': 'Nicht geprüft',
  'applications.listVerified': 'Geprüft',
  'applications.listUnused': 'Selbst registriert, nie verwendet',
  'applications.previous': 'Neuere Anwendungen',
  'applications.search': 'Nach Name, Client-ID oder Host suchen',
  'applications.searchAll':
    'Alle Anwendungen nach dem Anfang von Name, Client-ID, Host oder Besitzer durchsuchen',
  'applications.found': 'Gefunden: {count}',
  'applications.foundPart': 'Es gibt mehr als diese {count}: Geben Sie mehr davon ein.',
  'applications.noneFound': 'So beginnt keine Anwendung.',
  'applications.first': 'Zurück zu den neuesten',
  'applications.users': 'Nutzer: {count}',
  'applications.atLeast': '{count}+',
  'applications.lastUsed': 'zuletzt verwendet am {date}',
  'applications.notUsed': 'in letzter Zeit nicht verwendet',
  'applications.notUsedYet': 'noch nicht verwendet',
  'applications.owner': 'Besitzer: {owner}',
  'applications.noOwner': 'von dieser Website registriert',
  'applications.itself': 'selbst registriert',
  'applications.verified': 'geprüft',
  'applications.oldSecretEnded': 'Das alte Geheimnis gilt nicht mehr. Ab jetzt gilt nur noch das aktuelle.',
  'applications.changedMeanwhile':
    'Die Anwendung wurde geändert, nachdem Sie die Seite geöffnet hatten. Deshalb ist nichts geschehen. So ist der Stand jetzt.',
  'applications.nowVerified': 'Die Anwendung ist geprüft. Das wird angezeigt, wenn sie um Zugriff bittet.',
  'applications.nowUnverified': 'Die Anwendung gilt nicht mehr als geprüft.',
  'applications.publisherRefused':
    'Das kann nicht der Name eines Herausgebers sein: Er hat höchstens 100 Zeichen, keine unsichtbaren, kein Bildzeichen und keinen Satz.',
  'applications.everyoneDisconnected':
    'Alle sind getrennt, und jeder Zugriff ist beendet. Die Anwendung bleibt und kann erneut erlaubt werden.',
  'applications.blocked': 'gesperrt',
  'applications.nowBlocked': 'Die Anwendung ist gesperrt. Sie bekommt ab jetzt nichts mehr.',
  'applications.nowUnblocked': 'Die Anwendung ist nicht mehr gesperrt. Was ihr erlaubt wurde, gilt wieder.',
  'applications.awaitsApproval': 'wartet auf Freigabe',
  'applications.nowApproved': 'Die Anwendung ist freigegeben. Alle können sie jetzt verwenden.',
  'applications.deletedBefore':
    'Die Anwendung ist gelöscht. Das Formular wurde zweimal abgeschickt, das hat nicht geschadet.',

  'application.edit': 'Bearbeiten',
  'application.secretNow': 'Kopieren Sie jetzt das Client-Geheimnis',
  'application.secretOnce':
    'Es wird nur dieses eine Mal angezeigt. Bewahren Sie es auf Ihrem Server auf, nicht im Programmcode und nicht in Apps oder Browsern.',
  'application.details': 'Angaben',
  'application.clientId': 'Client-ID',
  'application.type': 'Art',
  'application.trusted': 'diese Website bürgt für sie',
  'application.redirectUris': 'Redirect-URIs',
  'application.noRedirectUris': 'keine',
  'application.mayAskFor': 'Darf fragen nach',
  'application.mayDo': 'Darf',
  'application.asksForNothing': 'nichts',
  'application.getsAccessBy': 'Bekommt Zugriff durch',
  'application.registered': 'Registriert',
  'application.authorizationEndpoint': 'Authorization-Endpunkt',
  'application.tokenEndpoint': 'Token-Endpunkt',
  'application.secret': 'Client-Geheimnis',
  'application.secretMade': 'Erzeugt am {time}',
  'application.secretEnds': 'Erzeugt am {time}, gilt bis {end}',
  'application.secretCurrent': 'aktuell',
  'application.secretEnding': 'endet auf {ending}',
  'application.secretUsed': 'zuletzt verwendet am {date}',
  'application.secretUnused': 'noch nicht verwendet',
  'application.secretUseUnknown': 'letzte Verwendung unbekannt',
  'application.oldSecretUsed': 'Das alte Geheimnis wurde zuletzt am {date} verwendet.',
  'application.oldSecretUnused': 'Das alte Geheimnis wurde nie verwendet.',
  'application.oldSecretUnknown': 'Wann das alte Geheimnis zuletzt verwendet wurde, ist nicht bekannt.',
  'application.rotateOverlap':
    'Ein neues Geheimnis tritt an die Stelle des jetzigen. Das jetzige gilt noch {span}, damit Sie ohne Unterbrechung wechseln können.',
  'application.rotateAtOnce': 'Ein neues Geheimnis tritt sofort an die Stelle des jetzigen.',
  'application.rotate': 'Neues Geheimnis erzeugen',
  'application.nobody': 'Zurzeit verwendet sie niemand.',
  'application.people': '{count, plural, one {Eine Person verwendet sie.} other {# Personen verwenden sie.}}',
  'application.peopleAtLeast': 'Mindestens {count} Personen verwenden sie.',

  'failures.title': 'Am letzten Tag abgelehnt',
  'failures.lead':
    'Was diese Website der Anwendung in den letzten 24 Stunden abgelehnt hat, und warum. Manches davon kann jeder auslösen, der die Client-ID kennt.',

  'application.disconnect': 'Alle trennen',
  'application.disconnectMeaning':
    'Wenn ein Geheimnis oder Tokens in falsche Hände geraten sind: Jeder Zugriff endet sofort, und die Anwendung bleibt. Erzeugen Sie zuerst ein neues Geheimnis.',
  'application.disconnectTokens':
    'Wenn Tokens in falsche Hände geraten sind: Jeder Zugriff endet sofort, und die Anwendung bleibt.',
  'application.disconnectButton': 'Alle trennen…',
  'application.disconnectHeading': 'Alle von {client} trennen?',
  'application.disconnectLead':
    'Alle ihre Tokens enden sofort, auch die, die sie für sich selbst hat, und was ihr erlaubt wurde, wird vergessen. Wer sie verwenden will, muss sie erneut erlauben. Das lässt sich nicht rückgängig machen.',
  'application.delete': 'Diese Anwendung löschen',
  'application.deleteMeaning':
    'Alle, die sie verwenden, werden sofort getrennt. Das lässt sich nicht rückgängig machen.',
  'application.deleteButton': 'Löschen …',
  'application.deleteHeading': '{client} löschen?',
  'application.deleteLead':
    'Alle, die sie verwenden, werden sofort getrennt: Ihre Tokens enden, und was ihr erlaubt wurde, wird vergessen. Das lässt sich nicht rückgängig machen.',
  'application.keep': 'Behalten',
  'application.deleteConfirm': 'Löschen',
  'application.copy': 'Kopieren',
  'application.copied': 'Kopiert',
  'application.copyByHand': 'Ausgewählt: Kopieren Sie es mit Tastatur oder Menü',
  'application.users': 'Nutzer',
  'application.lastUsed': 'Zuletzt verwendet',
  'application.owner': 'Besitzer',
  'application.authentication': 'Weist sich aus durch',
  'application.bySecret': 'Client-Geheimnis',
  'application.byKeys': 'öffentliche Schlüssel',
  'application.byCertificate': 'Zertifikat',
  'application.bySvid': 'von der Plattform bestätigt',
  'application.byNothing': 'nichts (öffentlich)',
  'application.refreshTokens': 'Refresh-Tokens',
  'application.refreshTokensStay': 'bleiben bei jeder Verwendung gleich',
  'application.keys': 'Schlüssel',
  'application.keysHere': 'Ihre Signaturen werden mit diesen öffentlichen Schlüsseln geprüft:',
  'application.keysThere': 'Ihre Signaturen werden mit den öffentlichen Schlüsseln unter {address} geprüft.',
  'application.keysChange': 'Ändern können Sie das, indem Sie die Anwendung bearbeiten.',
  'application.endOld': 'Altes Geheimnis jetzt beenden',
  'application.endOldMeaning':
    'Sobald bei Ihnen alles das aktuelle Geheimnis verwendet, beenden Sie das alte. Was es dann noch verwendet, wird sofort abgewiesen.',
  'application.try': 'Ausprobieren',
  'application.tryMeaning':
    'Sehen Sie die Zustimmungsseite dieser Anwendung wie andere Leute, mit allem, worum sie bitten darf. Wenn Sie zustimmen, ist sie mit Ihrem eigenen Konto verbunden, und Sie können sie wieder trennen.',
  'application.tryOpen': 'Zustimmungsseite in neuem Tab öffnen',
  'application.tryBack':
    'Danach geht Ihr Browser zu {uri}, mit einem Code in der Adresse. Ihre Anwendung hat nicht darum gebeten und weist ihn zurück, wie es sein soll: Kopieren Sie den Code aus der Adresse. Leitet eine laufende Anwendung von dort weiter, halten Sie sie kurz an.',
  'application.tryRedeem':
    'Innerhalb von {span} geben diese Zeilen Tokens für den Code. Sie gehören zum Link auf dieser Seite: Wenn Sie die Seite neu laden, sind beide neu.',
  'application.tryStepByStep': 'Schritt für Schritt ausprobieren',
  'application.code': 'Code zum Kopieren',
  'application.codeMeaning':
    'Mit den Werten dieser Anwendung. Geheimnisse stehen nicht darin: Sie kommen aus der Umgebung.',
  'application.verification': 'Prüfung',
  'application.isVerified':
    'Diese Website erklärt, dass sie weiß, wer hinter dieser Anwendung steht: Wenn sie um Zugriff bittet, wird sie als geprüft angezeigt. Ändert ihr Besitzer Namen, Redirect-URIs, Schlüssel oder Beschreibung, lässt er sie nach mehr fragen oder auf weiteren Wegen Zugriff bekommen oder gibt er eine Seite oder ein Logo bei einem anderen Host an, gilt das nicht mehr. Es gilt auch nicht mehr, wenn jemand anderes Besitzer wird.',
  'application.isUnverified':
    'Es wird angezeigt, dass niemand geprüft hat, wer hinter dieser Anwendung steht. Bestätigen Sie sie, wenn Sie wissen, von wem sie stammt, und wenn Name und Redirect-URIs dazu passen.',
  'application.isSelfRegistered':
    'Sie hat sich selbst registriert: Alles, was sie über sich sagt, vor allem ihr Name, ist ihre eigene Behauptung. Ist sie geprüft, kann sie sich nicht mehr selbst ändern.',
  'application.verify': 'Als geprüft bestätigen',
  'application.unverify': 'Bestätigung zurücknehmen',
  'application.publisher': 'Herausgeber',
  'application.publisherLabel': 'Herausgeber (freiwillig)',
  'application.publisherMeaning':
    'Die Firma oder Person, die nach Ihrer Prüfung dahintersteht. Solange die Anwendung geprüft ist, steht überall „Herausgegeben von …“ dabei.',
  'application.publisherSave': 'Herausgeber speichern',
  'application.changedSince': 'Geändert, seit diese Website sie zuletzt angesehen hat:',
  'application.isBlocked': 'Diese Website hat die Anwendung gesperrt.',
  'application.blockedSince': 'Seit {time} bekommt sie nichts mehr.',
  'application.blockedFor': 'Grund:',
  'application.blockedHint':
    'Was ihr erlaubt wurde, bleibt erhalten. Entsperren, ändern und löschen können sie nur die Betreiber der Website.',
  'application.block': 'Diese Anwendung sperren',
  'application.blockMeaning':
    'Ab diesem Moment bekommt sie nichts mehr, und ihre Tokens gelten nicht mehr. Was ihr erlaubt wurde, bleibt erhalten; Sie können die Sperre also zurücknehmen.',
  'application.blockReason': 'Grund (freiwillig)',
  'application.blockReasonHint': 'Das liest der Besitzer der Anwendung.',
  'application.blockButton': 'Sperren',
  'application.blockedHeading': 'Gesperrt',
  'application.unblockMeaning': 'Sobald sie entsperrt ist, gilt wieder alles, was ihr erlaubt wurde.',
  'application.unblock': 'Entsperren',
  'application.awaitsApproval': 'Wartet auf Freigabe',
  'application.approveMeaning':
    'Bis Sie sie freigeben, kann nur ihr Besitzer ihr Zugriff geben. Sehen Sie sich vorher ihren Namen, ihre Redirect-URIs, wonach sie fragen darf und wodurch sie Zugriff bekommt, an.',
  'application.approve': 'Freigeben',
  'application.awaitsApprovalHint':
    'Die Anwendung wartet auf die Freigabe durch die Betreiber dieser Website. Bis dahin können nur Sie ihr Zugriff geben, um sie auszuprobieren.',
  'application.deleteType': 'Geben Sie zur Bestätigung ihren Namen ein: {client}',
  'application.deleteTypeOr': 'Ihre Client-ID geht auch: {id}',
  'application.deleteMismatch': 'Das ist nicht ihr Name, deshalb wurde nichts gelöscht.',

  'owners.title': 'Besitzer',
  'owners.meaning':
    'Alle Besitzer können hier alles: die Anwendung ändern, neue Geheimnisse erzeugen, sie löschen.',
  'owners.you': 'Sie',
  'owners.remove': 'Entfernen…',
  'owners.leave': 'Austreten…',
  'owners.invited': 'Eingeladen',
  'owners.waits': 'kann bis {date} annehmen',
  'owners.waitsToTake': 'kann sie bis {date} übernehmen',
  'owners.withdraw': 'Zurücknehmen',
  'owners.invite': 'Jemanden einladen',
  'owners.person': 'Benutzername oder E-Mail-Adresse',
  'owners.personMeaning':
    'Sie erfahren nicht, ob es diese Person hier gibt. Wenn ja, findet sie die Einladung auf ihrer Seite mit Anwendungen und hat sieben Tage Zeit, sie anzunehmen.',
  'owners.as': 'Was daraus wird',
  'owners.asOwner': 'Weiterer Besitzer',
  'owners.asTransfer': 'Besitzer an meiner Stelle',
  'owners.asTransferMeaning': 'Mit der Annahme sind Sie kein Besitzer mehr. Weitere Besitzer bleiben es.',
  'owners.verifiedEnds':
    'Diese Website hat die Anwendung geprüft; das endet mit der Annahme, und sie muss erneut geprüft werden.',
  'owners.approvalEnds':
    'Mit der Annahme wartet die Anwendung erneut auf die Freigabe. Bis dahin können nur ihre Besitzer ihr Zugriff geben.',
  'owners.inviteButton': 'Einladen',
  'owners.missing': 'Geben Sie ein, wer es ist.',
  'owners.tooLong': 'Das ist länger als 200 Zeichen.',
  'owners.already': 'Diese Person ist schon Besitzer.',
  'owners.tooManyOwners': 'Die Anwendung hat so viele Besitzer, wie sie haben kann.',
  'owners.tooManyInvitations':
    'Fünf Einladungen sind schon offen. Nehmen Sie eine zurück, oder warten Sie auf eine Antwort.',
  'owners.tooManyApplications':
    'Sie haben so viele Anwendungen, wie Sie haben können. Treten Sie zuerst aus einer aus, oder löschen Sie eine.',
  'owners.nowInvited':
    'Wenn es diese Person hier gibt, findet sie die Einladung auf ihrer Seite mit Anwendungen.',
  'owners.nowWithdrawn': 'Die Einladung ist zurückgenommen.',
  'owners.nowAccepted': 'Sie sind jetzt Besitzer dieser Anwendung.',
  'owners.nowDeclined': 'Die Einladung ist abgelehnt.',
  'owners.nowRemoved':
    'Der Besitzer ist entfernt. Kennt er ein Geheimnis der Anwendung, erzeugen Sie ein neues.',
  'owners.nowLeft': 'Sie sind kein Besitzer der Anwendung mehr.',
  'owners.last': 'Die Anwendung hat sonst keinen Besitzer. Übergeben Sie sie, oder löschen Sie sie.',
  'owners.gone': 'Diese Einladung gibt es nicht mehr.',
  'owners.invitations': 'Einladungen',
  'owners.toJoin': 'Sie sind eingeladen, Besitzer zu werden.',
  'owners.toTake': 'Sie soll Ihnen übergeben werden.',
  'owners.askedBy': 'Eingeladen von {person}.',
  'owners.until': 'Sie können bis {date} annehmen.',
  'owners.joinHeading': 'Besitzer von {client} werden?',
  'owners.takeHeading': '{client} übernehmen?',
  'owners.acceptMeaning':
    'Besitzer stehen dafür ein, was eine Anwendung tut. Nehmen Sie nur an, wenn Sie die Anwendung kennen und wissen, wer Sie einlädt.',
  'owners.accept': 'Annehmen',
  'owners.decline': 'Ablehnen',
  'owners.removeHeading': '{person} aus {client} entfernen?',
  'owners.removeMeaning': 'Diese Person kann die Anwendung dann nicht mehr sehen oder ändern.',
  'owners.removeSecret': 'Kennt sie das Geheimnis, erzeugen Sie danach ein neues.',
  'owners.removeConfirm': 'Entfernen',
  'owners.leaveHeading': 'Aus {client} austreten?',
  'owners.leaveMeaning':
    'Sie können sie nicht mehr sehen oder ändern, außer ein anderer Besitzer lädt Sie wieder ein.',
  'owners.leaveConfirm': 'Austreten',

  'form.edit': '{client} bearbeiten',
  'form.notSaved': 'Es ist noch nichts gespeichert.',
  'form.pleaseLook': 'Bitte sehen Sie sich das an:',
  'form.name': 'Name',
  'form.nameMeaning': 'Er wird angezeigt, wenn Ihre Anwendung um Zugriff bittet.',
  'form.kind': 'Was für eine Anwendung ist es?',
  'form.technical': 'Technische Einstellungen',
  'form.kind.web': 'Web-Anwendung',
  'form.kind.web.meaning': 'Läuft auf Ihrem Server',
  'form.kind.browser': 'Browser-Anwendung',
  'form.kind.browser.meaning': 'Läuft in der Seite, ohne Server',
  'form.kind.native': 'App für Handy oder Computer',
  'form.kind.native.meaning': 'Läuft auf dem Gerät der Nutzer',
  'form.kind.device': 'Gerät',
  'form.kind.device.meaning': 'Hat keinen Browser: ein Code wird woanders eingegeben',
  'form.kind.service': 'Dienst',
  'form.kind.service.meaning': 'Handelt für sich selbst, ohne Nutzer',
  'application.asksNothing': 'Sie hat noch keine Berechtigungen',
  'application.asksNothingMeaning':
    'Nutzer können sie verbinden, aber sie kann nichts von ihnen sehen oder ändern.',
  'application.asksNothingService': 'Sie bekommt eigene Tokens, aber die erlauben nichts.',
  'application.asksNothingEdit': 'Bearbeiten Sie sie, und kreuzen Sie an, was sie braucht.',
  'application.asksNothingOpenid': 'Um Nutzer anzumelden, braucht sie {scope}.',
  'form.type': 'Art',
  'form.confidential': 'Vertraulich',
  'form.confidentialMeaning':
    'Läuft auf einem Server von Ihnen und kann dort ein Geheimnis bewahren. Bekommt ein Client-Geheimnis.',
  'form.public': 'Öffentlich',
  'form.publicMeaning':
    'Läuft als App oder im Browser auf fremden Geräten, wo kein Geheimnis sicher ist. Bekommt keines.',
  'form.redirectUris': 'Redirect-URIs',
  'form.redirectUrisMeaning':
    'Wohin die Leute zurückkehren, eine pro Zeile, jede vollständig: {web}. Für Apps auch {loopback} (jeder Port) oder {scheme}.',
  'form.redirectUris.web':
    'Wohin Nutzer auf Ihrem Server zurückkehren, eine Adresse pro Zeile: {web}. Während der Entwicklung geht auch {loopback}.',
  'form.redirectUris.browser':
    'Wohin Nutzer in Ihrer Anwendung zurückkehren, eine Adresse pro Zeile: {web}. Während der Entwicklung geht auch {loopback}.',
  'form.redirectUris.native':
    'Wie Nutzer in Ihre App zurückkehren, eines pro Zeile: {scheme}, {loopback} (jeder Port) oder eine https:-Adresse, die die App öffnet.',
  'form.scopes': 'Wonach sie fragen darf',
  'form.scopesOfService': 'Was sie darf',
  'form.grantTypes': 'Wie sie Zugriff bekommt',
  'form.register': 'Registrieren',
  'form.save': 'Änderungen speichern',
  'form.cancel': 'Abbrechen',
  'form.outOfDate':
    'Diese Seite war zu lange offen, darum ist noch nichts gespeichert. Was Sie eingegeben haben, ist noch da: Sehen Sie es durch und senden Sie es noch einmal.',
  'form.loggedOut': 'Sie sind nicht mehr angemeldet',
  'form.loggedOutLead':
    'Es ist noch nichts gespeichert, und nichts ist verloren: Was Sie eingegeben haben, wartet auf dieser Seite.',
  'form.loggedOutLink': 'In einem anderen Tab anmelden',
  'form.loggedOutAfter':
    'Kommen Sie dann zu diesem Tab zurück und senden Sie es noch einmal. Bevor es gespeichert wird, können Sie alles noch einmal ansehen.',
  'form.sendAgain': 'Noch einmal senden',
  'form.line': 'Zeile {line}',
  'form.authentication': 'Wie sie sich ausweist',
  'form.bySecret': 'Mit einem Client-Geheimnis',
  'form.bySecretMeaning': 'Ein langes zufälliges Passwort, das hier erzeugt und Ihnen einmal gezeigt wird.',
  'form.byKeys': 'Mit Schlüsseln, die Sie hier eingeben',
  'form.byKeysMeaning':
    'Sie signiert mit ihrem privaten Schlüssel (private_key_jwt), und Sie geben hier den öffentlichen ein. Nichts Geheimes wird hier gespeichert.',
  'form.byKeysAddress': 'Mit Schlüsseln unter einer Adresse',
  'form.byKeysAddressMeaning':
    'Ebenso, aber die öffentlichen Schlüssel liegen auf Ihrem eigenen Server (jwks_uri), wo Sie sie jederzeit wechseln können.',
  'form.jwks': 'Öffentliche Schlüssel',
  'form.jwksMeaning': 'Ein Schlüsselsatz als JSON: {example}. Niemals ein privater Schlüssel.',
  'form.jwksUri': 'Adresse der öffentlichen Schlüssel',
  'form.jwksUriMeaning': 'Zum Beispiel {example}. Sie wird gelesen, wenn die Anwendung um Tokens bittet.',
  'form.newSecretMeaning':
    'Hatte sie bisher Schlüssel, bekommt sie ein neues Geheimnis, das auf der nächsten Seite einmal gezeigt wird.',
  'form.about': 'Mehr über die Anwendung',
  'form.aboutMeaning':
    'Alles hier darf leer bleiben. Seiten und Logo sehen die Leute, wenn sie beim Host einer Redirect-URI liegen, und überall, sobald diese Website die Anwendung geprüft hat.',
  'form.aboutVerified':
    'Diese Anwendung ist geprüft. Sie muss erneut geprüft werden, wenn Sie ihren Namen, eine Redirect-URI, die Art, wie sie sich ausweist, oder ihre Beschreibung ändern, wenn sie nach mehr fragen oder auf weiteren Wegen Zugriff bekommen soll oder wenn Sie eine Seite oder ein Logo bei einem anderen Host angeben.',
  'form.approvalEnds':
    'Diese Anwendung wartet erneut auf die Freigabe, wenn Sie ihren Namen, eine Redirect-URI, die Art, wie sie sich ausweist, oder ihre Beschreibung ändern, wenn sie nach mehr fragen oder auf weiteren Wegen Zugriff bekommen soll oder wenn Sie eine Seite oder ein Logo bei einem anderen Host angeben. Bis dahin können nur ihre Besitzer ihr Zugriff geben.',
  'form.description': 'Beschreibung',
  'form.descriptionMeaning':
    'Wofür sie da ist, in ein oder zwei Sätzen. Die Leute sehen sie, sobald die Anwendung geprüft ist.',
  'form.logoUri': 'Logo',
  'form.logoUriMeaning': 'Die Adresse eines quadratischen Bildes, zum Beispiel {example}.',
  'form.pageMeaning': 'Zum Beispiel {example}.',

  'grantType.authorization_code': 'Nutzer um Zugriff bitten',
  'grantType.authorization_code.meaning':
    'Nutzer kommen von der Anwendung hierher, erlauben es und kehren zurück. Das brauchen die meisten Anwendungen.',
  'grantType.refresh_token': 'Verbunden bleiben',
  'grantType.refresh_token.meaning':
    'Die Anwendung behält ihren Zugriff, auch wenn jemand gegangen ist, bis er zurückgenommen wird.',
  'grantType.client_credentials': 'Für sich selbst handeln',
  'grantType.client_credentials.meaning':
    'Die Anwendung bekommt eigenen Zugriff, ohne eine Person. Nur für vertrauliche Anwendungen.',
  'grantType.implicit': 'Nutzer um Zugriff bitten, ohne Code (alt)',
  'grantType.implicit.meaning':
    'Alt, für Anwendungen, die es nicht anders können: Tokens gehen durch die Adresszeile des Browsers.',
  'grantType.password': 'Nach Passwörtern fragen (alt)',
  'grantType.password.meaning':
    'Alt, für Anwendungen, die es nicht anders können: Sie sehen die Passwörter ihrer Benutzer.',
  'grantType.urn:ietf:params:oauth:grant-type:token-exchange': 'Token tauschen',
  'grantType.urn:ietf:params:oauth:grant-type:token-exchange.meaning':
    'Handelt für Personen über eine andere Anwendung.',
  'grantType.urn:ietf:params:oauth:grant-type:jwt-bearer': 'Assertions tauschen',
  'grantType.urn:ietf:params:oauth:grant-type:jwt-bearer.meaning':
    'Bekommt Zugriff mit dem Token einer Plattform, der diese Website vertraut.',
  'grantType.urn:ietf:params:oauth:grant-type:device_code': 'Geräte verbinden',
  'grantType.urn:ietf:params:oauth:grant-type:device_code.meaning':
    'Für Fernseher, Drucker und Kommandozeilen: Die Leute geben auf einem anderen Gerät einen kurzen Code ein und stimmen dort zu.',

  'problem.nameMissing': 'Die Anwendung braucht einen Namen.',
  'problem.nameTooLong': 'Der Name ist länger als {max} Zeichen.',
  'problem.nameInvisible': 'Der Name enthält unsichtbare Zeichen oder Steuerzeichen.',
  'problem.nameMarks': 'Der Name hat zu viele Zeichen über oder unter einem Buchstaben.',
  'problem.namePicture': 'Der Name hat ein Emoji, einen Haken oder ein anderes Bildzeichen.',
  'problem.nameSentence': 'Der Name enthält einen Satz. Ein Name genügt.',
  'problem.nameScripts': 'Ein Wort des Namens mischt Buchstaben verschiedener Schriften.',
  'problem.nameReserved':
    'Man könnte den Namen für {name} halten. Wählen Sie einen, der sich nicht damit verwechseln lässt.',
  'problem.nameBadge': '„{word}“ sagt diese Website über eine Anwendung, also kann keine so heißen.',
  'problem.descriptionTooLong': 'Die Beschreibung ist länger als {max} Zeichen.',
  'problem.descriptionInvisible': 'Die Beschreibung enthält unsichtbare Zeichen oder Steuerzeichen.',
  'problem.typeUnknown': 'Die Art ist entweder vertraulich oder öffentlich.',
  'problem.publicCredentials':
    'Eine öffentliche Anwendung kann nicht für sich selbst handeln: Sie hat nichts, womit sie sich ausweist.',
  'problem.redirectUriMissing':
    'Mindestens eine Redirect-URI ist nötig, zum Beispiel https://app.example/callback.',
  'problem.redirectUriUnused':
    'Keiner der gewählten Wege zum Zugriff verwendet eine Redirect-URI. Entfernen Sie sie, oder wählen Sie einen Weg, der sie verwendet.',
  'problem.redirectUriTooMany':
    '{max, plural, one {Es ist mehr als eine Redirect-URI} other {Es sind mehr als # Redirect-URIs}}.',
  'problem.uriTooLong': 'Sie ist länger als {max} Zeichen.',
  'problem.uriCharacters':
    'Sie enthält ein Leerzeichen oder ein anderes Zeichen, das prozentkodiert werden muss.',
  'problem.uriWildcard':
    'Sie enthält ein *. Redirect-URIs werden genau verglichen, Platzhalter sind nicht möglich: Geben Sie jede einzeln ein.',
  'problem.uriNotAbsolute': 'Das ist keine vollständige Adresse wie https://app.example/callback.',
  'problem.uriNoScheme':
    'Sie beginnt mit keinem Schema. Schreiben Sie https://app.example/callback mit https:// davor.',
  'problem.uriSchemeCharacter':
    'Ihr Schema enthält {character}. Ein Schema hat nur Buchstaben, Ziffern, „+“, „-“ und „.“ und beginnt mit einem Buchstaben.',
  'problem.uriFragment': 'Sie enthält ein Fragment (#…). Das darf eine Redirect-URI nicht haben.',
  'problem.uriScheme': 'Eine Adresse mit {scheme} ist nicht möglich.',
  'problem.uriUserinfo': 'Vor dem Host steht ein Benutzername oder ein Passwort.',
  'problem.uriHttp':
    'Ohne TLS sind nur localhost, 127.0.0.1 und [::1] möglich. Für jeden anderen Host ist https: nötig.',
  'problem.uriPrivateScheme':
    'Das Schema einer App braucht einen Punkt, zum Beispiel com.example.app:/callback.',
  'problem.uriQuery': 'Ihre Query enthält {parameter}. Das fügt die Antwort selbst hinzu.',
  'problem.pageNotAbsolute': 'Das ist keine vollständige Adresse wie https://app.example/about.',
  'problem.pageScheme': 'Die Adresse muss mit https:// beginnen.',
  'problem.scopeUnknown': 'Es gibt keinen Scope {scope}.',
  'problem.grantTypeUnknown': 'Der Grant-Typ {grantType} wird hier nicht angeboten.',
  'problem.grantTypeMissing': 'Wählen Sie mindestens einen Weg zum Zugriff.',
  'problem.grantTypeOnlyRefresh':
    'Refresh-Tokens gibt es nur zusammen mit einem anderen Weg zum Zugriff. Wählen Sie auch einen davon.',
  'problem.authenticationUnknown': 'Wählen Sie, wie sie sich ausweist.',
  'problem.jwksMissing': 'Geben Sie die öffentlichen Schlüssel ein.',
  'problem.jwksNoJson': 'Die Schlüssel sind kein gültiges JSON.',
  'problem.jwksNoSet': 'Das ist kein Schlüsselsatz. Er sieht so aus: {"keys": [ … ]} (RFC 7517).',
  'problem.jwksCount': 'Der Satz hat {count} Schlüssel. Möglich sind 1 bis {max}.',
  'problem.jwksTooLong': 'Die Schlüssel sind länger als {max} Zeichen.',
  'problem.jwksNoObject': 'Ein Schlüssel im Satz ist kein JSON-Objekt.',
  'problem.jwksPrivate':
    'Das ist ein privater oder geheimer Schlüssel, den nur sein Besitzer haben darf. Verwenden Sie ihn nicht mehr: Erzeugen Sie einen neuen und geben Sie dessen öffentliche Hälfte ein.',
  'problem.jwksMembers':
    'Ein Schlüssel hat eine Angabe von anderer Art, als RFC 7517 und RFC 7518 sagen, oder eine, die ein Objekt ist.',
  'problem.jwksKind': 'Ein Schlüssel hat einen anderen Typ (kty) als RSA, EC und OKP.',
  'problem.jwksRsaSize': 'Ein RSA-Schlüssel hat weniger als 2048 oder mehr als 8192 Bit.',
  'problem.jwksUriMissing': 'Geben Sie die Adresse der öffentlichen Schlüssel ein.',
  'problem.jwksUriNotUrl': 'Die Adresse der Schlüssel ist keine URL.',
  'problem.jwksUriParts':
    'Die Adresse der Schlüssel enthält einen Benutzernamen, ein Passwort oder ein Fragment.',
  'problem.jwksUriScheme': 'Die Adresse der Schlüssel muss mit https:// beginnen.',

  'snippet.secret': 'CLIENT_SECRET kommt aus der Umgebung',
  'snippet.key': 'CLIENT_PRIVATE_KEY kommt aus der Umgebung: PKCS #8, als PEM',
  'snippet.certificate':
    'CLIENT_CERTIFICATE und CLIENT_KEY kommen aus der Umgebung: die Pfade des Zertifikats und seines Schlüssels, als PEM',
  'snippet.assertion':
    'CLIENT_ASSERTION kommt aus der Umgebung: ein JWT, das Ihre Anwendung signiert hat (RFC 7523)',
  'snippet.svid': 'JWT_SVID kommt aus der Umgebung: die JWT-SVID, die SPIFFE Ihrem Programm gegeben hat',
  'snippet.open': 'diese Adresse in einem Browser öffnen',
  'snippet.paste': 'der Browser kommt zur Redirect-URI zurück: den Code von dort kopieren',
  'snippet.begin': 'die Person zu dieser Adresse schicken und die beiden anderen in ihrer Sitzung behalten',
  'snippet.finish': 'mit der ganzen Adresse, an der die Person zurückgekommen ist',
};
